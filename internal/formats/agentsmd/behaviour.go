package agentsmd

import (
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
)

// behaviours reads the sections of rules (§3). Each rule is a wish of the site. The
// words of a rule determine its kind and its rate.
func (r *reader) behaviours() {
	for _, g := range r.outline.with(behaviour) {
		list, _ := g.items()
		if len(list) == 0 {
			list = g.prose()
			r.ReportLine(ruleNoList.AsInfo(), g.head().Line, "the section %q has no list", g.head().Title)
		}
		for _, i := range list {
			p := wayfind.Policy{Kind: "behaviour", Text: i.text(), Sources: r.at(i.line)}
			words := lower(oneLine(p.Text))
			switch limit := limitOf(words, p.Text); {
			case limit != nil:
				p.Kind, p.Limit = "rate_limit", limit
			case strings.Contains(words, "cache") || strings.Contains(words, "caching"):
				p.Kind = "cache"
			case strings.Contains(words, "identify") || strings.Contains(words, "user-agent") || strings.Contains(words, "user agent"):
				p.Kind = "identify"
			}
			r.policy(p)
		}
	}
}

// limitOf reads a limit from a rule: a rate in one of the usual forms, a number after
// a word such as "max", or only the text of the rule. It returns nil if the rule has
// another subject.
func limitOf(words, text string) *wayfind.Limit {
	if l, ok := paramspec.Rate(words); ok {
		return &l
	}
	fields := strings.FieldsFunc(words, func(c rune) bool { return c == ' ' || c == ':' })
	for i, w := range fields {
		switch {
		case w == "max" || w == "maximum" || w == "max." || w == "most" && i > 0 && fields[i-1] == "at":
		case w == "than" && i > 1 && fields[i-1] == "more" && fields[i-2] == "no":
		default:
			continue
		}
		if i+1 < len(fields) {
			if n, err := strconv.ParseInt(strings.ReplaceAll(fields[i+1], ",", ""), 10, 64); err == nil && n > 0 {
				return &wayfind.Limit{N: n, Text: text}
			}
		}
	}
	asks := strings.Contains(words, "request") || strings.Contains(words, "rate limit")
	if asks && strings.ContainsAny(words, "0123456789") || strings.Contains(words, "rate limit") {
		return &wayfind.Limit{Text: text}
	}
	return nil
}
