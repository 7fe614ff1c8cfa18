package llmstxt

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBadLink, ruleBareURL, ruleDuplicateLink, ruleFrontMatter, ruleLateTitle, ruleMoreHints, ruleNoPage,
		ruleNoSummary, ruleNoTitle, ruleNothingSaid, ruleProse, ruleProseCut, ruleSecondTitle, ruleTruncated,
	}
}

// The rules of the format.
var (
	ruleBadLink = parse.Rule{Code: "bad_link", Severity: wayfind.SeverityWarning, Section: section,
		Means: "The URL of a link is not one that programs can go to, so the link was left out.",
		Mend:  "Write a whole `https://` URL or a path of the same site, and percent-encode blanks in it."}
	ruleBareURL = parse.Rule{Code: "bare_url", Severity: wayfind.SeverityInfo, Section: section,
		Means: "A URL stands in the text without a name.",
		Mend:  "Write it as a link with a name: `[name](url)`."}
	ruleDuplicateLink = parse.Rule{Code: "duplicate_link", Severity: wayfind.SeverityInfo, Section: section,
		Means: "Some links stand in the file more than once, and each was listed once.",
		Mend:  "Nothing has to be done. Delete the repetitions to make the file shorter."}
	ruleFrontMatter = parse.Rule{Code: "front_matter", Severity: wayfind.SeverityInfo, Section: section,
		Means: "Front matter stands before the text, which the format does not have, so it was not read.",
		Mend:  "Delete the lines from `---` to `---`, so that the title stands first."}
	ruleLateTitle = parse.Rule{Code: "late_title", Severity: wayfind.SeverityWarning, Section: section,
		Means: "There is text before the title.",
		Mend:  "Move the heading of level 1 to the first line."}
	ruleMoreHints = parse.Rule{Code: "more_hints", Severity: wayfind.SeverityInfo, Section: section,
		Means: "The file links to more descriptions of APIs and agents than are gone to.",
		Mend:  "Link to at most 10 of them, the most important first."}
	ruleNoPage = parse.Rule{Code: "no_page", Severity: wayfind.SeverityInfo, Section: section,
		Means: "A link leads to a mail address or a telephone instead of a page, so it was left out.",
		Mend:  "Nothing has to be done. Link to a contact page if language models should know of it."}
	ruleNoSummary = parse.Rule{Code: "no_summary", Severity: wayfind.SeverityInfo, Section: section,
		Means: "No quote below the title says what the site is about.",
		Mend:  "Write a line below the title that begins with `> ` and says it in a sentence."}
	ruleNoTitle = parse.Rule{Code: "no_title", Severity: wayfind.SeverityError, Section: section,
		Means: "No heading of level 1 names the site, the only part that a file must have.",
		Mend:  "Begin the file with `# ` and the name of the site."}
	ruleNothingSaid = parse.Rule{Code: "nothing_said", Severity: wayfind.SeverityError, Section: section,
		Means: "The file has neither a title nor a link, so nothing in it can be used.",
		Mend:  "Write a title, a summary and lists of links."}
	ruleProse = parse.Rule{Code: "prose", Severity: wayfind.SeverityInfo, Section: section,
		Means: "A section holds more than a list of links, and programs that expect the list alone may fail on it.",
		Mend:  "Move the text before the first heading of level 2, or behind the link that it is about."}
	ruleProseCut = parse.Rule{Code: "prose_cut", Severity: wayfind.SeverityInfo, Section: section,
		Means: "There is more text beside the links than is kept.",
		Mend:  "Keep the text beside links below 32 KiB, and link to pages that hold the rest."}
	ruleSecondTitle = parse.Rule{Code: "second_title", Severity: wayfind.SeverityWarning, Section: section,
		Means: "There is more than one heading of level 1, and only the first names the site.",
		Mend:  "Write the other headings with two number signs."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: section,
		Means: "There are more links than are listed.",
		Mend:  "List at most 1,000 links, the most important first."}
)
