// Package aid reads the record of Agent Identity & Discovery that a host serves at /.well-known/agent: one
// endpoint of the host, with its protocol and the kind of credential that it takes.
//
//	f := aid.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// # Promises
//
// Versions 1 and 2 are read, with short and long keys. An MCP server is an interface, and a card or an API
// description is followed. Software to run is named, and never run. A record that is reached by a redirect is
// not used.
//
// # Not supported
//
// The record in DNS (`_agent`), which this library does not ask for, and the proof of the endpoint's key: the
// key is kept as data.
package aid

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of a record. The Agent Discovery Protocol has its manifest there, too.
const Path = "/.well-known/agent"

const name = "aid"

// The headings of the specification.
const (
	secRecord   = "TXT Record"
	secFallback = ".well-known fallback"
)

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Agent Identity & Discovery 2.1", URL: "https://github.com/agentcommunity/agent-identity-discovery"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     spec(),
		Title:    "Agent Identity & Discovery record: the one endpoint of a host, with its protocol",
		Rules:    rules(),
		Examples: examples(),
		Marks:    []string{"v", "u", "p"},
		Locations: []parse.Location{{
			Path: Path, Section: secFallback, Accept: "application/json", Note: "the record of DNS, in JSON",
		}},
		// A record of DNS lives for 300 to 900 seconds.
		Cache: parse.CachePolicy{Default: 15 * time.Minute, Section: secFallback},
		Match: match,
		Parse: parseRecord,
	}
}

// match recognises a record by its version and its endpoint.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	version, ok := root.Get("v").Str()
	if !ok {
		version, _ = root.Get("version").Str()
	}
	if len(version) < 4 || version[:3] != "aid" || version[3] < '0' || version[3] > '9' {
		return parse.Claim{}
	}
	if !root.Has("u", "uri") {
		return parse.Claim{}
	}
	return parse.Claim{Level: parse.Exact}
}
