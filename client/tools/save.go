package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/security/schema"
)

// tableSchema identifies the file format of names.
const tableSchema = "wayfind/tools/1"

// table is the output of Names, and the beginning of the output of Save.
type table struct {
	Schema string              `json:"schema"`
	Names  map[string]tableRow `json:"names"`
}

type tableRow struct {
	Origin string `json:"origin"`
	Key    string `json:"key"`
	Digest string `json:"digest,omitempty"`
}

// Names returns the table of names and their subjects, including earlier names. With
// [Options.Names] a later Box keeps them.
func (b *Box) Names() ([]byte, error) {
	b.must()
	return json.Marshal(b.table())
}

// OwnNames is like Names without earlier names, for a table that has become too large. A name
// that is no longer in the table may be given to another tool; with [Options.Sites] only to a
// tool of the same domain.
func (b *Box) OwnNames() ([]byte, error) {
	b.must()
	return json.Marshal(b.ownTable())
}

func (b *Box) table() table {
	t := b.ownTable()
	for name, id := range b.given {
		if _, own := t.Names[name]; !own {
			origin, key, _ := strings.Cut(id, "\x00")
			t.Names[name] = tableRow{Origin: origin, Key: key}
		}
	}
	return t
}

func (b *Box) ownTable() table {
	t := table{Schema: tableSchema, Names: make(map[string]tableRow, len(b.tools))}
	for i := range b.tools {
		row := tableRow{Origin: b.tools[i].Origin, Key: b.tools[i].Key}
		if c := b.tools[i].Capability; c != nil {
			row.Digest = c.Digest
		}
		t.Names[b.tools[i].Name] = row
	}
	return t
}

// ErrTable is the error if a table of names, or a saved Box, cannot be read.
var ErrTable = errors.New("tools: no table of names that this version can read")

// readTable reads the output of Names.
func readTable(raw []byte) (map[string]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var t table
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if t.Schema != tableSchema {
		return nil, fmt.Errorf("%w: its schema is %+q, want %q; write it again with this version", ErrTable, text.Head(t.Schema, 64), tableSchema)
	}
	return t.subjects(), nil
}

// subjects returns the subjects of the names, as written by [NameKey].
func (t table) subjects() map[string]string {
	subjects := make(map[string]string, len(t.Names))
	for name, row := range t.Names {
		subjects[name] = NameKey(row.Origin, row.Key)
	}
	return subjects
}

// saved is the output of Save: the table of names, and their tools.
type saved struct {
	table
	// Services have no capabilities except the ones in Tools.
	Services []wayfind.Service `json:"services"`
	Tools    []savedTool       `json:"tools"`
	// Texts are the texts of the definitions of Tools, which refer to them by number. If there
	// are no Texts, the definitions contain the texts themselves.
	Texts   []savedText `json:"texts,omitempty"`
	Skipped []Skipped   `json:"skipped,omitempty"`

	FreshUntil time.Time   `json:"freshUntil,omitzero"`
	Private    bool        `json:"private,omitempty"`
	Told       []savedTold `json:"told,omitempty"`
	// Domains are those of Tools, in the order in which they were loaded.
	Domains []string `json:"domains,omitempty"`
}

type savedTool struct {
	Name        string              `json:"name"`
	Origin      string              `json:"origin"`
	Base        string              `json:"base,omitempty"`
	Domain      string              `json:"domain"`
	Key         string              `json:"key"`
	Aliases     []string            `json:"aliases,omitempty"`
	Agent       bool                `json:"agent,omitempty"`
	Capability  *wayfind.Capability `json:"capability,omitempty"`
	Params      []int               `json:"params,omitempty"` // of Capability, as numbers of Texts
	Service     int                 `json:"service"`
	Others      []int               `json:"others,omitempty"` // services of other documents
	Sources     []wayfind.Ref       `json:"sources,omitempty"`
	Description string              `json:"description,omitempty"`
	Rank        int                 `json:"rank"`
	Effect      *effect.Effect      `json:"effect,omitempty"`
	// Text and PropertyText are copied from Options.
	Text         int `json:"text,omitempty"`
	PropertyText int `json:"propertyText,omitempty"`
}

// Save encodes the Box with its names. [Open] reads the output without a request. The output
// can also be used as [Options.Names]. Services are saved without their capabilities. A
// definition is saved in full, with the schema of its answers; schemas that several definitions
// share are written once. If the Box has not yet created the schema of a tool, and the schema
// is refused now, the tool is saved as an entry of Skipped.
func (b *Box) Save() ([]byte, error) {
	b.must()
	s := saved{table: b.table(), Skipped: b.skipped, Services: []wayfind.Service{}, Tools: []savedTool{}, FreshUntil: b.freshUntil, Private: b.private, Told: b.savedTold(), Domains: b.domains()}
	places, texts := make(map[string]int), savedTexts{places: make(map[string]int)}
	for _, t := range b.tools {
		numbers := make([]int, 0, 1+len(t.others))
		for _, service := range t.Services() {
			id := NameKey(t.Origin, service.ID)
			place, known := places[id]
			if !known {
				place = len(s.Services)
				places[id] = place
				own := *service
				own.Capabilities = nil
				s.Services = append(s.Services, own)
			}
			numbers = append(numbers, place)
		}
		switch err := t.complete(); {
		case err != nil && refusalOf(err) != nil:
			s.Skipped = append(slices.Clip(s.Skipped), unrendered(&t, err))
			continue
		case err != nil:
			return nil, err
		}
		var params []int
		if t.Capability != nil {
			t.Capability, params = texts.pack(t.Capability)
		}
		s.Tools = append(s.Tools, savedTool{t.Name, t.Origin, t.Base, t.Domain, t.Key, t.Aliases, t.Agent, t.Capability, params, numbers[0], numbers[1:], t.Sources, t.description, t.rank, t.does, t.texts.tool, t.texts.property})
	}
	s.Texts = texts.list
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return bytes.TrimSpace(out.Bytes()), err
}

// Open reads the output of [Box.Save]. Schemas are checked again. The error is ErrTable.
func Open(raw []byte) (*Box, error) { return openWithin(newBudget(), raw) }

func openWithin(room *budget, raw []byte) (*Box, error) {
	given, err := readTable(raw)
	if err != nil {
		return nil, err
	}
	var s saved
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if err := (&savedTexts{list: s.Texts}).check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	for i := range s.Skipped {
		if strings.ContainsFunc(s.Skipped[i].Domain, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return nil, fmt.Errorf("%w: an entry of skipped is of no host", ErrTable) // sentences have it without quotes
		}
	}
	b := &Box{given: given, skipped: s.Skipped, freshUntil: s.FreshUntil, private: s.Private}
	for _, domain := range s.Domains {
		b.turn(domain)
	}
	reader := &loader{box: b, budget: room, shelves: make(map[*wayfind.Service]*shelf)}
	for i := range s.Tools {
		t, err := reader.open(&s, &s.Tools[i])
		if err != nil {
			return nil, fmt.Errorf("%w: tool %+q: %w", ErrTable, text.Head(s.Tools[i].Name, MaxName), err)
		}
		b.tools = append(b.tools, t)
	}
	for i := range s.Told {
		reader.hear(s.Told[i].opened())
	}
	b.order(nil)
	if len(b.tools) > maxTools || len(b.byName) != len(b.tools) {
		return nil, fmt.Errorf("%w: it has too many tools, or two of one name", ErrTable)
	}
	return b, nil
}

// isPlainHost reports whether a text has only characters of hosts: definitions have it without
// quotes.
func isPlainHost(s string) bool {
	return s != "" && len(s) <= maxHost && !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7F || !text.IsLDH(byte(r)) && !strings.ContainsRune("._:", r) })
}

// maxHost is the maximum length of a host (RFC 1035 §2.3.4).
const maxHost = 253

// open reads a tool.
func (l *loader) open(s *saved, t *savedTool) (Tool, error) {
	switch {
	case slices.ContainsFunc(append([]int{t.Service}, t.Others...), func(n int) bool { return n < 0 || n >= len(s.Services) }):
		return Tool{}, errors.New("there is no such service")
	case l.box.given[t.Name] != NameKey(t.Origin, t.Key):
		return Tool{}, errors.New("its name stands for something else")
	case len(t.Name) > MaxName || !goodName.MatchString(t.Name):
		return Tool{}, errors.New("its name is none of a tool") // sentences have it without quotes
	case !isPlainHost(urlref.Host(t.Origin)), !isPlainHost(t.Domain):
		return Tool{}, errors.New("its site is no host")
	case t.Agent == (t.Capability != nil):
		return Tool{}, errors.New("it is either an agent or a capability")
	}
	opened := Tool{Name: t.Name, Origin: t.Origin, Base: t.Base, Domain: t.Domain, Key: t.Key, Aliases: slices.Clone(t.Aliases), Agent: t.Agent, Capability: t.Capability,
		Service: &s.Services[t.Service], Sources: t.Sources, description: t.Description, texts: texts{t.Text, t.PropertyText}, rank: t.Rank}
	for _, n := range t.Others {
		opened.addOthers(&s.Services[n])
	}
	if t.Agent {
		var err error
		opened.Schema, err = agentSchema(opened.Service)
		return opened, err
	}
	// A Box of an earlier version has no effects: they are derived from the definition. A saved effect
	// adds caution only, since the file may have been changed.
	opened.does = t.Effect
	if err := l.unpacked(s, &opened, t.Params); err != nil {
		return Tool{}, err
	}
	opened.derive()
	return opened, nil
}

// unpacked checks the schema of the arguments of a tool, and keeps it if there is room. If the
// schemas before it took too many steps, it is checked when the tool is chosen.
func (l *loader) unpacked(s *saved, t *Tool, params []int) error {
	if s.Texts == nil {
		var err error
		t.Schema, err = l.input(t.Capability, operationOf(t.Capability, t.Service))
		return err
	}
	packed, service, texts := t.Capability, t.Service, &savedTexts{list: s.Texts}
	read := func() (*wayfind.Detail, error) {
		c, err := texts.unpack(packed, params)
		return &wayfind.Detail{Capability: c, Service: service}, err
	}
	whole, err := read()
	if err != nil {
		return err
	}
	t.Capability, t.partial = brief(whole.Capability), &partial{read: read, ready: &l.budget.ready}
	t.partial.check = func(d *wayfind.Detail) (*schema.Schema, error) {
		return (&loader{budget: newBudget()}).input(d.Capability, operationOf(d.Capability, d.Service))
	}
	if l.budget.steps.Load() <= 0 {
		return nil
	}
	input, size, err := l.again(whole)
	if l.budget.ready.Add(-size) >= 0 {
		t.Schema, t.partial.check = input, nil
	}
	return err
}

// again creates the schema of the arguments of a saved definition, if possible from schemas
// that the tools of its service share. It also returns the amount of memory that the schema
// needs.
func (l *loader) again(d *wayfind.Detail) (s *schema.Schema, size int64, err error) {
	op := operationOf(d.Capability, d.Service)
	if strings.HasPrefix(d.Capability.Key, "openapi:") && len(d.Capability.Input) > 0 {
		shared := l.shelves[d.Service]
		if shared == nil {
			shared = newShelf()
			l.shelves[d.Service] = shared
		}
		before := shared.size
		s, taken := shared.input(visible(d.Capability, op), filledOf(d.Capability, op))
		l.budget.steps.Add(-taken)
		if s != nil && l.limitsOf(d.Capability.Params, op, s) == nil {
			s, err = possible(s)
			return s, shared.size - before, err
		}
	}
	s, err = l.input(d.Capability, op)
	return s, perInput * int64(len(d.Capability.Input)), err
}
