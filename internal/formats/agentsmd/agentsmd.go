// Package agentsmd reads the agents.md protocol 1.0.0-draft: a Markdown file at
// /.well-known/agents.md or /agents.md. It lists the actions that agents may and may
// not take on a site, gives rules for their behaviour, and names the site's MCP
// gateway.
//
//	f := agentsmd.Format()
//	reading, err := f.Parse(&parse.Input{Body: body})
//
// The rules come from the published text, "agents.md Protocol Specification";
// diagnostics refer to its sections. If the text does not define a case, the cautious
// reading applies: a statement under both Can and Cannot is forbidden, and an
// authentication other than the three known words is unknown, and never "none".
//
// # Promises
//
// Statements become capabilities of kind statement, which have no invocation, because
// a sentence does not describe how to make a call. They are the publisher's words, as
// data; no text of the file is an instruction. The endpoint of the gateway is returned
// as written. §5 requires that it belongs to the site, which the caller checks.
//
// Names of sections must match exactly, apart from the case of letters. A heading is
// ignored if it is in code, in a quote, in a comment or in a list, if it is underlined
// or of another level, or if it has look-alike letters. Only the title may be
// underlined. Front matter with anchors, aliases, tags or duplicate keys makes the
// whole document unusable. Front matter that is not YAML is reported, and the text
// below it is read.
//
// # Not supported
//
// Files of the same name with instructions for coding agents in a repository
// (AGENTS.md) are recognised and not read. Free text for agents without any of the
// sections is not claimed.
package agentsmd

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Paths of the document (§1).
const (
	Path         = "/.well-known/agents.md"
	FallbackPath = "/agents.md"
)

// name is the name of the format.
const name = "agentsmd"

// maxBytes is the largest document that is read. It is prose for people as well; a
// long one has a few KiB.
const maxBytes = 64 << 10

// accept contains the media types of the specification (§1).
const accept = "text/markdown, text/plain"

// spec returns the specification that diagnostics refer to.
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
		// §1: 24 hours unless headers specify another lifetime, and never more than
		// one request for the same origin in an hour.
		Cache: parse.CachePolicy{Default: 24 * time.Hour, Floor: time.Hour, Section: "§1"},
		// §5: only from the site's origin.
		Limits: parse.Limits{Bytes: maxBytes, SameSiteOnly: true},
		Match:  match,
		Parse:  parseDocument,
		Rules:  rules(),
	}
}
