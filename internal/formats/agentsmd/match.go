package agentsmd

import (
	"bytes"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// DialectCoding is the dialect of files of the same name that contain instructions for
// coding agents in a repository.
const DialectCoding = "agents-md-coding"

// DialectShop is the dialect of the text for agents that the shops of one vendor
// publish. It is prose that refers to the profile of the shop.
const DialectShop = "shopagents"

// isShop recognises the text of a shop by its title and its reference to the profile.
func isShop(body []byte) bool {
	return bytes.HasPrefix(body, []byte("# Agent Instructions")) && bytes.Contains(body, []byte("/.well-known/ucp"))
}

// match recognises documents by their front matter and sections. A text without them
// does not belong to the format, even at its path. Files for coding agents are
// distinguished, because by custom they are at the same path.
func match(in *parse.Input) parse.Claim {
	if in.HTML() || len(in.Body) > maxBytes && !in.Sectioned() {
		return parse.Claim{}
	}
	if _, err := in.JSON(); err == nil {
		return parse.Claim{}
	}
	text, err := in.Markdown()
	if err != nil {
		return parse.Claim{}
	}
	o := outlineOf(text.Sections())
	// The limit applies because no larger file is fetched from the places that the two
	// kinds share.
	level, coding := max(evidence(text, &o), placeEvidence(in, &o)), len(in.Body) <= maxBytes && isCoding(text.Sections())
	switch {
	case level == sure:
		return parse.Claim{Level: parse.Exact}
	case level == listed && !coding:
		return parse.Claim{Level: parse.Exact}
	case level == listed, level == weak && !coding:
		return parse.Claim{Level: parse.Likely}
	case isShop(in.Body):
		return parse.Claim{Other: true, Dialect: DialectShop, Why: "a shop's text for agents: its profile is at /.well-known/ucp"}
	case coding:
		return parse.Claim{Other: true, Dialect: DialectCoding}
	}
	return parse.Claim{}
}

// strength is the strength of the evidence for the protocol.
type strength int

const (
	nothing strength = iota
	// weak means a heading that is common in other texts, or unreadable front matter
	// that resembles the front matter of the protocol.
	weak
	// listed means a list of permissions or restrictions.
	listed
	// sure means an MCP gateway that can be read.
	sure
)

// evidence returns the strength of the evidence in the front matter and the headings.
// Headings such as "Behavior" and "MCP" are common words: they are weak evidence, and
// only if the content that the protocol defines is below them.
func evidence(text *parse.Markdown, o *outline) strength {
	found := frontEvidence(text)
	for _, g := range o.groups {
		list, _ := g.items()
		switch {
		case g.meaning == gateway:
			found = max(found, gatewayEvidence(text, g.head()))
		case (g.meaning == can || g.meaning == cannot) && len(list) > 0:
			found = max(found, listed)
		case g.meaning == can, g.meaning == cannot, g.meaning == behaviour && len(list) > 0:
			found = max(found, weak)
		}
	}
	return found
}

// placeEvidence returns the strength of the evidence in a text at the place that only this format
// names. All sections are optional (§3), so a contact is enough there, or a title without sections that
// the format does not know. The other place is shared with files for coding agents.
func placeEvidence(in *parse.Input, o *outline) strength {
	if in.URL == nil || in.URL.Path != Path {
		return nothing
	}
	alone := len(o.titles) == 0 && !slices.ContainsFunc(o.groups, func(g group) bool { return g.meaning == "" })
	if len(o.with(contact)) > 0 || o.title != nil && alone {
		return weak
	}
	return nothing
}

// frontEvidence returns the strength of the evidence for a gateway in the front
// matter.
func frontEvidence(text *parse.Markdown) strength {
	front, err := text.FrontMatter()
	if err != nil {
		written, _ := text.FrontText()
		if strings.HasPrefix(written, "mcp:") || strings.Contains(written, "\nmcp:") {
			return weak
		}
		return nothing
	}
	mcp := front.Get("mcp")
	for _, fields := range [...]parse.YAML{mcp, front} {
		if mcp.Exists() && (fields.Get("endpoint").Exists() || fields.Get("transport").Exists()) {
			return sure
		}
	}
	switch text, _ := mcp.Str(); {
	case urlref.CheckReference(text) == nil && strings.Contains(text, "://"):
		return sure
	case mcp.Exists():
		return weak
	}
	return nothing
}

// gatewayEvidence returns the strength of the evidence for an endpoint in an MCP
// section.
func gatewayEvidence(text *parse.Markdown, head parse.Section) strength {
	fields, _, err := sectionFields(text, head)
	switch {
	case err == nil && (fields.Get("endpoint").Exists() || fields.Get("mcp").Get("endpoint").Exists()):
		return sure
	case strings.Contains(head.Text, "endpoint:"):
		return weak
	}
	return nothing
}
