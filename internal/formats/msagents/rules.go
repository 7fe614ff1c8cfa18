package msagents

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBareArray, ruleDetailList, ruleDetailName, ruleDuplicateName, ruleDuplicateTool, ruleEmpty, ruleNameEmpty,
		ruleNamePath, ruleOriginUnknown, rulePartial, ruleProblem, ruleToolName, ruleTruncated, ruleUnknownMember,
		ruleUnversionedPath, ruleVersionSyntax,
	}
}

// examples returns values of members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"agents": `[{"id": "planner", "name": "Planner"}]`,
		"id":     `"planner"`,
		"name":   `"Planner"`,
	}
}

// The rules of the format.
var (
	ruleBareArray = parse.Rule{Code: "bare_array", Severity: wayfind.SeverityError, Section: secList,
		Means: "The list is an array. An object with the member `agents` is required.",
		Mend:  "Wrap the array: `{\"agents\": [...]}`."}
	ruleDetailList = parse.Rule{Code: "detail_list", Severity: wayfind.SeverityError, Section: secList,
		Means: "The document about one agent is a list.",
		Mend:  "Serve the entry of that agent alone, without `agents` around it."}
	ruleDetailName = parse.Rule{Code: "detail_name", Severity: wayfind.SeverityWarning,
		Means: "The document about an agent has another name than the list that leads to it.",
		Mend:  "Use the same name in the list, in the document and in its path."}
	ruleDuplicateName = parse.Rule{Code: "duplicate_name", Severity: wayfind.SeverityError,
		Means: "Two agents in the list have the same name. A message could go to either of them.",
		Mend:  "Give every agent a name of its own."}
	ruleDuplicateTool = parse.Rule{Code: "duplicate_tool", Severity: wayfind.SeverityWarning,
		Means: "An agent lists the same tool twice.",
		Mend:  "List every tool once."}
	ruleEmpty = parse.Rule{Code: "empty", Severity: wayfind.SeverityInfo, Section: secList,
		Means: "The list holds no agents.",
		Mend:  "No change is needed if there are no public agents. An empty list is often a mistake."}
	ruleNameEmpty = parse.Rule{Code: "name_empty", Severity: wayfind.SeverityError,
		Means: "An agent has an empty name. It cannot be addressed and was left out.",
		Mend:  "Give the agent a name."}
	ruleNamePath = parse.Rule{Code: "name_path", Severity: wayfind.SeverityWarning, Section: secEndpoints,
		Means: "The name of an agent cannot be part of a URL. The address of the agent is therefore unknown.",
		Mend:  "Choose a shorter name without `.` or `..` between slashes."}
	ruleOriginUnknown = parse.Rule{Code: "origin_unknown", Severity: wayfind.SeverityInfo, Section: secEndpoints,
		Means: "The site that served the document is unknown. The agents have no address.",
		Mend:  "The document needs no change. Read it from its URL, or give its URL."}
	rulePartial = parse.Rule{Code: "partial", Severity: wayfind.SeverityWarning, Section: secCaching,
		Means: "The list is, or may be, one page of several. A client reads the next page if the document names it, at the same path with another query, and up to twenty pages.",
		Mend:  "Serve all agents in one list, without members and `Link` headers for pages."}
	ruleProblem = parse.Rule{Code: "problem", Severity: wayfind.SeverityError, Section: secErrors,
		Means: "The answer describes an error, but its status is that of a success.",
		Mend:  "Send errors with a status of 400 or above. The message says what went wrong."}
	ruleToolName = parse.Rule{Code: "tool_name", Severity: wayfind.SeverityWarning,
		Means: "A tool has no name. It was left out.",
		Mend:  "List tools as strings, or as objects with a `name`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secList,
		Means: "The document has more agents and tools than this program reads.",
		Mend:  "List at most 1,000 agents and tools in total."}
	ruleUnknownMember = parse.Rule{Code: "unknown_member", Severity: wayfind.SeverityInfo,
		Means: "A member beside the list is unknown. It was not read.",
		Mend:  "No change is needed. If the member describes an agent, move it into the entry of that agent."}
	ruleUnversionedPath = parse.Rule{Code: "unversioned_path", Severity: wayfind.SeverityWarning, Section: secList,
		Means: "The list is served at `/agents`. No specification says how to reach the agents there.",
		Mend:  "Serve the list at `/agents/v1`."}
	ruleVersionSyntax = parse.Rule{Code: "version_syntax", Severity: wayfind.SeverityInfo,
		Means: "The version of an agent is not a semantic version.",
		Mend:  "Write three numbers with points between them, as in `1.0.0`."}
)

// The rules of all formats that are reported here as well.
var (
	ruleWrongType = parse.ReaderRule("wrong_type")
)
