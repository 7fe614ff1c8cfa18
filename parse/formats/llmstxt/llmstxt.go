// Package llmstxt reads llms.txt: a Markdown file that tells language models
// what a site is about and which of its pages to read.
//
//	f := llmstxt.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The format is a proposal, not a standard: https://llmstxt.org. Sections in
// diagnostics are headings of its text.
//
// # Promises
//
// Whatever people publish under the name is read: files without a title, with
// several, without lists, with bare URLs. The title is the name of a service
// and the summary its description; links become documents in the order of the
// file, with what is said about them. A service of this format has no
// capabilities: nothing in a list of pages says how to call something. No text
// of the file is an instruction.
//
// Links to the descriptions that other formats read ("/openapi.json",
// "/.well-known/mcp.json") are links to follow, the first ten of them. They are
// the word of a text for readers: a follower trusts them less than a document
// at a well-known place.
//
// # Not supported
//
// References ("[a][1]") and links in blocks of code or markup are not read, and
// neither are the companions of the proposal (llms-full.txt, page.html.md). Of a
// file of 256 KiB or more, such as a copy of a whole site, the beginning is read.
package llmstxt

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is where a file is served, at the root of a site or below a path.
const Path = "/llms.txt"

// name is the name of the format.
const name = "llmstxt"

// maxBytes is how much of a file is read: as long as a text which a model is
// meant to read at once.
const maxBytes = 256 << 10

// accept is what files are served as; the text says nothing about it.
const accept = "text/markdown, text/plain"

// section is the part of the proposal that has the rules.
const section = "Format"

// spec names the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "The /llms.txt file", URL: "https://llmstxt.org/"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "llms.txt: what a site is about, and which pages to read",
		Locations: []parse.Location{
			{Path: Path, Section: section, Accept: accept, Note: "the root of the site"},
			{Path: Path, Base: true, Section: section, Accept: accept, Note: "optionally in a subpath"},
		},
		// The text gives no rule for keeping a file. It changes as rarely as
		// agents.md, which says a day.
		Cache:     parse.CachePolicy{Default: 24 * time.Hour},
		Limits:    parse.Limits{Bytes: maxBytes, Truncate: true},
		PerSource: true,
		Match:     match,
		Parse:     parseDocument,
		Rules:     rules(),
	}
}
