package llmstxt

import "github.com/wayfindhq/wayfind/parse"

// rules explain the diagnostics of the format to publishers.
func rules() []parse.Rule {
	return []parse.Rule{
		{Code: "bad_link", Means: "The URL of a link is not one that programs can go to, so the link was left out.",
			Mend: "Write a whole `https://` URL or a path of the same site, and percent-encode blanks in it."},
		{Code: "bare_url", Means: "A URL stands in the text without a name.",
			Mend: "Write it as a link with a name: `[name](url)`."},
		{Code: "duplicate_link", Means: "Some links stand in the file more than once, and each was listed once.",
			Mend: "Nothing has to be done. Delete the repetitions to make the file shorter."},
		{Code: "front_matter", Means: "Front matter stands before the text, which the format does not have, so it was not read.",
			Mend: "Delete the lines from `---` to `---`, so that the title stands first."},
		{Code: "late_title", Means: "There is text before the title.",
			Mend: "Move the heading of level 1 to the first line."},
		{Code: "more_hints", Means: "The file links to more descriptions of APIs and agents than are gone to.",
			Mend: "Link to at most 10 of them, the most important first."},
		{Code: "no_page", Means: "A link leads to a mail address or a telephone instead of a page, so it was left out.",
			Mend: "Nothing has to be done. Link to a contact page if language models should know of it."},
		{Code: "no_summary", Means: "No quote below the title says what the site is about.",
			Mend: "Write a line below the title that begins with `> ` and says it in a sentence."},
		{Code: "no_title", Means: "No heading of level 1 names the site, the only part that a file must have.",
			Mend: "Begin the file with `# ` and the name of the site."},
		{Code: "nothing_said", Means: "The file has neither a title nor a link, so nothing in it can be used.",
			Mend: "Write a title, a summary and lists of links."},
		{Code: "prose", Means: "A section holds more than a list of links, and programs that expect the list alone may fail on it.",
			Mend: "Move the text before the first heading of level 2, or behind the link that it is about."},
		{Code: "prose_cut", Means: "There is more text beside the links than is kept.",
			Mend: "Keep the text beside links below 32 KiB, and link to pages that hold the rest."},
		{Code: "second_title", Means: "There is more than one heading of level 1, and only the first names the site.",
			Mend: "Write the other headings with two number signs."},
		{Code: "truncated", Means: "There are more links than are listed.",
			Mend: "List at most 1,000 links, the most important first."},
	}
}
