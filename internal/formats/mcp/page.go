package mcp

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Page is one page of a list that a server returned.
type Page struct {
	// Capabilities are the capabilities in the order of the page, at most 1,000. They are not
	// Claimed, because the server itself declared them. Via is "mcp": the interface that returned
	// them is an interface of the service that they are added to.
	Capabilities []wayfind.Capability
	// Next is the cursor of the next page, or nil if this is the last one. An empty string is a
	// cursor like any other.
	Next *string
	// TTL is the time for which the server allows the page to be kept, or nil if it does not state
	// one.
	TTL *time.Duration
	// Private is set if the page is for this caller only. It is false if the server declares the
	// page public ("cacheScope": "public").
	Private     bool
	Diagnostics []wayfind.Diagnostic
}

// maxTTL bounds the lifetime that a server may state for a page: 100 years.
const maxTTL = 100 * 365 * 24 * time.Hour

// ReadPage reads the response to a list request. method is "tools/list", "resources/list",
// "resources/templates/list" or "prompts/list". The body is the result, or the whole JSON-RPC
// response with it. ReadPage is pure: the caller requests, counts and joins the pages.
//
// An error has Op "parse" and Kind ErrInvalid. It is the error of [parse.Input.JSON], or has
// the code schema if the body is not a result of that method, such as a JSON-RPC error, or the
// method is none of the four.
func ReadPage(method string, in *parse.Input) (*Page, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	if has(root, "jsonrpc") {
		if !has(root, "result") {
			return nil, parse.Invalid("the response to %q holds no result", method)
		}
		root = root.Get("result")
	}
	r := newReader(in, shapeTools)
	r.live = true
	for _, k := range kinds() {
		if k.method == method {
			return r.page(root, k)
		}
	}
	return nil, parse.Invalid("%q is not a method that lists capabilities", method)
}

func (r *reader) page(root parse.Node, k kind) (*Page, error) {
	member := k.members[0]
	if root.Get(member).Kind() != parse.Array {
		return nil, parse.Invalid("the result of %q has no array %q", k.method, member)
	}
	p := &Page{
		Capabilities: r.capabilities(root, member, k),
		Next:         r.StringPtr(root.IfSet("nextCursor"), "nextCursor", parse.Optional, k.section),
		Private:      true,
	}
	if ms := r.Int(root.IfSet("ttlMs"), "ttlMs", parse.Optional, k.section); ms != nil {
		p.TTL = new(time.Duration(min(max(*ms, 0), maxTTL.Milliseconds())) * time.Millisecond)
	}
	if scope := r.String(root.IfSet("cacheScope"), "cacheScope", parse.Optional, k.section); scope == "public" {
		p.Private = false
	}
	p.Diagnostics = r.Diagnostics()
	return p, nil
}

// Server is a server's description of itself.
type Server struct {
	// Service has the name, version, pages and icon. Other members of the result, such as
	// capabilities and instructions, are in its Extensions. Instructions are only data. There are
	// no interfaces: the caller knows the one that it used.
	Service wayfind.Service
	// Versions are the versions of the protocol: all that the server supports ("server/discover"),
	// or the negotiated one ("initialize").
	Versions    []string
	Diagnostics []wayfind.Diagnostic
}

// The keys under which results contain the server's identity since mcpera.Modern.
const (
	metaInfo  = "io.modelcontextprotocol/serverInfo"
	metaShort = "serverInfo"
)

// ReadServer reads the response to "initialize" or to "server/discover": the result, or the
// JSON-RPC response with it. The error is like the error of [ReadPage].
func ReadServer(in *parse.Input) (*Server, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	if has(root, "jsonrpc") {
		if !has(root, "result") {
			return nil, parse.Invalid("the response holds no result")
		}
		root = root.Get("result")
	}
	if !hasAny(root, "protocolVersion", "supportedVersions") {
		return nil, parse.Invalid("the result names no version of the protocol")
	}
	r := newReader(in, shapeInfo)
	return r.introduction(root), nil
}

// introduction reads a result in which a server identifies itself.
func (r *reader) introduction(root parse.Node) *Server {
	at := &Server{Service: wayfind.Service{Sources: parse.SourcesAt(root)}}
	info := root.Get("serverInfo")
	if meta := root.Get("_meta"); info.Kind() == parse.Missing {
		info = meta.Get(meta.Pick(metaInfo, metaShort))
	}
	s := &at.Service
	s.Name = r.text(info, parse.Optional, "title", "name")
	s.Version = r.Text(info.IfSet("version"), "version", parse.Optional, secInfo)
	r.about(info, parse.Node{}, s)
	at.Versions = r.versionList(root)
	if has(root, "supportedVersions") {
		at.Versions = r.Strings(root, "supportedVersions", parse.Must, secInfo)
	}
	r.rest(root, &s.Extensions, "serverInfo", "_meta", "protocolVersion", "supportedVersions", "resultType", "ttlMs", "cacheScope")
	at.Diagnostics = r.Diagnostics()
	return at
}
