package client

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/show/served"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// Explain returns the rule behind a code of wayfind.Diagnostic: its meaning to a publisher, and the
// way to mend it. The Rule's Code is the whole code, for example "adp.base_url_slash". list
// contains the formats that read the document; nil means formats.All() and formats.OnRequest(). ok
// is false if the code has no rule, for example because its format has no Rules.
func Explain(code string, list []*parse.Format) (rule parse.Rule, ok bool) {
	if list == nil {
		list = slices.Concat(formats.All(), formats.OnRequest())
	}
	if r, ok := ruleOf(code, Rules()); ok {
		return r, true
	}
	prefix, name, _ := strings.Cut(code, ".")
	switch prefix {
	case "document":
		return reading.DocumentRule(name), true
	case "signature":
		return provenance.SignatureRule(wayfind.Code(name)), true
	}
	for _, f := range list {
		if f.Name != prefix {
			continue
		}
		if r, ok := ruleOf(name, slices.Concat(f.Rules, parse.ReaderRules())); ok {
			r.Code = code
			return r, true
		}
	}
	return parse.Rule{}, false
}

// ruleOf finds the rule of a code.
func ruleOf(code string, rules []parse.Rule) (parse.Rule, bool) {
	i := slices.IndexFunc(rules, func(r parse.Rule) bool { return r.Code == code })
	if i < 0 {
		return parse.Rule{}, false
	}
	return rules[i], true
}

// Rules returns the rules that belong to no format, sorted by their whole codes. They are about any
// document, about the way it was served, and about the target. The codes "document." and
// "signature." can have other reasons after the dot as well; [Explain] explains each of them.
func Rules() []parse.Rule {
	list := slices.Concat(callresult.Rules(), httpcall.Rules(), parse.BodyRules(), reading.Rules(), resolve.Rules(), merge.Rules(), provenance.Rules(), served.Rules(), discover.Rules(), describe.Rules(), []parse.Rule{
		ruleDev, ruleMetadata, ruleSearchDuplicate, ruleSearchEntry, ruleSearchLimit, ruleSearchPublisher, ruleSearchTarget, ruleUnsafeDial,
		ruleUnsafeProxy,
	})
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}
