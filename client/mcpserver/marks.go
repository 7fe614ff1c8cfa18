package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Every text that a host gets in an answer is written here: our own words by [ours] and [refusal], JSON of
// this server by [said], and all texts of a domain by the functions below, which mark them. A host passes
// all of them on to a model, as words of its own or even of the user.

// place is where a text of a domain stands. It alone decides how the text is marked.
type place int

const (
	// inAnswer is the text or the JSON of an answer, of an error, of a prompt, of instructions: between marks.
	inAnswer place = iota
	// inNotice is a line of a log or of progress: after the name of the domain.
	inNotice
	// inData is a resource of a format that programs read, which marks would make invalid, and which hosts
	// take as a whole. If a model gets it among other content, marks stand around it: see [embedded].
	inData
)

// marked returns a text of a domain as it stands in a place.
func marked(domain, said string, in place) string {
	switch {
	case in == inAnswer:
		return secret.Marked(domain, said)
	case in == inNotice && said != "":
		return domain + ": " + said
	}
	return said
}

// ours returns words of this server as content.
func ours(words string) mcp.Content { return &mcp.TextContent{Text: words} }

// theirs returns a text of a domain as content.
func theirs(domain, said string) mcp.Content { return ours(marked(domain, said, inAnswer)) }

// theirsAfter is theirs after words of this server.
func theirsAfter(words, domain, said string) mcp.Content {
	return ours(introduced(words, domain, said))
}

// introduced returns words of this server, and after them a text of a domain.
func introduced(words, domain, said string) string {
	if said == "" {
		return words
	}
	return words + " " + marked(domain, said, inAnswer)
}

// said returns an answer of the server itself, in JSON.
func said(raw json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{ours(string(raw))}, StructuredContent: raw}
}

// refusal returns an answer of the server itself with the reason why it did not act.
func refusal(why string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{ours(why)}, IsError: true}
}

// failed returns the text of a failed call as one line of an error: our words, then those of the domain.
func failed(domain string, m *call.ModelResult) string {
	own, foreign := m.Apart()
	return introduced(own, domain, foreign)
}

// resourceContents returns the contents of a resource.
func resourceContents(t *tools.Tool, b *call.Block, uri string) *mcp.ResourceContents {
	c := &mcp.ResourceContents{Meta: mcp.Meta{metaPrefix + "origin": t.Origin}, URI: uri, MIMEType: b.Media}
	if b.Part != nil {
		c.Blob = b.Part.Data
	} else {
		c.Text = marked(t.Domain, b.Text, placeOf(b.Media))
	}
	return c
}

// embedded returns a resource among other content.
func embedded(t *tools.Tool, b *call.Block, uri string) []mcp.Content {
	own := &mcp.EmbeddedResource{Resource: resourceContents(t, b, uri)}
	if b.Part != nil || placeOf(b.Media) == inAnswer {
		return []mcp.Content{own}
	}
	mark := secret.FenceOf(t.Domain)
	return []mcp.Content{ours(mark.Before), own, ours(mark.End)}
}

// file returns a part of an answer that is no text.
func file(index int, p *call.Part) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: fmt.Sprintf("urn:wayfind:part:%d", index+1), MIMEType: p.Media, Blob: p.Data}}
}

// follows returns a text before content of a domain that cannot be marked itself.
func follows(domain string) mcp.Content { return ours(secret.DataFollows(domain)) }

// placeOf returns the place of the text of a media type: inAnswer if it may be read as sentences. Only a few
// types that programs read are not, so that no site chooses a name to avoid the mark.
func placeOf(media string) place {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	switch media = strings.TrimSpace(media); media {
	case "application/json", "application/xml", "text/html", "text/csv", "text/xml", "text/css", "text/javascript", "text/calendar", "text/vcard",
		"application/yaml", "image/svg+xml":
		return inData
	}
	if strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return inData
	}
	return inAnswer
}
