package llmstxt

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBadLink, ruleBareURL, ruleDuplicateLink, ruleFrontMatter, ruleLateTitle, ruleMoreHints, ruleNoPage,
		ruleNoSummary, ruleNoTitle, ruleNothingSaid, ruleProse, ruleProseCut, ruleSecondTitle, ruleTruncated,
	}
}

// The rules of the format.
var (
	ruleBadLink = parse.Rule{Code: "bad_link", Severity: wayfind.SeverityWarning, Section: section,
		Means: "The URL of a link is not usable. The link was left out.",
		Mend:  "Write a whole `https://` URL or a path of the same site, and percent-encode spaces."}
	ruleBareURL = parse.Rule{Code: "bare_url", Severity: wayfind.SeverityInfo, Section: section,
		Means: "A URL in the text has no name.",
		Mend:  "Write it as a link with a name: `[name](url)`."}
	ruleDuplicateLink = parse.Rule{Code: "duplicate_link", Severity: wayfind.SeverityInfo, Section: section,
		Means: "Some links appear more than once. Each was listed once.",
		Mend:  "No change is needed. Remove the repetitions to make the file shorter."}
	ruleFrontMatter = parse.Rule{Code: "front_matter", Severity: wayfind.SeverityInfo, Section: section,
		Means: "The file begins with front matter, which the format does not define. It was not read.",
		Mend:  "Remove the lines from `---` to `---`, so that the title comes first."}
	ruleLateTitle = parse.Rule{Code: "late_title", Severity: wayfind.SeverityWarning, Section: section,
		Means: "There is text before the title.",
		Mend:  "Move the heading of level 1 to the first line."}
	ruleMoreHints = parse.Rule{Code: "more_hints", Severity: wayfind.SeverityInfo, Section: section,
		Means: "The file links to more descriptions of APIs and agents than this program follows.",
		Mend:  "Link to at most 10 of them, the most important first."}
	ruleNoPage = parse.Rule{Code: "no_page", Severity: wayfind.SeverityInfo, Section: section,
		Means: "A link leads to an e-mail address or a telephone number instead of a page. It was left out.",
		Mend:  "No change is needed. Link to a contact page if language models should know of it."}
	ruleNoSummary = parse.Rule{Code: "no_summary", Severity: wayfind.SeverityInfo, Section: section,
		Means: "No quote below the title describes the site.",
		Mend:  "Write a line below the title that begins with `> ` and describes the site in one sentence."}
	ruleNoTitle = parse.Rule{Code: "no_title", Severity: wayfind.SeverityError, Section: section,
		Means: "No heading of level 1 names the site. The title is the only required part of the file.",
		Mend:  "Begin the file with `# ` and the name of the site."}
	ruleNothingSaid = parse.Rule{Code: "nothing_said", Severity: wayfind.SeverityError, Section: section,
		Means: "The file has neither a title nor a link. Nothing in it can be used.",
		Mend:  "Write a title, a summary and lists of links."}
	ruleProse = parse.Rule{Code: "prose", Severity: wayfind.SeverityInfo, Section: section,
		Means: "A section contains more than a list of links. Programs that expect only the list may fail.",
		Mend:  "Move the text before the first heading of level 2, or after its link."}
	ruleProseCut = parse.Rule{Code: "prose_cut", Severity: wayfind.SeverityInfo, Section: section,
		Means: "The file has more text beside the links than this program keeps.",
		Mend:  "Keep the text beside links below 32 KiB, and link to pages that hold the rest."}
	ruleSecondTitle = parse.Rule{Code: "second_title", Severity: wayfind.SeverityWarning, Section: section,
		Means: "The file has more than one heading of level 1. Only the first names the site.",
		Mend:  "Write the other headings with two number signs."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: section,
		Means: "The file has more links than this program lists.",
		Mend:  "List at most 1,000 links, the most important first."}
)
