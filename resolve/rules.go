package resolve

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// Rules returns the rules about targets, in alphabetical order of their codes.
func Rules() []parse.Rule {
	return []parse.Rule{ruleFragmentDropped, ruleHostHomograph, ruleHostMapped}
}

var (
	ruleFragmentDropped = parse.Rule{Code: "target.fragment_dropped", Severity: wayfind.SeverityInfo,
		Means: "The target has a fragment, which has no meaning in a target.",
		Mend:  "Name the domain without the number sign and the text after it."}
	ruleHostHomograph = parse.Rule{Code: "target.host_homograph", Severity: wayfind.SeverityWarning,
		Means: "A part of the host name consists of letters that look like Latin letters but are not.",
		Mend:  "Make sure that this is the name you mean."}
	ruleHostMapped = parse.Rule{Code: "target.host_mapped", Severity: wayfind.SeverityWarning,
		Means: "The host name was written with characters that stand for other characters.",
		Mend:  "Write the name that the message gives."}
)

// ruleOf returns the rule for a note of package security about a host.
func ruleOf(note security.Note) (rule parse.Rule) {
	list := Rules()
	if i := slices.IndexFunc(list, func(r parse.Rule) bool { return r.Code == note.Code }); i >= 0 {
		rule = list[i]
	}
	return rule
}
