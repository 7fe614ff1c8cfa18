// Package llmstxt reads llms.txt: a Markdown file for language models. It describes the
// subject of a site and lists the pages to read.
//
//	f := llmstxt.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The format is a proposal, not a standard: https://llmstxt.org. Sections in diagnostics are
// headings of its text.
//
// # Promises
//
// All files that people publish under the name are read: without a title, with several,
// without lists, with bare URLs. The title is the name of a service and the summary its
// description. Links become documents in the order of the file, with the text about them. A
// service of this format has no capabilities, because a list of pages does not describe any
// call. No text of the file is an instruction.
//
// Links to the descriptions that other formats read ("/openapi.json", "/.well-known/mcp.json")
// are links to follow, and so are, after these, JSON and YAML files in sections about APIs: the
// first ten of them together. They come from a text for readers, so a follower
// trusts them less than a document at a well-known place.
//
// # Not supported
//
// References ("[a][1]") and links in blocks of code or markup are not read, and neither are
// the companions of the proposal (llms-full.txt, page.html.md). Only the beginning is read of
// a file of 256 KiB or more, such as a copy of a whole site.
package llmstxt

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the place of a file, at the root of a site or below a path.
const Path = "/llms.txt"

// name is the name of the format.
const name = "llmstxt"

// maxBytes is the part of a file that is read, in bytes: the length of a text that a model can
// read at once.
const maxBytes = 256 << 10

// accept contains the types that files are served with; the proposal names none.
const accept = "text/markdown, text/plain"

// section is the part of the proposal that has the rules.
const section = "Format"

// spec returns the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "The /llms.txt file", URL: "https://llmstxt.org/"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "llms.txt: the subject of a site, and which pages to read",
		Marks: []string{"a title, `# Name`", "lists of links below headings"},
		Locations: []parse.Location{
			{Path: Path, Section: section, Accept: accept, Note: "the root of the site"},
			{Path: Path, Base: true, Section: section, Accept: accept, Note: "optionally in a subpath"},
		},
		// The proposal defines no lifetime. A file changes as rarely as agents.md, for which the
		// specification defines a day.
		Cache:     parse.CachePolicy{Default: 24 * time.Hour},
		Limits:    parse.Limits{Bytes: maxBytes, Truncate: true},
		PerSource: true,
		Match:     match,
		Parse:     parseDocument,
		Rules:     rules(),
	}
}
