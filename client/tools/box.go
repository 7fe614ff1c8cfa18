package tools

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fuel"
	"github.com/wayfindhq/wayfind/internal/rank"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security/schema"
)

// MaxTools bounds the tools of a Box.
const MaxTools = 10_000

// Tool is one thing that a model can call.
type Tool struct {
	// Name is unique in the Box, and valid everywhere.
	Name string
	// Origin of the site, Domain of it, and Key of the capability, or the ID of
	// the service where the tool is a whole agent.
	Origin, Domain, Key string
	// Base is the path that was resolved below the Origin, as of the Site.
	Base string
	// Aliases are the keys of capabilities that other documents describe and that
	// are the same call.
	Aliases []string
	// Agent: the tool is an agent that takes messages.
	Agent bool
	// Capability as its documents describe it in full; nil for an agent. It is
	// shared and must not be changed. From [Box.Tools] and a search, it may have neither
	// schemas, examples nor Extensions, and only the names and places of the parameters
	// outside the body: [Box.Tool] has all.
	Capability *wayfind.Capability
	// Service that has it. It is shared and must not be changed.
	Service *wayfind.Service
	// Sources are the documents it comes from.
	Sources []wayfind.Ref
	// Schema of the arguments. From [Box.Tools] and a search it is nil if the Box has no
	// room for it: [Box.Tool] and [Box.Render] make it.
	Schema *schema.Schema

	description string
	texts       texts
	brevity     schema.Brevity // by which its definitions are made small
	rank        int
	partial     *partial // the rest of Capability, and Schema; nil if it is whole
}

// Description is the text for a model, as in every definition: the site that it is from,
// in our words, then the publisher's text, which is data. The text alone is that of the
// Capability, or of the Service for an agent.
func (t *Tool) Description() string {
	words, _ := t.text()
	return words
}

// Skipped is a domain, document, service or capability that became no tool, with the
// reason.
type Skipped struct {
	// Domain that was asked; empty with [CodeUnmatched].
	Domain string `json:"domain"`
	// Key of the capability or service, or what [Options] say that nothing matches. Empty
	// for a document, and for a whole domain.
	Key string `json:"key,omitempty"`
	// URL of a document that was not read. Without Key and URL the whole domain is meant.
	URL string `json:"url,omitempty"`
	// Code of the reason: "contract", "refused", "describe", "incomplete", "unlisted", "limit",
	// "twice", "filtered", "unmatched", "deadline" or "canceled"; the code of package schema
	// for a schema that is refused; "unreachable" and the like for a domain; for a document
	// the code of its error, "too_large" for example, or the verdict on its answer.
	Code string `json:"code"`
	// Reason in a few words.
	Reason string `json:"reason"`
	// Size that exceeds Limit, in the unit of the [wayfind.TooLarge] in Err. Zero if size
	// is not the reason, or if it is not known: a document is not read to its end.
	Size int64 `json:"size,omitempty"`
	// Limit that was passed, if one was: bytes of a document, or the number of tools.
	Limit int64 `json:"limit,omitempty"`
	// Asked is false where it could not be asked, which does not mean that
	// there is none.
	Asked bool `json:"asked"`
	// Err is the cause, where there is one: a [wayfind.Error], or that of package schema.
	Err error `json:"-"`
}

// Whole reports that nothing of the domain could be read.
func (s *Skipped) Whole() bool { return s.Key == "" && s.URL == "" && s.Code != CodeIncomplete }

// The codes of [Skipped] that are not those of package schema or kinds of errors.
const (
	CodeRefused    = "refused"    // policy refuses the place that every call would go to
	CodeContract   = "contract"   // it has no contract, or none that fits a tool
	CodeDescribe   = "describe"   // its contract could not be read
	CodeIncomplete = "incomplete" // places of the domain gave no answer: there may be more
	CodeUnlisted   = "unlisted"   // no document lists anything of the service that can be called
	CodeLimit      = "limit"      // there are more than MaxTools
	CodeTwice      = "twice"      // another tool has its key
	CodeFiltered   = "filtered"   // Options leave it out
	CodeUnmatched  = "unmatched"  // Options name something that there is not
	CodeDeadline   = "deadline"   // the time was up before
	CodeCanceled   = "canceled"   // the caller left before
	CodeStale      = "stale"      // an earlier version was read, because the site did not answer: see Update
)

// Box is a set of tools. It does not change and may be used by several goroutines.
type Box struct {
	tools   []Tool
	byName  map[string]int // in lower case: names differ in more than that
	skipped []Skipped
	given   map[string]string
	index   *rank.Index

	freshUntil time.Time
	private    bool

	// Of the Box of one domain: its Site, and the documents and answers it is made of, with
	// their digests.
	site    *wayfind.Site
	digests []string
	stale   []Skipped // documents of which an earlier version was read
}

// Tools returns all tools, by site, service and name.
func (b *Box) Tools() []Tool { return slices.Clone(b.tools) }

// Skipped returns the capabilities and domains that became no tools, in the
// order of the domains.
func (b *Box) Skipped() []Skipped { return slices.Clone(b.skipped) }

// FreshUntil is when the first of the documents and answers that the Box is made of stops
// being fresh, or a domain that failed may be asked again: a Load before then finds the
// same. It is zero if no document counts, as in a Box of no domain.
func (b *Box) FreshUntil() time.Time { return b.freshUntil }

// Private reports whether a part of the Box is the answer to a request with a credential,
// whatever that answer says of caches. Such a Box is for the caller whose credential it was,
// and for no other.
func (b *Box) Private() bool { return b.private }

// Len is the number of tools.
func (b *Box) Len() int { return len(b.tools) }

// NameError is the name of a tool that a [Box] does not have.
type NameError struct {
	// Name may be foreign text: a model has written it.
	Name string
	// Nearest are the names most similar to it, three at most.
	Nearest []string
}

// Error names the nearest.
func (e *NameError) Error() string {
	near := ""
	if len(e.Nearest) > 0 {
		near = "; the nearest are " + strings.Join(e.Nearest, ", ")
	}
	return fmt.Sprintf("tools: there is no tool %+q%s", text.Head(e.Name, MaxName), near)
}

// Tool finds a tool by its name. The error is a [NameError]: a name is never
// guessed. It is a [wayfind.Error] if the definition cannot be read any more.
func (b *Box) Tool(name string) (*Tool, error) {
	t, err := b.listed(name)
	if err == nil {
		err = t.complete()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// listed finds a tool by its name, as Tools has it.
func (b *Box) listed(name string) (*Tool, error) {
	if i, ok := b.place(name); ok {
		t := b.tools[i]
		return &t, nil
	}
	return nil, &NameError{name, b.nearest(name)}
}

// place is the index of a tool.
func (b *Box) place(name string) (int, bool) {
	i, ok := b.byName[strings.ToLower(name)]
	return i, ok && b.tools[i].Name == name
}

// nearest are the names most similar to a name.
func (b *Box) nearest(name string) (names []string) {
	for _, hit := range b.Search(strings.ReplaceAll(name, "_", " "), 3) {
		names = append(names, hit.Tool.Name)
	}
	return names
}

// Hit is a tool that was found.
type Hit struct {
	Tool  *Tool
	Score float64
}

// Search finds tools by words, best first, most of them at most. A tool whose name
// is the query comes first.
func (b *Box) Search(query string, most int) (hits []Hit) {
	for _, f := range b.search(query, most) {
		t := b.tools[f.Entry]
		hits = append(hits, Hit{&t, f.Score})
	}
	return hits
}

// search puts the tool whose name is the query before those that words find.
func (b *Box) search(query string, most int) []rank.Hit {
	hits := b.index.Search(query, most)
	i, ok := b.byName[strings.ToLower(strings.TrimSpace(query))]
	if !ok || most <= 0 {
		return hits
	}
	hits = slices.DeleteFunc(hits, func(h rank.Hit) bool { return h.Entry == i })
	return append([]rank.Hit{{Entry: i, Score: math.Inf(1)}}, hits[:min(len(hits), most-1)]...)
}

// order sorts tools by site, service and name, so that the same tools give the
// same bytes in any order of asking, and makes them searchable.
func (b *Box) order(count *fuel.Counter) {
	slices.SortFunc(b.tools, func(p, q Tool) int {
		return cmp.Or(cmp.Compare(p.Origin, q.Origin), cmp.Compare(p.Service.ID, q.Service.ID), cmp.Compare(p.Name, q.Name))
	})
	b.byName = make(map[string]int, len(b.tools))
	for i := range b.tools {
		b.byName[strings.ToLower(b.tools[i].Name)] = i
	}
	share := max(leastTexts, maxTexts/max(len(b.tools), 1))
	entries := make([]rank.Entry, len(b.tools))
	for i := range b.tools {
		entries[i] = b.tools[i].entry(share)
	}
	b.index = rank.New(count, len(entries), func(i int) rank.Entry { return entries[i] })
}

const (
	// maxTexts bounds the searched texts about the arguments of all tools, in bytes:
	// many tools can share one schema.
	maxTexts = 3 << 20
	// leastTexts of each tool are searched in any case, those of outer properties first.
	leastTexts = 512
	// maxServiceText bounds the searched text of a service, which each of its tools has.
	maxServiceText = 512
)

// entry holds the searched texts of a tool, of which share are about its arguments.
func (t *Tool) entry(share int) rank.Entry {
	e := rank.Entry{Name: t.Name, Rank: t.rank}
	e.Text = [rank.Fields]string{rank.Name: t.Name, rank.Server: t.Domain + " " + t.Service.Name, rank.Description: t.description}
	e.Text[rank.Service] = strings.Join(t.Service.Tags, " ") + " " + text.Head(t.Service.Description, maxServiceText)
	if c := t.Capability; c != nil {
		e.Text[rank.Name] = c.ID + " " + c.Title
		e.Text[rank.Description] += " " + strings.Join(c.Tags, " ")
	}
	var texts strings.Builder
	for words := range t.words() {
		if texts.Len()+len(words) > share {
			break
		}
		texts.WriteString(words)
		texts.WriteByte(' ')
	}
	e.Text[rank.Parameters] = texts.String()
	return e
}

// words are the texts about the arguments: those of their schema, or the names of the
// parameters.
func (t *Tool) words() iter.Seq[string] {
	if t.Schema != nil {
		return t.Schema.Texts()
	}
	return func(yield func(string) bool) {
		for i := range t.Capability.Params {
			if !yield(t.Capability.Params[i].Name) {
				return
			}
		}
	}
}
