package msagents

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBareArray, ruleDetailList, ruleDetailName, ruleDuplicateName, ruleDuplicateTool, ruleEmpty, ruleNameEmpty,
		ruleNamePath, ruleOriginUnknown, rulePartial, ruleProblem, ruleToolName, ruleTruncated, ruleUnknownMember,
		ruleUnversionedPath, ruleVersionSyntax,
	}
}

// The rules of the format.
var (
	ruleBareArray = parse.Rule{Code: "bare_array", Severity: wayfind.SeverityError, Section: secList,
		Means: "The list stands alone where an object with the member `agents` belongs.",
		Mend:  "Wrap the array: `{\"agents\": [...]}`."}
	ruleDetailList = parse.Rule{Code: "detail_list", Severity: wayfind.SeverityError, Section: secList,
		Means: "A list was served at the place of the document about one agent.",
		Mend:  "Serve the entry of that agent alone, without `agents` around it."}
	ruleDetailName = parse.Rule{Code: "detail_name", Severity: wayfind.SeverityWarning,
		Means: "The document about an agent gives another name than the list that leads to it.",
		Mend:  "Use the same name in the list, in the document and in its path."}
	ruleDuplicateName = parse.Rule{Code: "duplicate_name", Severity: wayfind.SeverityError,
		Means: "Two agents of the list have the same name, so nobody can tell which of them is spoken to.",
		Mend:  "Give every agent a name of its own."}
	ruleDuplicateTool = parse.Rule{Code: "duplicate_tool", Severity: wayfind.SeverityWarning,
		Means: "An agent lists the same tool twice.",
		Mend:  "List every tool once."}
	ruleEmpty = parse.Rule{Code: "empty", Severity: wayfind.SeverityInfo, Section: secList,
		Means: "The list holds no agents.",
		Mend:  "Nothing has to be done if there are none, or none that everybody may see. It is reported because an empty list is often a mistake."}
	ruleNameEmpty = parse.Rule{Code: "name_empty", Severity: wayfind.SeverityError,
		Means: "The name of an agent is empty, so nobody can talk to it, and it was left out.",
		Mend:  "Give the agent a name."}
	ruleNamePath = parse.Rule{Code: "name_path", Severity: wayfind.SeverityWarning, Section: secTalk,
		Means: "The name of an agent cannot stand in a URL, so it is not known where the agent is spoken to.",
		Mend:  "Choose a shorter name without `.` or `..` between slashes."}
	ruleOriginUnknown = parse.Rule{Code: "origin_unknown", Severity: wayfind.SeverityInfo, Section: secTalk,
		Means: "It is not known which site served the document, so its agents have no address.",
		Mend:  "Nothing has to be done in the document. Read it from its URL, or say what its URL is."}
	rulePartial = parse.Rule{Code: "partial", Severity: wayfind.SeverityWarning, Section: secCaching,
		Means: "The list is one page of several, or may be, and further pages are not read.",
		Mend:  "Serve all agents in one list, and leave out members and `Link` headers that are about pages."}
	ruleProblem = parse.Rule{Code: "problem", Severity: wayfind.SeverityError, Section: secErrors,
		Means: "The answer is the description of an error, although its status is that of success.",
		Mend:  "Send errors with a status of 400 or above. Find out from the message why there was one."}
	ruleToolName = parse.Rule{Code: "tool_name", Severity: wayfind.SeverityWarning,
		Means: "A tool has no name, so it was left out.",
		Mend:  "List tools as strings, or as objects with a `name`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secList,
		Means: "There are more agents and tools than are read.",
		Mend:  "List at most 1,000 agents and tools, all together."}
	ruleUnknownMember = parse.Rule{Code: "unknown_member", Severity: wayfind.SeverityInfo,
		Means: "A member beside the list is not known, so it was not read.",
		Mend:  "Nothing has to be done. If it says something about an agent, put it into the entry of that agent."}
	ruleUnversionedPath = parse.Rule{Code: "unversioned_path", Severity: wayfind.SeverityWarning, Section: secList,
		Means: "The list of the design is served at `/agents`, where nothing says how its agents are spoken to.",
		Mend:  "Serve the list at `/agents/v1`."}
	ruleVersionSyntax = parse.Rule{Code: "version_syntax", Severity: wayfind.SeverityInfo,
		Means: "The version of an agent is not a semantic version.",
		Mend:  "Write three numbers with points between them, as in `1.0.0`."}
)

// The rules of all formats that are reported here as well.
var (
	ruleWrongType = parse.ReaderRule("wrong_type")
)
