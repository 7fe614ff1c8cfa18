// Package mcp writes and reads messages of MCP that clients need: to agree with a server on a
// version of the protocol, and the text of a result. Since [mcpera.Modern] each request contains its
// version. Older versions begin with a handshake.
package mcp

import (
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// These are the methods with which a client begins. Only servers since [mcpera.Modern] have Discover.
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

// Meta returns the value of the member _meta in each request since [mcpera.Modern]. more follows its
// members.
func (c Client) Meta(more ...rawjson.Member) parse.Raw {
	return rawjson.Obj(append([]rawjson.Member{
		{Name: "io.modelcontextprotocol/protocolVersion", Value: rawjson.Quote(mcpera.Modern)},
		{Name: "io.modelcontextprotocol/clientInfo", Value: c.info()},
		{Name: "io.modelcontextprotocol/clientCapabilities", Value: c.able()},
	}, more...)...)
}

// Hello returns the params of the first request of a handshake ([mcpera.Legacy], Lifecycle,
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

// These are codes of errors that only servers since [mcpera.Modern] send, and codes of its release
// candidates, which other servers use with another meaning.
const (
	codeHeaders      = -32020
	codeCapability   = -32021
	codeVersion      = -32022
	codeHeadersRC    = -32001
	codeCapabilityRC = -32003
	codeVersionRC    = -32004
)

// Refusal is the information about a server in an error for a request of [mcpera.Modern].
type Refusal struct {
	// Modern is true if only a server with mcpera.Modern sends this error. Any other error may be from
	// an older server.
	Modern bool
	// Version is true if the error is about the version. Supported lists the versions of the
	// server.
	Version   bool
	Supported parse.Node
}

// Refused reads an error for a request of [mcpera.Modern] (Versioning).
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
