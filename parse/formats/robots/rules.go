package robots

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBOM, ruleContentSignal, ruleCrawlDelay, ruleEncoding, ruleLineTooLong, ruleNoColon, ruleNoGroup, ruleNoRecord,
		ruleOrphanRule, ruleOtherCrawlers, rulePath, ruleRelativeURL, ruleSyntax, ruleTruncated, ruleTypo,
		ruleUnknownField, ruleUserAgent,
	}
}

// The rules of the format.
var (
	ruleBOM = parse.Rule{Code: "bom", Severity: wayfind.SeverityInfo, Section: "§2.3",
		Means: "A byte order mark stands before the text, which was ignored.",
		Mend:  "Save the file as UTF-8 without a byte order mark: some crawlers do not read the first line otherwise."}
	ruleContentSignal = parse.Rule{Code: "content_signal", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "A content signal is not known, or says neither yes nor no.",
		Mend:  "Write `search`, `ai-input` or `ai-train`, each with `=yes` or `=no`, and commas between them."}
	ruleCrawlDelay = parse.Rule{Code: "crawl_delay", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "A crawl delay is not a number of seconds, or longer than a day.",
		Mend:  "Write a number of seconds without a unit, as in `Crawl-delay: 10`."}
	ruleEncoding = parse.Rule{Code: "encoding", Severity: wayfind.SeverityError, Section: "§2.3",
		Means: "The file is not UTF-8, so some characters were replaced.",
		Mend:  "Save the file as UTF-8, and percent-encode other characters than ASCII in paths."}
	ruleLineTooLong = parse.Rule{Code: "line_too_long", Severity: wayfind.SeverityWarning, Section: "§2.5",
		Means: "A line is so long that the rest of it was not read.",
		Mend:  "Shorten the line to less than 16,000 bytes, or divide it into several records."}
	ruleNoColon = parse.Rule{Code: "no_colon", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "A colon is missing between the name of a field and its value, and not all crawlers read such a line.",
		Mend:  "Put a colon behind the name of the field."}
	ruleNoGroup = parse.Rule{Code: "no_group", Severity: wayfind.SeverityInfo, Section: "§2.2.1",
		Means: "No line names a user agent, so everything is allowed to everybody.",
		Mend:  "Nothing has to be done if that is what you want. Otherwise begin a group with `User-agent: *`."}
	ruleNoRecord = parse.Rule{Code: "no_record", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "No line is a record of robots.txt, so the file says nothing.",
		Mend:  "Write records such as `User-agent: *` and `Disallow: /private`, or serve no file at all."}
	ruleOrphanRule = parse.Rule{Code: "orphan_rule", Severity: wayfind.SeverityWarning, Section: "§2.2.1",
		Means: "A rule stands before the first user agent, so it counts for nobody.",
		Mend:  "Put a `User-agent` line before the rule."}
	ruleOtherCrawlers = parse.Rule{Code: "other_crawlers", Severity: wayfind.SeverityInfo, Section: "§2.2.1",
		Means: "There are groups for crawlers that are neither everybody nor known agents of artificial intelligence, and they are not listed.",
		Mend:  "Nothing has to be done: the groups count for those crawlers as before."}
	rulePath = parse.Rule{Code: "path", Severity: wayfind.SeverityWarning, Section: "§2.2.2",
		Means: "The path of a rule holds a control character, or does not begin with a slash and so matches nothing.",
		Mend:  "Begin the path with a slash, or with a star for any path, and percent-encode control characters."}
	ruleRelativeURL = parse.Rule{Code: "relative_url", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "The URL of a sitemap or agentmap is not absolute, so some crawlers ignore it.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleSyntax = parse.Rule{Code: "syntax", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "A line is not a record, so it was ignored.",
		Mend:  "Write the line as a field, a colon and a value, or put a number sign before it to make it a comment."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "The file is longer, or holds more agents, documents or policies, than is read.",
		Mend:  "Keep the file below 500 KiB, and delete what is not needed."}
	ruleTypo = parse.Rule{Code: "typo", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "The name of a field is misspelt, and not all crawlers guess what is meant.",
		Mend:  "Spell it as the message says."}
	ruleUnknownField = parse.Rule{Code: "unknown_field", Severity: wayfind.SeverityInfo, Section: "§2.2.4",
		Means: "A field is not one that is read here.",
		Mend:  "Nothing has to be done: others may read it. Check its spelling if it should be one of the usual fields."}
	ruleUserAgent = parse.Rule{Code: "user_agent", Severity: wayfind.SeverityWarning, Section: "§2.2.1",
		Means: "The name of a user agent holds characters that such names do not have, so it may mean nobody, or somebody else.",
		Mend:  "Write the name of the crawler alone, in letters, dashes and underscores, without a version: `User-agent: ExampleBot`."}
)

// The rules of all formats that are reported here as well.
var (
	ruleBadURL = parse.ReaderRule("bad_url")
)
