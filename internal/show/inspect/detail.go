package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	stated "github.com/wayfindhq/wayfind/internal/syntax/facts"
)

// detail is the full content of one item of a Site.
type detail struct {
	Sort sort   `json:"sort"`
	Name string `json:"name"`
	// Text is the publisher's text.
	Text  string   `json:"text,omitempty"`
	Notes []string `json:"notes,omitempty"`
	Facts []fact   `json:"facts,omitempty"`
	// From are the places in documents that it is from, best first.
	From []origin `json:"from,omitempty"`
	// Readings are the statements of several documents, side by side.
	Readings *readings `json:"readings,omitempty"`
	// Marks are diagnostics about the item. Document is the URL of the document that is shown
	// next to them.
	Marks    []mark `json:"marks,omitempty"`
	Document string `json:"document,omitempty"`
	// Model is the content of the item in the model, as JSON.
	Model string `json:"model,omitempty"`
}

// fact is a name of ours with a value.
type fact struct {
	Name string `json:"name"`
	// Value is foreign text, unless Own is true.
	Value string `json:"value"`
	Own   bool   `json:"own,omitempty"`
	// Note is a text of ours: "default of the specification".
	Note string `json:"note,omitempty"`
	// From are the places that state it, if they are not the places of the item.
	From []origin `json:"from,omitempty"`
}

// origin is a place in a document, with the authority of the document.
type origin struct {
	URL       string `json:"url"`
	Pointer   string `json:"pointer,omitempty"`
	Line      int    `json:"line,omitempty"`
	Format    string `json:"format,omitempty"`
	Authority string `json:"authority,omitempty"`
	Trust     string `json:"trust,omitempty"`
}

// detail returns an item of a Site.
func (i *Inspector) detail(site *wayfind.Site, s sort, index int) (*detail, error) {
	var d *detail
	switch at := index; {
	case at < 0:
	case s == sortService && at < len(site.Services):
		d = serviceDetail(&site.Services[at])
	case s == sortCapability:
		d = i.capabilityAt(site, at)
	case s == sortConflict && at < len(site.Conflicts):
		d = i.conflictDetail(site, &site.Conflicts[at])
	case s == sortDiagnostic && at < len(site.Diagnostics):
		d = i.diagnosticDetail(site, &site.Diagnostics[at])
	case s == sortPolicy && at < len(site.Policies):
		p := &site.Policies[at]
		d = &detail{Name: p.Kind, Text: humanize.Policy(*p), Facts: facts("limit", limitOf(p.Limit), "agents", strings.Join(p.Agents, ", "), "paths", strings.Join(p.Paths, ", ")),
			From: originsOf(p.Sources), Model: value(p)}
	case s == sortSource && at < len(site.Sources):
		d = sourceDetail(&site.Sources[at])
	case s == sortListed && at < len(humanize.Listed(site)):
		d = listedDetail(humanize.Listed(site)[at])
	case s == sortProbe && at < len(site.Probes):
		d = probeDetail(&site.Probes[at])
	}
	if d == nil {
		return nil, fmt.Errorf("%w: the answer has no such item", errInput)
	}
	d.Sort = s
	d.Name, d.Text = printable(d.Name), printable(d.Text)
	for n := range d.From {
		d.From[n].rank(site)
	}
	for _, f := range d.Facts {
		for n := range f.From {
			f.From[n].rank(site)
		}
	}
	return d, nil
}

// facts returns pairs of a name and a foreign value. Pairs without a value are omitted.
func facts(pairs ...string) (list []fact) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			list = append(list, fact{Name: pair[0], Value: printable(pair[1])})
		}
	}
	return list
}

// own returns pairs of a name and a value of ours.
func own(pairs ...string) []fact {
	list := facts(pairs...)
	for n := range list {
		list[n].Own = true
	}
	return list
}

func originsOf(refs []wayfind.Ref) (list []origin) {
	for _, r := range refs {
		list = append(list, origin{URL: r.Source, Pointer: r.Pointer, Line: r.Line})
	}
	return list
}

// rank adds the format, the authority and the trust of the document.
func (o *origin) rank(site *wayfind.Site) {
	if s := site.Source(o.URL); s != nil {
		o.Format, o.Authority, o.Trust = humanize.Format(s.Format, s.Version, s.Dialect), string(s.Authority), string(s.Trust)
	}
}

// statedFacts returns what a site states about a service, or about a capability if c is not nil.
func statedFacts(s *wayfind.Service, c *wayfind.Capability) (list []fact) {
	for _, row := range humanize.Stated(s, c, stated.Page) {
		list = append(list, facts(row[0], row[1])...)
	}
	return list
}

func limitOf(l *wayfind.Limit) string {
	if l == nil {
		return ""
	}
	return stated.RateOf(*l)
}

func serviceDetail(s *wayfind.Service) *detail {
	d := &detail{Name: cmp.Or(s.Name, s.ID), Text: s.Description, Notes: notes(humanize.SuspicionNote(s.Suspicious)), From: originsOf(s.Sources)}
	d.Facts = facts("ID", s.ID, "also known as", strings.Join(s.Aliases, ", "), "version", s.Version)
	if s.Provider != nil {
		d.Facts = append(d.Facts, facts("provider", strings.TrimSpace(s.Provider.Name+" "+s.Provider.URL))...)
	}
	for n := range s.Interfaces {
		f := &s.Interfaces[n]
		d.Facts = append(d.Facts, fact{Name: "interface", Value: humanize.Text(f.Protocol) + " " + humanize.Place(*f), Note: strings.Join(notes(humanize.TrustNote(f.Trust), defaulted(f.Defaulted)), "; ")})
		d.Facts[len(d.Facts)-1].From = originsOf(f.Sources)
		d.Facts = append(d.Facts, facts("its authentication", humanize.Auth(f.Auth))...)
	}
	d.Facts = append(d.Facts, facts("authentication", humanize.Auth(s.Auth),
		"documentation", s.DocsURL, "status", s.StatusURL, "updated", s.Updated)...)
	d.Facts = append(d.Facts, statedFacts(s, nil)...)
	d.Facts = append(d.Facts, own("capabilities", strconv.Itoa(len(s.Capabilities)), "defaults of the specification", defaulted(s.Defaulted))...)
	for _, l := range s.LocalInstall {
		install := fact{Name: "to be installed", Value: humanize.Install(&l),
			Note: "by the publisher's word; nothing here runs it", From: originsOf(l.Sources)}
		d.Facts = append(d.Facts, install)
	}
	model := *s
	model.Capabilities = nil // they are items of their own
	d.Model = value(model)
	return d
}

// defaulted returns a text with the fields that no document states.
func defaulted(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return "default of the specification: " + strings.Join(fields, ", ")
}

func (i *Inspector) capabilityAt(site *wayfind.Site, at int) *detail {
	for s, c := range site.Capabilities() {
		if at--; at < 0 {
			return i.capabilityDetail(site, s, c)
		}
	}
	return nil
}

func (i *Inspector) capabilityDetail(site *wayfind.Site, s *wayfind.Service, c *wayfind.Capability) *detail {
	d := &detail{Name: c.Key, Text: cmp.Or(c.Description, c.Title, c.Name), From: originsOf(c.Sources), Model: value(c),
		Notes: notes(humanize.TrustNote(c.Trust), humanize.RobotsNote(c.RobotsDisallowed), humanize.SuspicionNote(c.Suspicious))}
	d.Facts = append(facts("service", cmp.Or(s.Name, s.ID), "title", c.Title, "kind", kindWord(c.Kind), "call", humanize.Call(c)), authFact(s, c))
	d.Facts = append(d.Facts, effectsFacts(c)...)
	d.Facts = append(d.Facts, facts("price", c.Price,
		"also known as", strings.Join(c.Aliases, ", "), "may be the same as", strings.Join(c.Related, ", "))...)
	d.Facts = append(d.Facts, statedFacts(s, c)...)
	claim := "the protocol itself answered"
	if c.Claimed {
		claim = "a document says so"
	}
	d.Facts = append(d.Facts, own("known because", claim, "trust", humanize.Trust(c.Trust), "defaults", defaulted(c.Defaulted))...)
	if err := c.Check(); err != nil {
		d.Facts = append(d.Facts, facts("not callable from this alone", err.Error())...)
	}
	d.Readings = capabilityReadings(site, c)
	for n := range site.Diagnostics {
		if about(&site.Diagnostics[n], c.Sources) {
			d.Marks = append(d.Marks, markOf(&site.Diagnostics[n], nil, true))
		}
	}
	return d
}

// about reports whether a diagnostic is about a thing at some places.
func about(d *wayfind.Diagnostic, places []wayfind.Ref) bool {
	return slices.ContainsFunc(places, func(r wayfind.Ref) bool {
		return r.Source == d.Source && r.Pointer != "" && (d.Pointer == r.Pointer || strings.HasPrefix(d.Pointer, r.Pointer+"/"))
	})
}

// authFact returns the effective statement on authentication, and whether it is for the
// capability or the service.
func authFact(s *wayfind.Service, c *wayfind.Capability) fact {
	switch {
	case c.Auth != nil:
		return fact{Name: "authentication", Value: humanize.Auth(c.Auth), Note: "stated for this capability"}
	case s.Auth != nil:
		return fact{Name: "authentication", Value: humanize.Auth(s.Auth), Note: "stated for the service"}
	}
	return fact{Name: "authentication", Value: "not said", Own: true}
}

// effectsText describes effects in our own words.
func effectsText(c *wayfind.Capability) string {
	does := effect.Of(c)
	switch words := humanize.Effects(c); {
	case c.Effects == nil && does.Reads && !does.Safe && !does.Once():
		return "reads only, by its protocol"
	case words == "" && c.Effects == nil:
		return "not known"
	default:
		return cmp.Or(words, "none of note")
	}
}

func effectsFacts(c *wayfind.Capability) []fact {
	e := c.Effects
	if e == nil {
		return own("effects", effectsText(c))
	}
	f := fact{Name: "effects", Value: effectsText(c), Own: true}
	if len(e.Defaulted) > 0 {
		f.Note = "from the HTTP method, not the publisher's word: " + strings.Join(e.Defaulted, ", ")
	}
	return append([]fact{f}, facts("sensitivity", e.Sensitivity, "idempotency key", strings.TrimSpace(e.IdempotencyKey+" "+e.IdempotencyWindow))...)
}

func (i *Inspector) diagnosticDetail(site *wayfind.Site, d *wayfind.Diagnostic) *detail {
	v := &detail{Name: d.Code, Document: d.Source}
	for _, m := range i.document(site, d.Source).Marks {
		if m.Code == d.Code && m.Pointer == d.Pointer && m.Message == d.Message {
			v.Marks = []mark{m}
		}
	}
	if v.Marks == nil {
		v.Marks = []mark{markOf(d, nil, true)}
	}
	if d.Source != "" {
		v.From = []origin{{URL: d.Source, Pointer: d.Pointer, Line: v.Marks[0].Line}}
	}
	return v
}

func sourceDetail(s *wayfind.Source) *detail {
	d := &detail{Name: s.URL, Document: s.URL, Notes: notes(humanize.TrustNote(s.Trust)), Model: value(s)}
	d.Facts = append(facts("format", humanize.Format(s.Format, s.Version, s.Dialect)), own("authority", humanize.Authority(s.Authority), "trust", humanize.Trust(s.Trust))...)
	d.Facts = append(d.Facts, facts("led to", different(s.FinalURL, s.URL), "also at", strings.Join(s.AlsoAt, " "), "learned from", s.From,
		"media type", s.MediaType, "ETag", s.ETag, "last modified", s.LastModified, "SHA-256", s.SHA256, "signatures", humanize.Signatures(s.Signatures))...)
	d.Facts = append(d.Facts, own("fetched", clock(s.FetchedAt), "fresh until", clock(s.FreshUntil))...)
	return d
}

func different(s, from string) string {
	if s == from {
		return ""
	}
	return s
}

func listedDetail(l *wayfind.Document) *detail {
	return &detail{Name: cmp.Or(l.URL, l.Identifier), Text: cmp.Or(l.Description, l.Title), Notes: notes(humanize.TrustNote(l.Trust)), From: originsOf(l.Sources), Model: value(l),
		Facts: append(facts("relation", l.Rel, "identifier", l.Identifier, "media type", l.MediaType, "version", l.Version, "section", l.Section, "tags", strings.Join(l.Tags, ", ")),
			own("trust", humanize.Trust(l.Trust), "read", "no: an index lists it, and its place was not asked")...)}
}

func probeDetail(p *wayfind.Probe) *detail {
	d := &detail{Name: p.URL, Model: value(p), Notes: notes(humanize.RobotsNote(p.RobotsDisallowed))}
	means := ""
	for _, row := range verdict.Rows() {
		if row.Verdict == p.Verdict {
			means = row.When()
		}
	}
	d.Facts = append(own("verdict", strings.ReplaceAll(string(p.Verdict), "_", " "), "given for", means), facts("reason", p.Reason)...)
	if p.Status != 0 {
		d.Facts = append(d.Facts, own("status", strconv.Itoa(p.Status))...)
	}
	d.Facts = append(d.Facts, facts("format", p.Format, "asked for", strings.Join(p.Formats, ", "), "redirects", strings.Join(p.Redirects, " → "), "error", p.Error)...)
	d.Facts = append(d.Facts, own("remembered until", clock(p.FreshUntil))...)
	if p.Verdict == wayfind.VerdictFound {
		d.Document = p.URL
	}
	return d
}

// members are the members of a capability as JSON, by name.
type members map[string]json.RawMessage

// membersOf encodes a capability as JSON, once for all of its members.
func membersOf(c *wayfind.Capability) (m members) {
	raw, err := json.Marshal(c)
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// fieldOf returns a member of a capability by its JSON name, which may be the name of a nested
// member: "effects.readOnly".
func fieldOf(c *wayfind.Capability, name string) string { return membersOf(c).field(c, name) }

// field is like fieldOf with the members of c.
func (m members) field(c *wayfind.Capability, name string) string {
	first, rest, nested := strings.Cut(name, ".")
	if first == "auth" {
		return humanize.Auth(c.Auth)
	}
	raw := m[first]
	for nested {
		var inner members
		if json.Unmarshal(raw, &inner) != nil {
			return ""
		}
		first, rest, nested = strings.Cut(rest, ".")
		raw = inner[first]
	}
	return valueText(raw)
}
