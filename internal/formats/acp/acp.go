// Package acp reads the discovery document of the Agentic Commerce Protocol:
// /.well-known/acp.json, which contains the URL of a shop's API and the names of its
// services.
//
//	f := acp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The specification is rfc.discovery.md of the protocol's repository, a proposal that
// has not been released, with the versions 2025-09-29 to 2026-04-17. Other protocols
// share the abbreviation; protocol.name distinguishes this one.
//
// # Promises
//
// Nothing is called. api_base_url is the address of an Interface. Each word of
// capabilities.services is a Capability without a contract, because the contract is in
// the specification and not in the document. Auth is unknown, because a shop names the
// required credential only after discovery.
//
// The newest version is the one with the latest date, in any order of the list. A
// document whose protocol is not available is treated as absent.
//
// # Not supported
//
// The transport mcp has no address in the document, so there is no Interface for it.
// Specifications and schemas of extensions are not fetched.
package acp

import (
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of the document.
const Path = "/.well-known/acp.json"

// DialectLookalike is the dialect of documents that use the protocol's words but do
// not belong to it.
const DialectLookalike = "acp-lookalike"

const name = "acp"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Agentic Commerce Protocol: Discovery (proposal)",
		URL: "https://github.com/agentic-commerce-protocol/agentic-commerce-protocol/blob/main/rfcs/rfc.discovery.md"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     spec(),
		Title:    "Agentic Commerce Protocol: where a shop's API is, and which of its services it has",
		Rules:    rules(),
		Examples: examples(),
		Marks:    []string{"protocol", "api_base_url"},
		Locations: []parse.Location{{
			Path: Path, Section: "§4.1", Accept: "application/json",
			Note: "at the root of the origin, without authentication",
		}},
		// §4.1 recommends at least one hour to publishers.
		Cache: parse.CachePolicy{Default: time.Hour, Section: "§4.1"},
		Match: match,
		Parse: parseDocument,
	}
}

// match recognises the name of the protocol. A document without it that uses the
// protocol's words is claimed as a lookalike.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	protocol := root.Get("protocol")
	if text, _ := protocol.Get("name").Str(); strings.EqualFold(text, name) {
		return parse.Claim{Level: parse.Exact, Negative: isDenied(protocol) || isDenied(root)}
	}
	text, _ := protocol.Str()
	switch {
	case strings.EqualFold(text, name), len(text) > len(name) && strings.EqualFold(text[:len(name)+1], name+"-"):
		return lookalike("`protocol` is a string; it must be an object whose `name` is `acp`")
	case root.Get("acp_version").Exists():
		return lookalike("it has `acp_version`; the member `protocol` must be an object with `name` and `version`")
	case atPlace(in.URL) && root.Get("endpoints").Get("checkout").Exists():
		return lookalike("it has `endpoints`; it must have `protocol`, an object whose `name` is `acp`, and `api_base_url`")
	}
	return parse.Claim{}
}

// lookalike returns the claim on a document of another shape.
func lookalike(why string) parse.Claim {
	return parse.Claim{Other: true, Dialect: DialectLookalike, Why: "not a discovery document of the Agentic Commerce Protocol: " + why}
}

// isDenied reports whether an object states that the protocol is not available.
func isDenied(obj parse.Node) bool {
	available, said := obj.Get("available").Bool()
	return said && !available
}

// atPlace reports whether a document was served at the path of the protocol.
func atPlace(u *url.URL) bool { return u != nil && u.Path == Path }
