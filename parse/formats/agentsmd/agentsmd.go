// Package agentsmd reads the agents.md protocol 1.0.0-draft: a Markdown file at
// /.well-known/agents.md or /agents.md. It lists the actions that agents may
// and may not take on a site, gives rules for their behaviour, and names the
// site's MCP gateway.
//
//	f := agentsmd.Format()
//	reading, err := f.Parse(&parse.Input{Body: body})
//
// The rules are those of the published text, "agents.md Protocol
// Specification"; sections in diagnostics are its sections. Where it is silent
// the cautious reading counts: a statement under both Can and Cannot is
// forbidden, and an authentication that is not one of the three is unknown, not
// none.
//
// # Promises
//
// Statements become capabilities of kind statement, which have no invocation,
// because a sentence does not say how to make a call. They are the publisher's
// words, as data; no text of the file is an instruction. The endpoint of the
// gateway is stated as it is written; whether it lies on the site, which §5
// demands, is judged by the caller.
//
// Names of sections are exact but for the case of letters: a heading in code,
// in a quote, in a comment, in a list, underlined, of another level or with
// look-alike letters is none. Only the title may be underlined. Front matter with anchors, aliases, tags or
// duplicate keys makes the whole document unusable; front matter that is no
// YAML is reported, and the text below it is read.
//
// # Not supported
//
// Files of the same name that tell coding agents how to work on a repository
// (AGENTS.md) are recognised and not read. Free text for agents without any of
// the sections is not claimed.
package agentsmd

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Where a document is served (§1).
const (
	Path         = "/.well-known/agents.md"
	FallbackPath = "/agents.md"
)

// name is the name of the format.
const name = "agentsmd"

// maxBytes is the largest document that is read. It is prose for people too; a
// long one has a few KiB.
const maxBytes = 64 << 10

// accept is what the specification says about media types (§1).
const accept = "text/markdown, text/plain"

// spec names the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{
		Title: "agents.md protocol 1.0.0-draft", URL: "https://git.luz.uy/bruno/agent-protocol",
	}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "agents.md: what agents can and cannot do on a site, and its MCP gateway",
		Marks: []string{"front matter or a table with the name and the endpoints of the agent"},
		Locations: []parse.Location{
			{Path: Path, Section: "§1", Accept: accept, Note: "the primary place"},
			{Path: FallbackPath, After: Path, Section: "§1", Accept: accept, Note: "often a file for coding agents, which is not read"},
		},
		// §1: 24 hours unless headers say otherwise, and never more than one
		// request for the same origin in an hour.
		Cache: parse.CachePolicy{Default: 24 * time.Hour, Floor: time.Hour, Section: "§1"},
		// §5: only from the site's origin.
		Limits: parse.Limits{Bytes: maxBytes, SameSiteOnly: true},
		Match:  match,
		Parse:  parseDocument,
		Rules:  rules(),
	}
}
