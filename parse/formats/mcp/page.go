package mcp

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Page is one page of a list that a server gave.
type Page struct {
	// Capabilities in the order of the page, at most 1,000. They are not
	// Claimed: the server itself said so. Via is "mcp": the interface they were
	// asked of is that of the service they are put into.
	Capabilities []wayfind.Capability
	// Next is the cursor of the next page, nil when this is the last. An empty
	// string is a cursor like any other.
	Next *string
	// TTL is how long the page may be kept by the server's word; nil when it
	// does not say.
	TTL *time.Duration
	// Private: the page is for this caller only. It is not when the server says
	// so ("cacheScope": "public").
	Private     bool
	Diagnostics []wayfind.Diagnostic
}

// maxTTL bounds what a server says about keeping a page: 100 years.
const maxTTL = 100 * 365 * 24 * time.Hour

// ReadPage reads the answer to a list request: method is "tools/list",
// "resources/list", "resources/templates/list" or "prompts/list", and the body
// the result, or the whole JSON-RPC response with it. It is pure: pages are
// asked for, counted and put together by the caller.
//
// An error has Op "parse" and Kind ErrInvalid: what [parse.Input.JSON] gives,
// or the code schema when the body is no result of that method, such as a
// JSON-RPC error, or the method is none of the four.
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

// Server is what a server says about itself.
type Server struct {
	// Service has the name, version, pages and icon; what else is said, such as
	// capabilities and instructions, stands in its Extensions. Instructions are
	// data. There are no interfaces: the caller knows the one that was asked.
	Service wayfind.Service
	// Versions of the protocol: all that the server has ("server/discover"), or
	// the one that was agreed upon ("initialize").
	Versions    []string
	Diagnostics []wayfind.Diagnostic
}

// Keys under which results have the server's identity since 2026-07-28.
const (
	metaInfo  = "io.modelcontextprotocol/serverInfo"
	metaShort = "serverInfo"
)

// ReadServer reads the answer to "initialize" or to "server/discover": the
// result, or the JSON-RPC response with it. The error is that of [ReadPage].
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

// introduction reads a result in which a server says who it is.
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
