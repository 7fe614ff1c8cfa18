package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/security/schema"
)

// The names of the tools that stand for all others, where a vendor has no search
// of its own. They are the same for every Box.
const (
	MetaSearch   = "wayfind_search"
	MetaDescribe = "wayfind_describe"
	MetaCall     = "wayfind_call"
)

// The arguments of those.
const (
	searchInput   = `{"type":"object","properties":{"query":{"type":"string","description":"What a tool should do, in the words that it would use of itself."},"limit":{"type":"integer","description":"How many tools, at most 10."},"site":{"type":"string","description":"Only tools of this site."},"read_only":{"type":"boolean","description":"Only tools that change nothing."}},"required":["query"],"additionalProperties":false}`
	describeInput = `{"type":"object","properties":{"name":{"type":"string","description":"Name of a tool that was found."}},"required":["name"],"additionalProperties":false}`
	callInput     = `{"type":"object","properties":{"name":{"type":"string","description":"Name of a tool that was described."},"arguments":{"type":"object","description":"Its arguments."}},"required":["name"]}`
)

// behind describes the search. It changes only with the sites, the number of
// their tools and the domains that could not be asked, so that prompt caches
// stay valid.
func (b *Box) behind() string {
	counts := make(map[string]int)
	for i := range b.tools {
		counts[b.tools[i].Domain]++
	}
	var list []string
	for i, domain := range slices.Sorted(maps.Keys(counts)) {
		if i == maxFull {
			list = append(list, fmt.Sprintf("and %d more sites", len(counts)-i))
			break
		}
		list = append(list, fmt.Sprintf("%s (%d)", domain, counts[domain]))
	}
	return strings.TrimSpace(fmt.Sprintf("Finds tools by their purpose. There are %d tools: %s. Search again with other words if nothing fits. %s", len(b.tools), strings.Join(list, ", "), b.Note()))
}

// Note tells the model in a sentence which domains could not be asked, or have a document
// that could not be read, because a missing tool does not prove that its site offers
// none. It is empty when all were asked and read.
func (b *Box) Note() string {
	var silent, part []string
	for _, s := range b.skipped {
		switch {
		case s.Asked && s.URL == "", s.Code == CodeUnmatched:
		case s.Whole():
			silent = append(silent, s.Domain)
		default:
			part = append(part, s.Domain)
		}
	}
	var text []string
	for _, l := range []struct {
		words string
		list  []string
	}{{"Could not be asked: ", silent}, {"Could be asked only in part: ", part}} {
		slices.Sort(l.list)
		if list := slices.Compact(l.list); len(list) > maxFull {
			text = append(text, fmt.Sprintf("%s%s and %d more.", l.words, strings.Join(list[:maxFull], ", "), len(list)-maxFull))
		} else if len(list) > 0 {
			text = append(text, l.words+strings.Join(list, ", ")+".")
		}
	}
	if text == nil {
		return ""
	}
	return strings.Join(text, " ") + " They may offer more than is listed."
}

// MetaTools writes three tools that stand for all: one finds, one describes,
// one calls. The list stays small for a Box of any size. The program that
// answers a call must check it again: a tool that was found is not thereby
// allowed. The error is a [VendorError].
func (b *Box) MetaTools(v Vendor) (json.RawMessage, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	return b.metaTools(v), nil
}

func (b *Box) metaTools(v Vendor) json.RawMessage {
	return v.wrap([]json.RawMessage{
		b.searchTool(v),
		v.own(MetaDescribe, "Gives the definition of a tool that was found, with its arguments.", describeInput),
		v.own(MetaCall, "Calls a tool. Its arguments are those of its definition.", callInput),
	})
}

func (b *Box) searchTool(v Vendor) json.RawMessage { return v.own(MetaSearch, b.behind(), searchInput) }

// Deferred writes tools for a vendor that loads definitions when they are
// needed, so that the prompt holds only a search. For OpenAI's Responses that
// is a client's tool_search. For Anthropic it is all definitions, deferred,
// behind a search of ours. For others it is MetaTools. [Box.Answer] answers the
// search. For the zero Vendor there is no search either: all tools are in Skipped, as
// by Render.
func (b *Box) Deferred(v Vendor, strict bool) *Definitions {
	limit := v.request()
	limit.tools = MaxTools // they are not in the request, or do not count there
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

// toolSearch is a search that the client carries out.
func (b *Box) toolSearch(Vendor, *Definitions) []json.RawMessage {
	return []json.RawMessage{object{{"type", "tool_search"}, {"execution", "client"}, {"description", b.behind()}, {"parameters", json.RawMessage(searchInput)}}.json()}
}

// loadedLater are a search of ours and all definitions.
func (b *Box) loadedLater(v Vendor, d *Definitions) []json.RawMessage {
	list := []json.RawMessage{b.searchTool(v)}
	for _, raw := range d.List {
		list = append(list, later(raw))
	}
	return list
}

// later marks a definition that is loaded on demand.
func later(raw json.RawMessage) json.RawMessage {
	return append(raw[:len(raw)-1:len(raw)-1], `,"defer_loading":true}`...)
}

// Define writes one definition, the answer to [MetaDescribe]. The Projection
// turns the arguments of [MetaCall] back. The error is that of [Box.Tool] or of
// [schema.Schema.For], or a [VendorError].
func (b *Box) Define(v Vendor, name string, strict bool) (json.RawMessage, *schema.Projection, error) {
	t, err := b.listed(name)
	if err != nil {
		return nil, nil, err
	}
	return t.render(v, strict)
}
