package robots

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBOM, ruleContentSignal, ruleContentUsage, ruleCrawlDelay, ruleEncoding, ruleLineTooLong, ruleNoColon, ruleNoGroup, ruleNoRecord,
		ruleOrphanRule, ruleOtherCrawlers, rulePath, ruleRelativeURL, ruleSyntax, ruleReservation, ruleTruncated, ruleTypo,
		ruleUnknownField, ruleUserAgent,
	}
}

// The rules of the format.
var (
	ruleBOM = parse.Rule{Code: "bom", Severity: wayfind.SeverityInfo, Section: "§2.3",
		Means: "A byte order mark stands before the text. It was ignored.",
		Mend:  "Save the file as UTF-8 without a byte order mark. Some crawlers cannot read the first line otherwise."}
	ruleContentSignal = parse.Rule{Code: "content_signal", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "A content signal is unknown, or its value is none that the signal has.",
		Mend:  "Write `search`, `ai-input` or `ai-train`, each with `=yes` or `=no`, or `use` with `=immediate`, `=reference` or `=full`, and commas between them."}
	ruleContentUsage = parse.Rule{Code: "content_usage", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "A usage preference is not a dictionary, a value is neither y nor n, or the rule stands outside of a group. It says nothing.",
		Mend:  "Write `Content-Usage: train-ai=n, search=y` inside a group, with a path before it where it is about some pages only."}
	ruleCrawlDelay = parse.Rule{Code: "crawl_delay", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "A crawl delay is not a number of seconds, or it is longer than a day.",
		Mend:  "Write a number of seconds without a unit, as in `Crawl-delay: 10`."}
	ruleEncoding = parse.Rule{Code: "encoding", Severity: wayfind.SeverityError, Section: "§2.3",
		Means: "The file is not UTF-8. Some characters were replaced.",
		Mend:  "Save the file as UTF-8. Percent-encode characters that are not ASCII in paths."}
	ruleLineTooLong = parse.Rule{Code: "line_too_long", Severity: wayfind.SeverityWarning, Section: "§2.5",
		Means: "A line is too long. The rest of it was not read.",
		Mend:  "Shorten the line to less than 16,000 bytes, or divide it into several records."}
	ruleNoColon = parse.Rule{Code: "no_colon", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "The colon between a field name and its value is missing. Not all crawlers read such a line.",
		Mend:  "Put a colon after the field name."}
	ruleNoGroup = parse.Rule{Code: "no_group", Severity: wayfind.SeverityInfo, Section: "§2.2.1",
		Means: "No line names a user agent. All crawlers may fetch everything.",
		Mend:  "No change is needed if that is intended. Otherwise begin a group with `User-agent: *`."}
	ruleNoRecord = parse.Rule{Code: "no_record", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "No line is a record of robots.txt. The file has no effect.",
		Mend:  "Write records such as `User-agent: *` and `Disallow: /private`, or serve no file at all."}
	ruleOrphanRule = parse.Rule{Code: "orphan_rule", Severity: wayfind.SeverityWarning, Section: "§2.2.1",
		Means: "A rule stands before the first user agent. It applies to no crawler.",
		Mend:  "Put a `User-agent` line before the rule."}
	ruleOtherCrawlers = parse.Rule{Code: "other_crawlers", Severity: wayfind.SeverityInfo, Section: "§2.2.1",
		Means: "Some groups are for specific crawlers that are not known AI agents. They are not listed.",
		Mend:  "No change is needed. The groups apply to those crawlers as before."}
	rulePath = parse.Rule{Code: "path", Severity: wayfind.SeverityWarning, Section: "§2.2.2",
		Means: "The path of a rule contains a control character, or it does not begin with a slash and matches nothing.",
		Mend:  "Begin the path with a slash, or with a star for any path. Percent-encode control characters."}
	ruleRelativeURL = parse.Rule{Code: "relative_url", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "The URL of a sitemap or agentmap is not absolute. Some crawlers ignore it.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleReservation = parse.Rule{Code: "tdm_reservation", Severity: wayfind.SeverityInfo, Section: "§2.2.4",
		Means: "The header field `TDM-Reservation` is neither 0 nor 1. It says nothing.",
		Mend:  "Send `TDM-Reservation: 1` to reserve the rights to text and data mining, and `0` not to."}
	ruleSyntax = parse.Rule{Code: "syntax", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "A line is not a record. It was ignored.",
		Mend:  "Write the line as a field, a colon and a value, or put a number sign before it to make it a comment."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§2.2.4",
		Means: "The file is too long, or it has too many agents, documents or policies. The rest was not read.",
		Mend:  "Keep the file below 500 KiB, and remove unneeded lines."}
	ruleTypo = parse.Rule{Code: "typo", Severity: wayfind.SeverityWarning, Section: "§2.2",
		Means: "A field name is misspelt. Not all crawlers guess the right name.",
		Mend:  "Spell it as the message says."}
	ruleUnknownField = parse.Rule{Code: "unknown_field", Severity: wayfind.SeverityInfo, Section: "§2.2.4",
		Means: "This program does not read a field.",
		Mend:  "No change is needed: other programs may read it. Check its spelling if it should be a common field."}
	ruleUserAgent = parse.Rule{Code: "user_agent", Severity: wayfind.SeverityWarning, Section: "§2.2.1",
		Means: "A user agent name has invalid characters. It may match no crawler, or a different one.",
		Mend:  "Write the name of the crawler alone, in letters, hyphens and underscores, without a version: `User-agent: ExampleBot`."}
)

// The rules of all formats that are reported here as well.
var (
	ruleBadURL = parse.ReaderRule("bad_url")
)
