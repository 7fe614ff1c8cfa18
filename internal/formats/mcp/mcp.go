// Package mcp reads the published descriptions of servers of the Model Context Protocol,
// before any connection to one: every shape that was proposed or is in use at
// /.well-known/mcp.json and the places around it.
//
//	f := mcp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: card})
//
// The dialects, which differ in their members:
//
//	"server-card"    Server Card of SEP-2127: name, version, remotes
//	"server-json"    server.json of the registry, 2025-07 and later
//	"server-info"    SEP-1649: serverInfo, transport, capabilities, tools
//	"manifest"       SEP-1960: mcp_version, endpoints
//	"endpoint"       a name and one URL (PR #1054), and equivalent documents
//	"servers"        a list of servers
//	"client-config"  mcpServers, as in the configuration of a client
//	"tools"          a list of tools: a result, a response, or the array alone
//
// Many documents have members of two dialects. The members of every dialect are read from each
// document.
//
// # How a document is recognised
//
// The first of these signs that a document has decides. Unknown members never hide a sign.
//
//  1. A member that no other format has: mcpServers, serverInfo with a name and
//     something of a server, mcp_version.
//  2. A list of servers whose entries name a transport, a package or an address.
//  3. A $schema of the project, or packages as only server.json has them.
//  4. remotes: addresses with words for a transport of MCP, and a name.
//  5. At MCP's own places (/.well-known/mcp… and …/server-card), one address that
//     the document declares as an endpoint of MCP: next to a word for a transport,
//     in transport, transports, remotes, endpoints, server or serverInfo, or in a
//     member named for it (mcp_endpoint, sseUrl). Other members do not matter.
//  6. A list of tools, by their schemas, annotations or arguments.
//  7. A name and an address, if a word for a transport of MCP, or "mcp", identifies
//     them, or if there is nothing else at a place of MCP.
//
// The last two signs are ignored in a document that has the version of another format, or the
// address and skills of an agent.
//
// # Guarantees
//
// If a document of any format names the address of a server but not its card, the card is
// requested at <address>/server-card, if that is on the same site.
//
// Each server is a service. Each of its endpoints is an interface with the protocol "mcp" and
// the transport "streamable-http", "sse", "websocket" or the value in the document. Only the
// names of header fields are kept; fields that carry secrets are kept as authentication. A
// reading never contains the value of a secret.
//
// Tools, resources and prompts that a document lists are capabilities that it claims. They are
// used through the server: Via is "mcp", any interface of the service can be used, and
// Operation is the name of the tool or prompt, the URI of the resource, or the template of
// such URIs. In documents about several servers their IDs begin with the name of the server.
// Annotations are claims of the server. They become Effects; missing annotations have the
// defaults of the specification.
//
// Programs that would run on the caller's machine (packages, commands, stdio) are listed as
// LocalInstall and nowhere else. Names of environment variables are kept. Their values never
// are, nor are arguments that carry a secret.
//
// The members next to a list of servers are kept, with the server that they describe or as a
// service of their own. A secret is required unless the document declares it optional. A
// publisher's hint about a tool takes precedence over a default, wherever the hint is.
//
// A document is unusable if it names no address, no tool and no package, or if none of its
// addresses can be used. Server Cards and server.json need not name any of these: they are
// found, with nothing to call. A document that declares that there is no server is a "no".
//
// # Live MCP
//
// [ReadPage] reads the result of a list request of the protocol into the same capabilities.
// [ReadServer] reads the description that a server returns of itself.
package mcp

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/parse"
)

// The places that are requested. Servers have PathCard and PathJSON; the others are requested
// after an absence there.
const (
	PathCard = "/.well-known/mcp/server-card.json"
	PathJSON = "/.well-known/mcp.json"
	// PathManifest may be the endpoint of a server itself.
	PathManifest = "/.well-known/mcp"
	PathCards    = "/.well-known/mcp/server-cards.json"
	// PathEndpoint is the place of the card of a server at /mcp (SEP-2127), and PathBelow the same
	// place below the base of a target.
	PathEndpoint = "/mcp/server-card"
	PathBelow    = "/server-card"
)

// name is the name of the format, and protocol the name of the protocol of its interfaces.
const (
	name     = "mcp"
	protocol = "mcp"
)

// Transports of interfaces.
const (
	transportHTTP      = "streamable-http"
	transportSSE       = "sse"
	transportWebSocket = "websocket"
	transportLocal     = "stdio"
)

// The sections: the names of the texts that define the shapes.
const (
	secCard      = "Server Card (SEP-2127)"
	secDiscovery = "Discovery (SEP-2127)"
	secRegistry  = "server.json"
	secInfo      = "SEP-1649"
	secManifest  = "SEP-1960"
	secEndpoint  = "PR #1054"
	secServers   = "list of servers"
	secConfig    = "client configuration"
	secTools     = "Tools"
	secResources = "Resources"
	secPrompts   = "Prompts"
)

// spec returns the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Model Context Protocol", URL: "https://modelcontextprotocol.io/specification/" + mcpera.Modern}
}

// maxBytes is the largest document that is read: cards with a thousand tools and their schemas have one to four
// million bytes.
const maxBytes = 4 << 20

// Format returns the format.
func Format() *parse.Format {
	const accept = "application/mcp-server-card+json, application/json"
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "MCP documents: servers, where they are spoken to and the tools they claim",
		Marks: []string{"name", "remotes"},
		Locations: []parse.Location{
			{Path: PathCard, Section: secInfo, Accept: accept, Note: "server cards of all versions"},
			{Path: PathJSON, Section: secEndpoint, Accept: accept, Note: "cards, lists of servers and client configurations"},
			{Path: PathManifest, After: PathJSON, Section: secManifest, Accept: accept, Note: "a manifest or a list; may be a server, which answers that it wants another method"},
			{Path: PathCards, After: PathCard, Section: secServers, Accept: accept, Note: "lists of server cards"},
			{Path: PathEndpoint, After: PathCard, Section: secDiscovery, Accept: accept, Note: "the card of a server at /mcp"},
			{Path: PathBelow, Base: true, Section: secDiscovery, Accept: accept, Note: "the card of the server that the target names"},
		},
		Cache:     parse.CachePolicy{Default: time.Hour, Section: secDiscovery},
		Limits:    parse.Limits{Bytes: maxBytes},
		PerSource: true,
		Near:      near,
		Match:     match,
		Parse:     parseDocument,
		Rules:     rules(),
		Examples:  examples(),
	}
}

// reader reads one document.
type reader struct {
	*parse.Reader
	in    *parse.Input
	shape shape
	// base is the URL of the document, or nil if it is unknown.
	base *url.URL
	// declared is set if the document is a Server Card by its $schema.
	declared bool
	// live is set if the text comes from a server and not from a document.
	live bool
	// refused is set if the document names an address that cannot be used.
	refused bool
	// links are the descriptions of APIs that the document names.
	links []parse.Link
	// key is the member name of the current entry; empty in a list.
	key string
	// left is the number of capabilities that may still be read.
	left int
}

func newReader(in *parse.Input, s shape) *reader {
	base := in.FinalURL
	if base == nil {
		base = in.URL
	}
	return &reader{Reader: newReporter(), in: in, shape: s, base: base, left: parse.DefaultItems}
}

func newReporter() *parse.Reader { return parse.NewReader(&parse.Format{Name: name, Spec: spec()}) }

// has reports whether a member exists and is not null.
func has(obj parse.Node, member string) bool {
	k := obj.Get(member).Kind()
	return k != parse.Missing && k != parse.Null
}

// text reads a string that has several possible names.
func (r *reader) text(obj parse.Node, need parse.Need, names ...string) string {
	member := obj.Pick(names...)
	if need == parse.Optional {
		obj = obj.IfSet(member)
	}
	return r.String(obj, member, need, r.shape.section())
}

// rest keeps the members of an object that the model has no field for, except those with a
// secret.
func (r *reader) rest(obj parse.Node, into *map[string]parse.Raw, known ...string) {
	for member, value := range r.UnknownMembers(obj, known...) {
		switch at, found := secretIn(member, value); {
		case found:
			r.secret(at)
		case value.Kind() != parse.Null:
			parse.SetExtension(into, member, value)
		}
	}
}

// bounded cuts a list to the entries that are read.
func (r *reader) bounded(list parse.Node, entries []parse.Node) []parse.Node {
	if len(entries) <= parse.DefaultItems {
		return entries
	}
	r.Report(ruleTruncated.At(r.shape.section()).Beyond("entries", len(entries), parse.DefaultItems), list, "of %d entries the first %d were read", len(entries), parse.DefaultItems)
	return entries[:parse.DefaultItems]
}
