package tools

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/wayfindhq/wayfind/internal/run/nilness"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Brief is a tool in a few words.
type Brief struct {
	Name string
	// Text is the first sentence of its description, at most 120 bytes.
	Text string
}

// Selection is the part of a Box that fits a number of tokens: the best tools in full, others
// with their first sentence, others with their name, and the number of the remaining tools.
type Selection struct {
	// Full are the tools to be rendered; Brief, Names and Left are for a text. Full is sorted
	// with the best first; the others are in the order of the Box.
	Full  []*Tool
	Brief []Brief
	Names []string
	// Left is the number of tools, by domain, that do not fit even by name.
	Left map[string]int
	// Tokens is the number of tokens of the selection.
	Tokens int

	box *Box
}

// Render writes the tools of Full for a vendor. A definition that did not fit in full is
// shortened in the same way as when it was selected, and its losses are in
// [Definitions.Losses]. Box.Define writes the complete definition.
func (s *Selection) Render(v Vendor, strict bool) *Definitions {
	own := &Box{skipped: s.box.skipped}
	for _, t := range s.Full {
		own.tools = append(own.tools, *t)
	}
	d := own.Render(v, &RenderOptions{Strict: strict})
	d.Form.from = s.box
	return d
}

// maxFull is the maximum number of tools in full if not all tools fit, because models choose
// worse among more tools.
const maxFull = 20

// Fit selects the tools for a query that fit a number of tokens. If the definition of a tool
// does not fit, the tool is in full with a shorter one, by the steps of [schema.Brevity].
// Without a query no tool is preferred, so no tool is in full unless all are. Where not all fit, each
// site gets an equal part of the room, as in [Box.Render]. The function count returns the number of tokens of a text; if it is nil, [EstimateTokens] is used.
func (b *Box) Fit(query string, tokens int, count func(string) int) *Selection {
	b.must()
	if count == nil {
		count = EstimateTokens
	}
	f := fitting{box: b, left: tokens, count: count, s: &Selection{box: b, Left: make(map[string]int)}, done: make([]bool, len(b.tools))}
	f.full(query)
	f.brief()
	f.s.Tokens = tokens - f.left
	return f.s
}

type fitting struct {
	box   *Box
	left  int
	count func(string) int
	s     *Selection
	done  []bool
}

// takes uses tokens if there are enough.
func (f *fitting) takes(text string) bool {
	size := f.count(text)
	if size > f.left {
		return false
	}
	f.left -= size
	return true
}

// full adds all tools if they fit, and otherwise the best ones for the query.
func (f *fitting) full(query string) {
	total := 0
	var good []int
	for i := range f.box.tools {
		if size, err := f.size(i); err == nil {
			total += size
			good = append(good, i)
		}
		if total > f.left { // the others need not be counted
			f.best(query)
			return
		}
	}
	for i := range f.done {
		f.done[i] = true
	}
	for _, i := range good {
		f.add(i, schema.Whole)
	}
	f.left -= total
}

// size returns the number of tokens of a definition.
func (f *fitting) size(i int) (int, error) {
	raw, _, err := f.box.tools[i].render(OpenAIChat, false)
	return f.count(string(raw)), err
}

// best adds the best tools for a query.
func (f *fitting) best(query string) {
	if query == "" {
		return
	}
	// The other half is for tools that the model may search for next.
	half := f.left / 2
	var found []int
	for _, hit := range f.box.search(query, len(f.box.tools)) {
		found = append(found, hit.Entry)
	}
	chosen := make(map[int]schema.Brevity)
	list := f.box.sharesOf(found, true)
	for tries := 3 * maxFull; tries > 0 && len(chosen) < maxFull; tries-- {
		i, site := list.next()
		if site == nil {
			break
		}
		size := 0
		w, ok, err := f.box.tools[i].within(OpenAIChat, false, func(raw json.RawMessage) bool {
			size = f.count(string(raw))
			return size <= f.left-half
		})
		if err == nil && ok {
			f.left -= size
			site.used += float64(size)
			f.done[i] = true
			chosen[i] = w.brevity
		}
	}
	for _, i := range found { // the best first
		if b, ok := chosen[i]; ok {
			f.add(i, b)
		}
	}
}

func (f *fitting) add(i int, b schema.Brevity) {
	t := f.box.tools[i]
	t.brevity = b
	f.s.Full = append(f.s.Full, &t)
}

// brief adds first sentences as long as the names of the other tools fit, then names, then
// numbers.
func (f *fitting) brief() {
	names := 0
	for i := range f.box.tools {
		if !f.done[i] {
			names += f.count(f.box.tools[i].Name + "\n")
		}
	}
	var left []int
	for i := range f.box.tools {
		if !f.done[i] {
			left = append(left, i)
		}
	}
	lines := make(map[int]string)
	list := f.box.sharesOf(left, false)
	for i, site := list.next(); site != nil; i, site = list.next() {
		t, before := &f.box.tools[i], f.left
		name := f.count(t.Name + "\n")
		names -= name
		text := t.brief()
		switch size := f.count(t.Name + ": " + text + "\n"); {
		case text != "" && size+names <= f.left:
			f.left -= size
			lines[i] = text
		case f.takes(t.Name + "\n"):
			lines[i] = ""
		default:
			f.s.Left[t.Domain]++
		}
		site.used += float64(before - f.left)
	}
	for _, i := range left {
		switch text, ok := lines[i]; {
		case text != "":
			f.s.Brief = append(f.s.Brief, Brief{f.box.tools[i].Name, text})
		case ok:
			f.s.Names = append(f.s.Names, f.box.tools[i].Name)
		}
	}
}

// Ranker orders tools better than a search by words can, by embeddings for example.
type Ranker interface {
	// Rank returns the indices of the tools in the list, best first. Missing indices are placed
	// last, in their previous order.
	Rank(ctx context.Context, query string, list []*Tool) ([]int, error)
}

var errNoRanker = errors.New("tools: the Ranker is nil")

// rankedHits is the number of tools that are passed to a Ranker.
const rankedHits = 50

// SearchRanked is like Search, but a Ranker orders the best 50 tools. If the Ranker fails, the
// hits of Search are returned together with the error.
func (b *Box) SearchRanked(ctx context.Context, query string, most int, r Ranker) ([]Hit, error) {
	b.must()
	hits := b.Search(query, max(most, rankedHits))
	list := make([]*Tool, len(hits))
	for i := range hits {
		list[i] = hits[i].Tool
	}
	err := errNoRanker
	var order []int
	if !nilness.Of(r) {
		order, err = r.Rank(ctx, query, list)
	}
	if err != nil {
		return hits[:min(len(hits), most)], err
	}
	ranked := make([]Hit, 0, len(hits))
	seen := make([]bool, len(hits))
	for _, i := range order {
		if i >= 0 && i < len(hits) && !seen[i] {
			seen[i] = true
			ranked = append(ranked, hits[i])
		}
	}
	for i, hit := range hits {
		if !seen[i] {
			ranked = append(ranked, hit)
		}
	}
	return ranked[:min(len(ranked), most)], nil
}
