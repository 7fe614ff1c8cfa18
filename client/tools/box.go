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
	"github.com/wayfindhq/wayfind/internal/act/rank"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security/schema"
)

// maxTools is the maximum number of tools in a Box.
const maxTools = 10_000

// Tool is one thing that a model can call.
type Tool struct {
	// Name is unique in the Box, and valid for all vendors.
	Name string
	// Origin is the origin of the site, and Domain its domain. Key is the key of the
	// capability, or the ID of the service if the tool is a whole agent.
	Origin, Domain, Key string
	// Base is the path that was resolved below the Origin, as in the Site.
	Base string
	// Aliases are the keys of capabilities that other documents describe and that are the same
	// call.
	Aliases []string
	// Agent is true if the tool is an agent that receives messages.
	Agent bool
	// Capability is the complete description by its documents, or nil for an agent. It is
	// shared and must not be changed. In the results of [Box.Tools] and of a search it may have
	// no schemas, examples and Extensions, and only the names and places of the parameters
	// outside the body. [Box.Tool] returns it in full.
	Capability *wayfind.Capability
	// Service is the service of the tool. It is shared and must not be changed.
	Service *wayfind.Service
	// Sources are the documents that the tool is from.
	Sources []wayfind.Ref
	// Schema is the schema of the arguments. In the results of [Box.Tools] and of a search it
	// is nil if the Box has no room for it: [Box.Tool] and [Box.Render] create it.
	Schema *schema.Schema

	does        *effect.Effect // of all documents; nil before the tool is described
	description string
	texts       texts
	brevity     schema.Brevity // the steps by which its definitions are shortened
	rank        int
	first       first
	others      []*wayfind.Service // of other documents that describe the call
	subjects    []facts.Subject    // of Service and others
	site        *told              // statements about all tools of the site; may be nil
	partial     *partial           // the rest of Capability, and Schema; nil if the tool is complete
	also        []*partial         // what other documents say of the call, which the Box stores in part
}

// Description returns the text for a model, as in every definition: the site of the tool in our
// words, then the publisher's text, which is data. The text alone is in the Capability, or in
// the Service for an agent.
func (t *Tool) Description() string {
	words, _ := t.text(0)
	return words
}

// Skipped is a domain, document, service or capability that did not become a tool, with the
// reason.
type Skipped struct {
	// Domain is the domain that was asked; empty with [CodeUnmatched].
	Domain string `json:"domain"`
	// Key is the key of the capability or service, or the part of [Options] that matches
	// nothing. It is empty for a document, and for a whole domain or a part of its places.
	Key string `json:"key,omitempty"`
	// URL is the URL of a document that was not read. If Key and URL are empty, the whole
	// domain is meant.
	URL string `json:"url,omitempty"`
	// Code is the code of the reason: "contract", "refused", "describe", "incomplete",
	// "unlisted", "limit", "twice", "filtered", "unmatched", "deadline" or "canceled". For a
	// schema that is refused it is a code of package schema, and for a domain "unreachable" and
	// similar codes. For a document it is the code of its error, "too_large" for example, or
	// the verdict on its answer.
	Code string `json:"code"`
	// Reason is the reason in a few words.
	Reason string `json:"reason"`
	// Size is the size that exceeds Limit, in the unit of the [wayfind.TooLarge] in Err. It is
	// zero if size is not the reason, or if it is not known, because a document is not read to
	// its end.
	Size int64 `json:"size,omitempty"`
	// Limit is the limit that was exceeded: bytes of a document, or the number of tools. It is
	// zero if there was none.
	Limit int64 `json:"limit,omitempty"`
	// Asked is false if it could not be asked. This does not mean that it does not exist. It is
	// true for a domain that is not valid: asking again would not help.
	Asked bool `json:"asked"`
	// Err is the cause, a [wayfind.Error] or an error of package schema, or nil if there is
	// none.
	Err error `json:"-"`
}

// Whole reports whether nothing of the domain could be read.
func (s *Skipped) Whole() bool { return s.Key == "" && s.URL == "" && s.Code != CodeIncomplete }

// Part reports whether a part of the places of the domain gave no answer: see
// wayfind.Site.Incomplete.
func (s *Skipped) Part() bool { return s.Key == "" && s.URL == "" && s.Code == CodeIncomplete }

// The codes of [Skipped] that are neither codes of package schema nor kinds of errors.
const (
	CodeRefused    = "refused"    // the policy refuses the place of every call
	CodeContract   = "contract"   // it has no contract, or no contract that can become a tool
	CodeDescribe   = "describe"   // its contract could not be read
	CodeIncomplete = "incomplete" // places of the domain gave no answer, so there may be more
	CodeUnlisted   = "unlisted"   // no document lists anything callable of the service
	CodeLimit      = "limit"      // there are more than 10,000 tools
	CodeTwice      = "twice"      // another tool has its key
	CodeFiltered   = "filtered"   // Options exclude it
	CodeUnmatched  = "unmatched"  // Options name something that does not exist
	CodeDeadline   = "deadline"   // the time expired before
	CodeCanceled   = "canceled"   // the caller cancelled before
	CodeStale      = "stale"      // an earlier version was read, because the site did not answer: see Update
)

// Box is a set of tools. It is immutable and may be used by several goroutines.
type Box struct {
	tools   []Tool
	byName  map[string]int // in lower case: names never differ only in case
	skipped []Skipped
	given   map[string]string
	turns   map[string]int // by domain, in the order in which the caller has named them
	index   *rank.Index

	freshUntil time.Time
	private    bool
	told       []told

	// For the Box of one domain: its Site, and the documents and answers that it is made of,
	// with their digests.
	site    *wayfind.Site
	digests []string
	stale   []Skipped // documents of which an earlier version was read
}

// must panics if the Box is nil, with the reason. The zero Box is a Box of no domain.
func (b *Box) must() {
	if b == nil {
		panic("tools: the Box is nil: tools.Load, tools.Watch and tools.Open return one, or an error")
	}
}

// Tools returns all tools, by site, service and name.
func (b *Box) Tools() []Tool {
	b.must()
	return slices.Clone(b.tools)
}

// Skipped returns the capabilities and domains that did not become tools, in the order of the
// domains.
func (b *Box) Skipped() []Skipped {
	b.must()
	return slices.Clone(b.skipped)
}

// FreshUntil returns the time until which all documents and answers of the Box are fresh, or at
// which a domain that failed may be asked again, if this is earlier. A Load before that time
// finds the same. It is zero if the Box depends on no document, as in a Box of no domain.
func (b *Box) FreshUntil() time.Time {
	b.must()
	return b.freshUntil
}

// Private reports whether a part of the Box is from the answer to a request with a credential,
// independently of the answer's cache directives. Such a Box may only be used for the caller
// whose credential it was.
func (b *Box) Private() bool {
	b.must()
	return b.private
}

// Len returns the number of tools.
func (b *Box) Len() int {
	b.must()
	return len(b.tools)
}

// NameError is the error for a name of a tool that a [Box] does not have.
type NameError struct {
	// Name may be foreign text, because a model has written it.
	Name string
	// Nearest are the most similar names, at most three.
	Nearest []string
}

// Error returns a text with the most similar names.
func (e *NameError) Error() string {
	near := ""
	if len(e.Nearest) > 0 {
		near = "; the nearest are " + strings.Join(e.Nearest, ", ")
	}
	return fmt.Sprintf("tools: there is no tool %+q%s", text.Head(e.Name, MaxName), near)
}

// Tool returns the tool with a name. The error is a [NameError]: a name is never guessed. It is
// a [wayfind.Error] if the definition can no longer be read.
func (b *Box) Tool(name string) (*Tool, error) {
	b.must()
	t, err := b.listed(name)
	if err == nil {
		err = t.complete()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// listed returns the tool with a name, in the form of Tools.
func (b *Box) listed(name string) (*Tool, error) {
	if i, ok := b.place(name); ok {
		t := b.tools[i]
		return &t, nil
	}
	return nil, &NameError{name, b.nearest(name)}
}

// place returns the index of a tool.
func (b *Box) place(name string) (int, bool) {
	i, ok := b.byName[strings.ToLower(name)]
	return i, ok && b.tools[i].Name == name
}

// nearest returns the names that are most similar to a name.
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

// Search finds tools by words, best first, and returns at most most of them. A tool whose name
// is equal to the query is first.
func (b *Box) Search(query string, most int) (hits []Hit) {
	b.must()
	for _, f := range b.search(query, most) {
		t := b.tools[f.Entry]
		hits = append(hits, Hit{&t, f.Score})
	}
	return hits
}

// search puts the tool whose name is equal to the query before the tools that its words find.
func (b *Box) search(query string, most int) []rank.Hit {
	hits := b.index.Search(query, most)
	i, ok := b.byName[strings.ToLower(strings.TrimSpace(query))]
	if !ok || most <= 0 {
		return hits
	}
	hits = slices.DeleteFunc(hits, func(h rank.Hit) bool { return h.Entry == i })
	return append([]rank.Hit{{Entry: i, Score: math.Inf(1)}}, hits[:min(len(hits), most-1)]...)
}

// order sorts tools by site, service and name, and builds the search index. So the same tools
// give the same bytes, independently of the order of the requests.
func (b *Box) order(count *fuel.Counter) {
	slices.SortFunc(b.tools, func(p, q Tool) int {
		return cmp.Or(cmp.Compare(p.Origin, q.Origin), cmp.Compare(p.Service.ID, q.Service.ID), cmp.Compare(p.Name, q.Name))
	})
	b.byName = make(map[string]int, len(b.tools))
	for i := range b.tools {
		b.byName[strings.ToLower(b.tools[i].Name)] = i
	}
	b.relate(count)
	b.share()
	share := max(leastTexts, maxTexts/max(len(b.tools), 1))
	entries := make([]rank.Entry, len(b.tools))
	for i := range b.tools {
		entries[i] = b.tools[i].entry(share)
	}
	b.index = rank.New(count, len(entries), func(i int) rank.Entry { return entries[i] })
}

const (
	// maxTexts is the maximum length of the searched texts about the arguments of all tools, in
	// bytes. Many tools can share one schema.
	maxTexts = 3 << 20
	// leastTexts is the number of bytes of each tool that are searched in any case, outer
	// properties first.
	leastTexts = 512
	// maxServiceText is the maximum length of the searched text of a service, in bytes. Each of
	// its tools has it.
	maxServiceText = 512
)

// entry returns the searched texts of a tool, with at most share bytes about its arguments.
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

// words returns the texts about the arguments: the texts of their schema, or the names of the
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
