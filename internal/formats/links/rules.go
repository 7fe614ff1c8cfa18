package links

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{ruleAnchor, ruleRel, ruleSyntax, ruleTruncated}
}

// The rules of the format.
var (
	ruleAnchor = parse.Rule{Code: "anchor", Severity: wayfind.SeverityInfo, Section: "§3.2",
		Means: "The anchor of a link names another host. The link is about that host and was ignored.",
		Mend:  "Leave the `anchor` out, or send the link from the host that it is about."}
	ruleRel = parse.Rule{Code: "rel", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "A link of the Link field has no relation. It was ignored.",
		Mend:  "Add the parameter `rel`, as in `</openapi.json>; rel=\"service-desc\"`."}
	ruleSyntax = parse.Rule{Code: "syntax", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "A part of the Link field is not a link. It was ignored.",
		Mend:  "Write each link as a URL in angle brackets with its parameters, as in `</openapi.json>; rel=\"service-desc\"`, and commas between links."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "There are too many links, or the Link field is too long. The rest was not read, or is not followed.",
		Mend:  "List the documents in an API catalog or an AI Catalog and link to that."}
)

// The rules of all formats that are reported here as well.
var ruleBadURL = parse.ReaderRule("bad_url")
