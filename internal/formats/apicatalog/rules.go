package apicatalog

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAnchor, ruleBare, ruleForPeople, ruleFlat, ruleSingle, ruleMember, ruleProfile, ruleRelation, ruleRelative,
		ruleTarget, ruleRel, ruleTemplate, ruleTruncated,
	}
}

var (
	ruleAnchor = parse.Rule{Code: "anchor", Severity: wayfind.SeverityError, Section: secContext,
		Means: "The anchor of a context is not a URL that an API can have. Its links were read, and no service was made of it.",
		Mend:  "Write the https URL of the API."}
	ruleBare = parse.Rule{Code: "bare_target", Severity: wayfind.SeverityWarning, Section: secTarget,
		Means: "The target of a link is a string. It was read as its `href`.",
		Mend:  "Write each target as an object: `[{\"href\": \"https://api.shop.example/openapi.json\"}]`."}
	ruleFlat = parse.Rule{Code: "flat_link", Severity: wayfind.SeverityWarning, Section: secContext,
		Means: "The linkset lists links with `anchor`, `rel` and `href` where contexts belong. Each was read as the only link of a context.",
		Mend:  "Write a context for each anchor, with the relations as names of members."}
	ruleForPeople = parse.Rule{Code: "desc_for_people", Severity: wayfind.SeverityWarning, Section: secRelation,
		Means: "The target of `service-desc` is a page for people. Programs learn nothing from it.",
		Mend:  "Link the page as `service-doc`, and a description such as OpenAPI as `service-desc`."}
	ruleMember = parse.Rule{Code: "other_member", Severity: wayfind.SeverityError, Section: secJSON,
		Means: "The document has a member beside `linkset`, which must be the only one.",
		Mend:  "Remove the member."}
	ruleProfile = parse.Rule{Code: "profile", Severity: wayfind.SeverityWarning, Section: secCatalog,
		Means: "The media type does not say that the linkset is an API catalogue.",
		Mend:  "Send `Content-Type: application/linkset+json;profile=\"https://www.rfc-editor.org/info/rfc9727\"`."}
	ruleRel = parse.Rule{Code: "target_rel", Severity: wayfind.SeverityWarning, Section: secTarget,
		Means: "A target says itself what its relation is, in `rel`. That was read instead of the relation that it stands under.",
		Mend:  "Write the relation as the name of the member that holds the targets, and remove `rel`."}
	ruleRelation = parse.Rule{Code: "relation", Severity: wayfind.SeverityWarning, Section: secContext,
		Means: "A member of a context, or an element of its list, is not a target of a link. It was ignored.",
		Mend:  "Let each member of a context but `anchor` be a relation with an array of targets."}
	ruleRelative = parse.Rule{Code: "relative", Severity: wayfind.SeverityInfo, Section: secContext,
		Means: "An anchor or a target is a relative reference. It was resolved against the URL of the catalogue.",
		Mend:  "Write whole URLs, so that a copy of the catalogue means the same."}
	ruleSingle = parse.Rule{Code: "not_array", Severity: wayfind.SeverityError, Section: secContext,
		Means: "One context or one target stands where an array must be.",
		Mend:  "Put it into brackets."}
	ruleTarget = parse.Rule{Code: "target", Severity: wayfind.SeverityError, Section: secTarget,
		Means: "The target of a link is not an http or https URL, or a placeholder was left in it. The link was ignored.",
		Mend:  "Write the https URL of the target."}
	ruleTemplate = parse.Rule{Code: "template", Severity: wayfind.SeverityWarning, Section: secTarget,
		Means: "The target of a link has variables, so it cannot be asked for.",
		Mend:  "Link the description of the API, which says what the variables are."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secLinkset,
		Means: "The catalogue has more contexts, APIs or links than this program reads.",
		Mend:  "List at most 1,000 APIs, and nest catalogues with the relation `api-catalog`."}
)
