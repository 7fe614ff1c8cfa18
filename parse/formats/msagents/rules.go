package msagents

import "github.com/wayfindhq/wayfind/parse"

// rules explain the diagnostics of the format to publishers.
func rules() []parse.Rule {
	return []parse.Rule{
		{Code: "bare_array", Means: "The list stands alone where an object with the member `agents` belongs.",
			Mend: "Wrap the array: `{\"agents\": [...]}`."},
		{Code: "detail_list", Means: "A list was served at the place of the document about one agent.",
			Mend: "Serve the entry of that agent alone, without `agents` around it."},
		{Code: "detail_name", Means: "The document about an agent gives another name than the list that leads to it.",
			Mend: "Use the same name in the list, in the document and in its path."},
		{Code: "duplicate_name", Means: "Two agents of the list have the same name, so nobody can tell which of them is spoken to.",
			Mend: "Give every agent a name of its own."},
		{Code: "duplicate_tool", Means: "An agent lists the same tool twice.",
			Mend: "List every tool once."},
		{Code: "empty", Means: "The list holds no agents.",
			Mend: "Nothing has to be done if there are none, or none that everybody may see. It is reported because an empty list is often a mistake."},
		{Code: "name_empty", Means: "The name of an agent is empty, so nobody can talk to it, and it was left out.",
			Mend: "Give the agent a name."},
		{Code: "name_path", Means: "The name of an agent cannot stand in a URL, so it is not known where the agent is spoken to.",
			Mend: "Choose a shorter name without `.` or `..` between slashes."},
		{Code: "origin_unknown", Means: "It is not known which site served the document, so its agents have no address.",
			Mend: "Nothing has to be done in the document. Read it from its URL, or say what its URL is."},
		{Code: "partial", Means: "The list is one page of several, or may be, and further pages are not read.",
			Mend: "Serve all agents in one list, and leave out members and `Link` headers that are about pages."},
		{Code: "problem", Means: "The answer is the description of an error, although its status is that of success.",
			Mend: "Send errors with a status of 400 or above. Find out from the message why there was one."},
		{Code: "tool_name", Means: "A tool has no name, so it was left out.",
			Mend: "List tools as strings, or as objects with a `name`."},
		{Code: "truncated", Means: "There are more agents and tools than are read.",
			Mend: "List at most 1,000 agents and tools, all together."},
		{Code: "unknown_member", Means: "A member beside the list is not known, so it was not read.",
			Mend: "Nothing has to be done. If it says something about an agent, put it into the entry of that agent."},
		{Code: "unversioned_path", Means: "The list of the design is served at `/agents`, where nothing says how its agents are spoken to.",
			Mend: "Serve the list at `/agents/v1`."},
		{Code: "version_syntax", Means: "The version of an agent is not a semantic version.",
			Mend: "Write three numbers with points between them, as in `1.0.0`."},
	}
}
