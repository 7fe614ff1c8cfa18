// Package adp reads the Agent Discovery Protocol 1.0: a manifest at /.well-known/agent
// that names a service, its authentication and its capabilities, and one detail
// document per capability that describes how to call it.
//
//	f := adp.Format()
//	reading, err := f.Parse(&parse.Input{Body: manifest})
//
// The rules come from the published text, "Agent Discovery Protocol v1.0"; diagnostics
// refer to its sections. The text does not define how relative URLs are joined or
// where parameters go. These rules come from the reference implementation of its
// authors.
//
// # Promises
//
// Documents are read leniently and reported strictly. A value that breaks a rule is
// reported; it is also dropped if it could do harm. The rest is kept. Nothing is
// fetched, and a capability has no invocation before its detail document is read. Only
// the form of a URL is checked: the caller decides whether it may be requested.
//
// # Not supported
//
// The registry of §6 (a search for services by a sentence) is not a document of a
// domain and is not read here. Other protocols of the same name with other paths are
// not recognised.
package adp

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of a manifest (§1).
const Path = "/.well-known/agent"

// Version is the version of the protocol that is read (§2).
const Version = "1.0"

// name is the name of the format.
const name = "adp"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Agent Discovery Protocol 1.0", URL: "https://agent-dns.dev/docs/spec"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "Agent Discovery Protocol: a manifest of capabilities with a detail document for each",
		Marks: []string{"spec_version", "base_url", "auth", "capabilities"},
		Locations: []parse.Location{{
			Path: Path, Section: "§1", Accept: "application/json",
			Note: "the manifest; it links to one detail document per capability",
		}},
		// §1 recommends max-age=3600 to publishers.
		Cache:    parse.CachePolicy{Default: time.Hour, Section: "§1"},
		Match:    match,
		Parse:    parseManifest,
		Rules:    rules(),
		Examples: examples(),
		Detail:   parseDetail,
	}
}

// match recognises manifests and detail documents.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	switch level := manifestLevel(root); {
	case level != parse.None:
		return parse.Claim{Level: level}
	case isDetail(root):
		return parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
	}
	return parse.Claim{}
}

// manifestLevel returns how well the members of a document match a manifest. The types
// of members are not checked, because a manifest with faults is still a manifest and
// its faults must be reported. A detail_url is specific to the protocol. The names
// spec_version and base_url are common, so an exact match needs both of them and one
// more member.
func manifestLevel(root parse.Node) parse.Level {
	version, base := root.Get("spec_version").Exists(), root.Get("base_url").Exists()
	auth, capabilities := root.Get("auth").Exists(), root.Get("capabilities")
	switch {
	case linksDetails(capabilities) && (version || base || auth):
		return parse.Exact
	case version && base && (auth || capabilities.Exists()):
		return parse.Exact
	case linksDetails(capabilities), version && base:
		return parse.Likely
	}
	return parse.None
}

// linksDetails reports whether one of the first capabilities has a detail_url.
func linksDetails(capabilities parse.Node) bool {
	const enough = 20
	for i, c := range capabilities.Items() {
		if c.Get("detail_url").Exists() {
			return true
		}
		if i >= enough {
			break
		}
	}
	return false
}

// isDetail recognises a detail document (§5): it has a name and three of the members
// that describe a call, one of which is the endpoint or the method.
func isDetail(root parse.Node) bool {
	if root.Get("name").Kind() != parse.String {
		return false
	}
	if !root.Get("endpoint").Exists() && !root.Get("method").Exists() {
		return false
	}
	found := 0
	for _, member := range [...]string{"endpoint", "method", "parameters", "request_example", "response_example"} {
		if root.Get(member).Exists() {
			found++
		}
	}
	return found >= 3
}
