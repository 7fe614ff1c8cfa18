// Package mcp writes and reads messages of MCP, which callers send: how a client and a server
// find a version of the protocol that both speak, and the text of a result. Since 2026-07-28
// each request names its version. Older versions begin with a handshake.
package mcp

import (
	"slices"

	"github.com/wayfindhq/wayfind/parse"
)

// The versions of the protocol that have a meaning here: the first without a handshake,
// the newest with one, and the one with an event stream beside the requests.
const (
	Modern = "2026-07-28"
	Legacy = "2025-11-25"
	Stream = "2024-11-05"
)

// HasHandshake reports whether a version is known and begins with a handshake over
// streamable HTTP.
func HasHandshake(version string) bool {
	return slices.Contains([]string{Legacy, "2025-06-18", "2025-03-26"}, version)
}

// The methods by which a client begins. Only servers since [Modern] have Discover. A
// handshake is the request Initialize and, after its result, the notification Initialized.
const (
	Discover    = "server/discover"
	Initialize  = "initialize"
	Initialized = "notifications/initialized"
)

// Client is how a client introduces itself.
type Client struct {
	Name, Version string
	// Able are its capabilities, nil for none.
	Able parse.Raw
}

func (c Client) info() parse.Raw {
	return parse.Obj(parse.Member{Name: "name", Value: parse.Quote(c.Name)}, parse.Member{Name: "version", Value: parse.Quote(c.Version)})
}

func (c Client) able() parse.Raw {
	if c.Able == nil {
		return parse.Obj()
	}
	return c.Able
}

// Meta is the value of the member _meta that each request has since [Modern], with more
// behind.
func (c Client) Meta(more ...parse.Member) parse.Raw {
	return parse.Obj(append([]parse.Member{
		{Name: "io.modelcontextprotocol/protocolVersion", Value: parse.Quote(Modern)},
		{Name: "io.modelcontextprotocol/clientInfo", Value: c.info()},
		{Name: "io.modelcontextprotocol/clientCapabilities", Value: c.able()},
	}, more...)...)
}

// Hello is the params of the first request of a handshake (2025-11-25, Lifecycle,
// Initialization).
func (c Client) Hello(version string) []parse.Member {
	return []parse.Member{
		{Name: "protocolVersion", Value: parse.Quote(version)}, {Name: "capabilities", Value: c.able()}, {Name: "clientInfo", Value: c.info()}}
}

// Welcome reads the result of that request: the version that the server has chosen, and how
// it introduces itself. The caller judges the version.
func Welcome(result parse.Node) (version string, server parse.Node) {
	version, _ = result.Get("protocolVersion").Str()
	return version, result.Get("serverInfo")
}

// The codes of errors that only servers since [Modern] send, and those of its release
// candidates, which other servers use with another meaning.
const (
	codeHeaders      = -32020
	codeCapability   = -32021
	codeVersion      = -32022
	codeHeadersRC    = -32001
	codeCapabilityRC = -32003
	codeVersionRC    = -32004
)

// Refusal is what an error to a request of [Modern] says of the server.
type Refusal struct {
	// Modern reports that only a server that speaks Modern sends this error. Any other
	// error may come from an older server.
	Modern bool
	// Version reports that the error is about the version, and Supported lists the versions
	// that the server speaks.
	Version   bool
	Supported parse.Node
}

// Refused reads an error to a request of [Modern] (2026-07-28, Versioning).
func Refused(code int64, data parse.Node) Refusal {
	supported := data.Get("supported")
	switch code {
	case codeVersion:
		return Refusal{true, true, supported}
	case codeVersionRC:
		is := supported.Exists()
		return Refusal{is, is, supported}
	case codeHeaders, codeCapability:
		return Refusal{Modern: true}
	case codeHeadersRC, codeCapabilityRC:
		return Refusal{Modern: data.Kind() == parse.Object}
	}
	return Refusal{}
}
