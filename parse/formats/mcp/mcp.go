// Package mcp reads the published descriptions of servers of the Model Context
// Protocol, before any connection to one: every shape that was proposed or is
// in use at /.well-known/mcp.json and the places around it.
//
//	f := mcp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: card})
//
// The dialects, told apart by their members:
//
//	"server-card"    Server Card of SEP-2127: name, version, remotes
//	"server-json"    server.json of the registry, 2025-07 and later
//	"server-info"    SEP-1649: serverInfo, transport, capabilities, tools
//	"manifest"       SEP-1960: mcp_version, endpoints
//	"endpoint"       a name and one URL (PR #1054), and whatever else says as much
//	"servers"        a list of servers
//	"client-config"  mcpServers, as clients are configured with
//	"tools"          a list of tools: a result, a response, or the array alone
//
// Many documents have members of two dialects. The members of every dialect are
// read from each document.
//
// # How a document is recognised
//
// The first of these signs that holds decides. Unknown members never hide a sign.
//
//  1. A member that no other format has: mcpServers, serverInfo with a name and
//     something of a server, mcp_version.
//  2. A list of servers whose entries name a transport, a package or an address.
//  3. A $schema of the project, or packages as only server.json has them.
//  4. remotes: addresses with words for a transport of MCP, and a name.
//  5. At MCP's own places (/.well-known/mcp… and …/server-card), one address that
//     the document declares as an endpoint of MCP: beside a word for a transport,
//     in transport, transports, remotes, endpoints, server or serverInfo, or in a
//     member named for it (mcp_endpoint, sseUrl). Nothing else matters.
//  6. A list of tools, by their schemas, annotations or arguments.
//  7. A name and an address, if a word for a transport of MCP, or "mcp", identifies
//     them, or if there is nothing else at a place of MCP.
//
// The last two do not count in a document that has the version of another
// format, or the address and skills of an agent.
//
// # Guarantees
//
// A server whose address a document of any format names, without a card, is asked for
// its card at <address>/server-card, if that is on the same site.
//
// Each server is a service. Each of its endpoints is an interface with the
// protocol "mcp" and the transport "streamable-http", "sse", "websocket" or the
// value in the document. Only the names of header fields are kept, those of
// fields that carry secrets as authentication. A reading never holds the value of
// a secret.
//
// Tools, resources and prompts that a document lists are capabilities that it
// claims. They are used through the server: Via is "mcp", any interface of the
// service will do, and Operation is the name of the tool or prompt, the URI of
// the resource, or the template of such URIs. In documents about several
// servers their IDs begin with the name of the server. Annotations are the
// server's word and become Effects, with the defaults of the specification
// where it says nothing.
//
// Programs that would run on the caller's machine (packages, commands, stdio) are
// listed as LocalInstall and nowhere else. Names of environment variables are
// kept. Their values never are, nor are arguments that carry a secret.
//
// The members beside a list of servers are kept, with the server that they describe
// or as a service of their own. A secret is required unless the document says that
// it is not. A publisher's hint about a tool takes precedence over a default,
// wherever it stands.
//
// A document is unusable when it names no address, no tool and no package, or
// when none of its addresses can be used. Server Cards and server.json need not
// name any of these: they are found, with nothing to call. A document that says
// that there is no server is a "no".
//
// # Live MCP
//
// [ReadPage] reads the result of a list request of the protocol into the same
// capabilities. [ReadServer] reads the description that a server gives of itself.
package mcp

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// The places that are asked. PathCard and PathJSON are what servers have; the
// others come after an absence there.
const (
	PathCard = "/.well-known/mcp/server-card.json"
	PathJSON = "/.well-known/mcp.json"
	// PathManifest may be the endpoint of a server itself.
	PathManifest = "/.well-known/mcp"
	PathCards    = "/.well-known/mcp/server-cards.json"
	// PathEndpoint is where a server at /mcp has its card (SEP-2127), and
	// PathBelow the same below whatever a target names.
	PathEndpoint = "/mcp/server-card"
	PathBelow    = "/server-card"
)

// name is the name of the format, and protocol that of the interfaces.
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

// Sections: the names of the texts that define the shapes.
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

// spec names the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Model Context Protocol", URL: "https://modelcontextprotocol.io/specification/2026-07-28"}
}

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
	shape shape
	// base is where the document was served, nil when that is not known.
	base *url.URL
	// declared: the document says by its $schema that it is a Server Card.
	declared bool
	// live: a server said it, and no document.
	live bool
	// refused: an address was named that cannot be used.
	refused bool
	// links are the descriptions of APIs that the document names.
	links []parse.Link
	// key is the name that the entry which is read stands under, "" in a list.
	key string
	// left is how many capabilities may still be read.
	left int
}

func newReader(in *parse.Input, s shape) *reader {
	base := in.FinalURL
	if base == nil {
		base = in.URL
	}
	return &reader{Reader: newReporter(), shape: s, base: base, left: parse.DefaultItems}
}

func newReporter() *parse.Reader { return parse.NewReader(&parse.Format{Name: name, Spec: spec()}) }

// has reports whether a member is there and not null.
func has(obj parse.Node, member string) bool {
	k := obj.Get(member).Kind()
	return k != parse.Missing && k != parse.Null
}

// text reads a string that goes by several names.
func (r *reader) text(obj parse.Node, need parse.Need, names ...string) string {
	member := obj.Pick(names...)
	if need == parse.Optional {
		obj = obj.IfSet(member)
	}
	return r.String(obj, member, need, r.shape.section())
}

// rest keeps the members of an object that the model has no place for, but none
// that holds a secret.
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
