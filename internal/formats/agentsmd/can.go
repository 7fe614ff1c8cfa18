package agentsmd

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// longItem is the length, in bytes, above which an item is hardly a statement.
const longItem = 500

// cannots reads the sections of restrictions (§3). They become restrictions of the
// service and policies of the site. Prose is read too, so that no restriction is
// omitted because of its form. The result contains the slugs of the restrictions.
func (r *reader) cannots() map[string]bool {
	forbidden := map[string]bool{}
	for _, g := range r.outline.with(cannot) {
		list, _ := g.items()
		if len(list) == 0 {
			list = g.prose()
			r.ReportLine(ruleNoList.AsInfo(), g.head().Line, "the section %q has no list", g.head().Title)
		}
		for _, i := range list {
			s := read(i)
			forbidden[s.path] = true
			text := i.text()
			for n := len(i.parents) - 1; n >= 0; n-- {
				text = strings.TrimRight(i.parents[n], ": ") + ": " + text
			}
			r.service.Restrictions = append(r.service.Restrictions, text)
			r.policy(wayfind.Policy{Kind: "cannot", Text: text, Sources: r.at(i.line)})
		}
	}
	return forbidden
}

// cans reads the sections of capabilities (§3). Each list item is a statement.
func (r *reader) cans(forbidden map[string]bool) {
	seen := map[string]int{}
	total := 0
	for _, g := range r.outline.with(can) {
		list, rest := g.items()
		if len(list) == 0 {
			r.ReportLine(ruleNoList, g.head().Line, "the section %q has no list, so it states no capability", g.head().Title)
		}
		if rest {
			r.extend(g.sections...)
		}
		for _, i := range list {
			s := read(i)
			if forbidden[s.slug] || forbidden[s.path] {
				r.ReportLine(ruleConflict, i.line, "%q stands under Can and under Cannot; it was left out", s.name)
				continue
			}
			if total++; total <= parse.DefaultItems {
				r.can(s, seen)
			}
		}
	}
	if total > parse.DefaultItems {
		r.ReportLine(ruleTruncated.Beyond("capabilities", total, parse.DefaultItems), 0, "of %d capabilities the first %d were read", total, parse.DefaultItems)
	}
}

// can adds a capability. seen maps an ID to the index of the capability that has it.
func (r *reader) can(s statement, seen map[string]int) {
	c := wayfind.Capability{
		ID: s.path, Name: s.name, Kind: wayfind.KindStatement, Claimed: true, Sources: r.at(s.line),
	}
	text := s.text()
	if text != s.name {
		c.Description = text
	}
	if s.heading != "" {
		c.Tags = []string{s.heading}
	}
	if s.needsAuth {
		c.Auth = &wayfind.Auth{Unknown: true}
	}
	if s.needsPerson {
		yes := true
		c.Effects = &wayfind.Effects{NeedsConfirmation: &yes}
	}
	if len(text) > longItem {
		r.ReportLine(ruleLongItem, s.line, "an item has %d bytes; a statement is a sentence", len(text))
	}
	first, twice := seen[c.ID]
	switch {
	case twice && r.service.Capabilities[first].Name == c.Name:
		r.ReportLine(ruleDuplicateItem, s.line, "%q stands there twice; the second was left out", s.name)
		adopt(&r.service.Capabilities[first], &c)
		return
	case twice:
		r.ReportLine(ruleDuplicateID, s.line, "%q and %q have the same ID %q", r.service.Capabilities[first].Name, s.name, c.ID)
	default:
		seen[c.ID] = len(r.service.Capabilities)
	}
	r.service.Capabilities = append(r.service.Capabilities, c)
}

// adopt adds the requirements of the second of two equal statements to the first.
func adopt(first, second *wayfind.Capability) {
	if first.Auth == nil {
		first.Auth = second.Auth
	}
	if first.Effects == nil {
		first.Effects = second.Effects
	}
}
