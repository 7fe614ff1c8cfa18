package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/security/schema"
)

// The names of the tools that replace all others if a vendor has no search of its own. They are
// the same for every Box.
const (
	MetaSearch   = "wayfind_search"
	MetaDescribe = "wayfind_describe"
	MetaCall     = "wayfind_call"
)

// The arguments of these tools.
const (
	searchInput   = `{"type":"object","properties":{"query":{"type":"string","description":"What a tool should do, in the words that it would use of itself."},"limit":{"type":"integer","description":"How many tools, at most 10."},"site":{"type":"string","description":"Only tools of this site."},"read_only":{"type":"boolean","description":"Only tools that change nothing."}},"required":["query"],"additionalProperties":false}`
	describeInput = `{"type":"object","properties":{"name":{"type":"string","description":"Name of a tool that was found."}},"required":["name"],"additionalProperties":false}`
	callInput     = `{"type":"object","properties":{"name":{"type":"string","description":"Name of a tool that was described."},"arguments":{"type":"object","description":"Its arguments."}},"required":["name"]}`
)

// behind returns the description of the search. It changes only if the sites, the number of their
// tools, the domains that could not be asked or the statements of sites change, so prompt caches
// remain valid. most is the maximum length of a vendor, in bytes, or zero. Words of ours are always
// whole: where there is little room, sites and statements are counted.
func (b *Box) behind(most int) string {
	most = cmp.Or(most, math.MaxInt)
	counts := make(map[string]int)
	for i := range b.tools {
		counts[b.tools[i].Domain]++
	}
	var list []string
	room := most / 2
	for _, domain := range slices.Sorted(maps.Keys(counts)) {
		named := fmt.Sprintf("%s (%d)", domain, counts[domain])
		if room -= len(named) + len(", "); len(list) == maxFull || room < 0 {
			break
		}
		list = append(list, named)
	}
	if more := len(counts) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more sites", more))
	}
	words := fmt.Sprintf("Finds tools by their purpose. There are %d tools: %s. Search again with other words if nothing fits.", len(b.tools), strings.Join(list, ", "))
	return strings.TrimSpace(words + " " + b.note(most-len(words)-1))
}

// Note returns a text for the model with the domains that could not be asked, that could be
// asked only in part (see wayfind.Site.Incomplete), or that have a document or a list that could
// not be read. For them a missing tool does not prove that the site does not offer it. It also has
// what the sites state about all of their tools: that a service is not operational, what agents
// must not do, and advice. These are sentences of this package with texts of the site in quotes,
// at most 1 KiB for a site and 2 KiB for all. The note is empty if all domains were asked and
// read, and none states such a thing.
func (b *Box) Note() string {
	b.must()
	return b.note(math.MaxInt)
}

// note returns the note with at most a number of bytes.
func (b *Box) note(most int) string {
	words := b.unasked(maxFull)
	for names := maxFull; len(words) > most; names /= 2 {
		if words = b.unasked(names); names == 0 {
			break
		}
	}
	if len(words) > most {
		words = ""
	}
	if words != "" {
		most -= len(words) + 1
	}
	return strings.TrimSpace(words + " " + b.noted(most))
}

// unasked names the domains that may offer more, at most a number of each kind.
func (b *Box) unasked(most int) string {
	var silent, part, unread []string
	for _, s := range b.skipped {
		switch {
		case s.Asked && s.URL == "", s.Code == CodeUnmatched:
		case s.Whole():
			silent = append(silent, s.Domain)
		case s.Part():
			part = append(part, s.Domain)
		default:
			unread = append(unread, s.Domain)
		}
	}
	var text []string
	for _, l := range []struct {
		words string
		list  []string
	}{{"Could not be asked: ", silent}, {"Could be asked only in part: ", part}, {"Could be read only in part: ", unread}} {
		slices.Sort(l.list)
		list := slices.Compact(l.list)
		switch {
		case len(list) == 0:
		case most == 0:
			text = append(text, fmt.Sprintf("%s%d sites.", l.words, len(list)))
		case len(list) > most:
			text = append(text, fmt.Sprintf("%s%s and %d more.", l.words, strings.Join(list[:most], ", "), len(list)-most))
		default:
			text = append(text, l.words+strings.Join(list, ", ")+".")
		}
	}
	if text == nil {
		return ""
	}
	return strings.Join(text, " ") + " They may offer more than is listed."
}

// MetaTools returns three tools that replace all others: one searches, one describes, and one
// calls. The list is small for a Box of any size. The program that handles a call must check
// the call again, because a tool that was found is not necessarily allowed. The error is a
// [VendorError].
func (b *Box) MetaTools(v Vendor) (json.RawMessage, error) {
	b.must()
	if err := v.check(); err != nil {
		return nil, err
	}
	return b.metaTools(v), nil
}

func (b *Box) metaTools(v Vendor) json.RawMessage { return v.wrap(b.metaList(v)) }

func (b *Box) metaList(v Vendor) []json.RawMessage {
	return []json.RawMessage{
		b.searchTool(v),
		v.own(MetaDescribe, "Gives the definition of a tool that was found, with its arguments.", describeInput),
		v.own(MetaCall, "Calls a tool. Its arguments are those of its definition.", callInput),
	}
}

// RenderFound returns the tools of [Box.MetaTools], and after them the definitions of some tools, such
// as those that a model has found: the first ones that have room, by the limits of the options. Names
// that no tool has are ignored, and so is RenderOptions.Query. For the zero Vendor it is the same as
// Render.
func (b *Box) RenderFound(v Vendor, names []string, opts *RenderOptions) *Definitions {
	b.must()
	if v.check() != nil {
		return b.Render(v, opts)
	}
	var found []int
	for _, name := range names {
		if i, ok := b.place(name); ok && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	meta, limit := b.metaList(v), v.request()
	limit.tools -= len(meta)
	d := b.renderSome(v, opts, limit, b.sharesOf(found, true))
	d.Tools = v.wrap(append(meta, d.List...))
	d.Tokens += EstimateTokens(string(v.wrap(meta)))
	return d
}

func (b *Box) searchTool(v Vendor) json.RawMessage {
	return v.own(MetaSearch, b.behind(v.row.text), searchInput)
}

// Deferred returns tools for a vendor that loads definitions when they are needed, so the
// prompt contains only a search. For OpenAI's Responses this is a tool_search that the client
// executes. For Anthropic it is all definitions, deferred, and a search of ours. For others it
// is the result of MetaTools. [Box.Answer] answers the search. For the zero Vendor there is no
// search: all tools are in Skipped, as with Render.
func (b *Box) Deferred(v Vendor, strict bool) *Definitions {
	b.must()
	limit := v.request()
	limit.tools = maxTools // they are not in the request, or are not included in its limit
	d := b.render(v, &RenderOptions{Strict: strict, Bytes: maxDeferred}, limit)
	switch {
	case v.check() != nil:
		return d
	case v.row.later == nil:
		d.Tools = b.metaTools(v)
	default:
		d.Tools = v.wrap(v.row.later(b, v, d))
	}
	d.Tokens = EstimateTokens(string(d.Tools))
	return d
}

// toolSearch returns a search that the client executes.
func (b *Box) toolSearch(v Vendor, _ *Definitions) []json.RawMessage {
	return []json.RawMessage{object{{"type", "tool_search"}, {"execution", "client"}, {"description", b.behind(v.row.text)}, {"parameters", json.RawMessage(searchInput)}}.json()}
}

// loadedLater returns a search of ours and all definitions.
func (b *Box) loadedLater(v Vendor, d *Definitions) []json.RawMessage {
	list := []json.RawMessage{b.searchTool(v)}
	for _, raw := range d.List {
		list = append(list, later(raw))
	}
	return list
}

// later marks a definition as loaded on demand.
func later(raw json.RawMessage) json.RawMessage {
	return append(raw[:len(raw)-1:len(raw)-1], `,"defer_loading":true}`...)
}

// Define returns one definition in the form of a vendor's API, which is also the answer to
// [MetaDescribe]. The form of AnthropicMessages suits frameworks that write the definitions of
// their models themselves: its members are name, description and, as plain JSON Schema,
// input_schema. The Projection converts the arguments of the model (with MetaTools, those of
// [MetaCall]) back; so does Caller.With of package call, with a [Form] of the same vendor. The
// error is a [VendorError], or an error of [Box.Tool] or of [schema.Schema.For].
func (b *Box) Define(v Vendor, name string, strict bool) (json.RawMessage, *schema.Projection, error) {
	b.must()
	t, err := b.listed(name)
	if err != nil {
		return nil, nil, err
	}
	return t.render(v, strict)
}
