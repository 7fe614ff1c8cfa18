package robots

import "github.com/wayfindhq/wayfind/parse"

// rules explain the diagnostics of the format to publishers.
func rules() []parse.Rule {
	return []parse.Rule{
		{Code: "bom", Means: "A byte order mark stands before the text, which was ignored.",
			Mend: "Save the file as UTF-8 without a byte order mark: some crawlers do not read the first line otherwise."},
		{Code: "content_signal", Means: "A content signal is not known, or says neither yes nor no.",
			Mend: "Write `search`, `ai-input` or `ai-train`, each with `=yes` or `=no`, and commas between them."},
		{Code: "crawl_delay", Means: "A crawl delay is not a number of seconds, or longer than a day.",
			Mend: "Write a number of seconds without a unit, as in `Crawl-delay: 10`."},
		{Code: "encoding", Means: "The file is not UTF-8, so some characters were replaced.",
			Mend: "Save the file as UTF-8, and percent-encode other characters than ASCII in paths."},
		{Code: "line_too_long", Means: "A line is so long that the rest of it was not read.",
			Mend: "Shorten the line to less than 16,000 bytes, or divide it into several records."},
		{Code: "no_colon", Means: "A colon is missing between the name of a field and its value, and not all crawlers read such a line.",
			Mend: "Put a colon behind the name of the field."},
		{Code: "no_group", Means: "No line names a user agent, so everything is allowed to everybody.",
			Mend: "Nothing has to be done if that is what you want. Otherwise begin a group with `User-agent: *`."},
		{Code: "no_record", Means: "No line is a record of robots.txt, so the file says nothing.",
			Mend: "Write records such as `User-agent: *` and `Disallow: /private`, or serve no file at all."},
		{Code: "orphan_rule", Means: "A rule stands before the first user agent, so it counts for nobody.",
			Mend: "Put a `User-agent` line before the rule."},
		{Code: "other_crawlers", Means: "There are groups for crawlers that are neither everybody nor known agents of artificial intelligence, and they are not listed.",
			Mend: "Nothing has to be done: the groups count for those crawlers as before."},
		{Code: "path", Means: "The path of a rule holds a control character, or does not begin with a slash and so matches nothing.",
			Mend: "Begin the path with a slash, or with a star for any path, and percent-encode control characters."},
		{Code: "relative_url", Means: "The URL of a sitemap or agentmap is not absolute, so some crawlers ignore it.",
			Mend: "Write the whole URL, with `https://` and the host."},
		{Code: "syntax", Means: "A line is not a record, so it was ignored.",
			Mend: "Write the line as a field, a colon and a value, or put a number sign before it to make it a comment."},
		{Code: "truncated", Means: "The file is longer, or holds more agents, documents or policies, than is read.",
			Mend: "Keep the file below 500 KiB, and delete what is not needed."},
		{Code: "typo", Means: "The name of a field is misspelt, and not all crawlers guess what is meant.",
			Mend: "Spell it as the message says."},
		{Code: "unknown_field", Means: "A field is not one that is read here.",
			Mend: "Nothing has to be done: others may read it. Check its spelling if it should be one of the usual fields."},
		{Code: "user_agent", Means: "The name of a user agent holds characters that such names do not have, so it may mean nobody, or somebody else.",
			Mend: "Write the name of the crawler alone, in letters, dashes and underscores, without a version: `User-agent: ExampleBot`."},
	}
}
