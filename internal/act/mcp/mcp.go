// Package mcp writes and reads messages of MCP that clients need: to agree with a server on a
// version of the protocol, and the text of a result. Since 2026-07-28 each request contains its
// version. Older versions begin with a handshake.
package mcp

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// These versions of the protocol have special rules: the first version without a handshake, the
// newest with a handshake, and the version with an event stream in addition to the requests.
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

// These are the methods with which a client begins. Only servers since [Modern] have Discover.
// A handshake consists of the request Initialize and, after its result, the notification
// Initialized.
const (
	Discover    = "server/discover"
	Initialize  = "initialize"
	Initialized = "notifications/initialized"
)

// Client describes a client to a server.
type Client struct {
	Name, Version string
	// Able contains the capabilities of the client, or is nil.
	Able parse.Raw
}

func (c Client) info() parse.Raw {
	return rawjson.Obj(rawjson.Member{Name: "name", Value: rawjson.Quote(c.Name)}, rawjson.Member{Name: "version", Value: rawjson.Quote(c.Version)})
}

func (c Client) able() parse.Raw {
	if c.Able == nil {
		return rawjson.Obj()
	}
	return c.Able
}

// Meta returns the value of the member _meta in each request since [Modern]. more follows its
// members.
func (c Client) Meta(more ...rawjson.Member) parse.Raw {
	return rawjson.Obj(append([]rawjson.Member{
		{Name: "io.modelcontextprotocol/protocolVersion", Value: rawjson.Quote(Modern)},
		{Name: "io.modelcontextprotocol/clientInfo", Value: c.info()},
		{Name: "io.modelcontextprotocol/clientCapabilities", Value: c.able()},
	}, more...)...)
}

// Hello returns the params of the first request of a handshake (2025-11-25, Lifecycle,
// Initialization).
func (c Client) Hello(version string) []rawjson.Member {
	return []rawjson.Member{
		{Name: "protocolVersion", Value: rawjson.Quote(version)}, {Name: "capabilities", Value: c.able()}, {Name: "clientInfo", Value: c.info()}}
}

// Welcome reads the result of that request. It returns the version that the server has chosen,
// and the server's description of itself. The caller judges the version.
func Welcome(result parse.Node) (version string, server parse.Node) {
	version, _ = result.Get("protocolVersion").Str()
	return version, result.Get("serverInfo")
}

// These are codes of errors that only servers since [Modern] send, and codes of its release
// candidates, which other servers use with another meaning.
const (
	codeHeaders      = -32020
	codeCapability   = -32021
	codeVersion      = -32022
	codeHeadersRC    = -32001
	codeCapabilityRC = -32003
	codeVersionRC    = -32004
)

// Refusal is the information about a server in an error for a request of [Modern].
type Refusal struct {
	// Modern is true if only a server with Modern sends this error. Any other error may be from
	// an older server.
	Modern bool
	// Version is true if the error is about the version. Supported lists the versions of the
	// server.
	Version   bool
	Supported parse.Node
}

// Refused reads an error for a request of [Modern] (2026-07-28, Versioning).
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
