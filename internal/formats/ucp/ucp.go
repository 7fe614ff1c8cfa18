// Package ucp reads profiles of the Universal Commerce Protocol at /.well-known/ucp. A profile
// contains the services of a shop and its capabilities.
//
//	f := ucp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The specification is the Overview of the releases 2026-01-11 to 2026-08-25. The first two
// write a service as an object and capabilities as an array ([DialectObjects]), the later ones
// both as maps of arrays ([DialectArrays]). The shape decides the dialect, not the version.
//
// # Promises
//
// A redirect is refused, here and on the way to the profile of an older version. At most one
// such profile is linked, if the profile itself is newer than the releases named here. It is
// used only if it has the version in the link to it.
//
// Names are bound to hosts: if the schema of an entity is not served by the owner of its name,
// the entity is ignored, and no link leads to that schema.
//
// Private members of keys are never part of a reading, and no message contains them.
//
// Nothing is called, and nothing is paid: capabilities have no contract here, because the
// specification contains it, and payment handlers are data.
//
// # Not supported
//
// Schemas are linked if they are on the host of the profile and are schemas of a service.
// Schemas of ucp.dev and of capabilities are named and not fetched. Keys are not used for
// anything. Profiles of platforms, which call shops, are read as if they were profiles of
// shops.
package ucp

import (
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the place of a profile.
const Path = "/.well-known/ucp"

// The dialects, and the name of documents that are not profiles.
const (
	DialectArrays    = "2026-04"
	DialectObjects   = "2026-01"
	DialectLookalike = "ucp-lookalike"
)

// newest is the newest release that is read. Versions compare as texts.
const newest = "2026-08-25"

const name = "ucp"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Universal Commerce Protocol " + newest, URL: "https://ucp.dev/" + newest + "/specification/overview/"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     spec(),
		Title:    "Universal Commerce Protocol: the services of a shop, and its capabilities",
		Rules:    rules(),
		Examples: examples(),
		Marks:    []string{"ucp"},
		Locations: []parse.Location{{
			Path: Path, Section: "Profile Structure", Accept: "application/json",
			Note: "redirects are not followed",
		}},
		// Clients keep a profile for at least a minute, regardless of its header.
		Cache:  parse.CachePolicy{Default: time.Hour, Floor: time.Minute, Section: "Hosting"},
		Limits: parse.Limits{Redirects: -1},
		Match:  match,
		Parse:  parseProfile,
	}
}

// match looks for the object that contains a profile. It also recognises documents that use
// the protocol's words without this object.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	ucp := root.Get("ucp")
	if ucp.Kind() == parse.Object {
		available, said := ucp.Get("available").Bool()
		switch {
		case said && !available:
			return parse.Claim{Level: parse.Exact, Negative: true}
		case ucp.Get("version").Exists(), ucp.Get("services").Exists(), ucp.Get("capabilities").Exists():
			return parse.Claim{Level: parse.Exact, Dialect: dialectOf(ucp)}
		}
		return parse.Claim{}
	}
	switch {
	case ucp.Exists() && (root.Has("services", "capabilities", "endpoints", "protocol_version") || atPlace(in.URL)):
		return lookalike(", and is of type " + ucp.Kind().String())
	case root.Get("ucp_version").Exists():
		return lookalike("; the document has `ucp_version` instead")
	case hasReserved(root.Get("capabilities")), hasReserved(root.Get("services")):
		return lookalike(" that holds `services` and `capabilities`; the document has none")
	case isCalled(root.Get("protocol"), name):
		return lookalike("; the document has `protocol` instead")
	case atPlace(in.URL) && root.Get("protocol_version").Exists() && root.Has("services", "endpoints"):
		return lookalike("; the document has `protocol_version` instead")
	}
	return parse.Claim{}
}

// lookalike returns the claim on a document of another shape.
func lookalike(why string) parse.Claim {
	return parse.Claim{Other: true, Dialect: DialectLookalike, Why: "not a UCP profile: `ucp` must be an object" + why}
}

// dialectOf returns the generation of a profile, by its shape.
func dialectOf(ucp parse.Node) string {
	if ucp.Get("capabilities").Kind() == parse.Array {
		return DialectObjects
	}
	for _, service := range ucp.Get("services").Members() {
		if service.Kind() == parse.Object && service.Has("rest", "mcp", "a2a", "embedded") {
			return DialectObjects
		}
	}
	return DialectArrays
}

// hasReserved reports whether a map, or a list of entries with names, has a name of the
// protocol itself.
func hasReserved(n parse.Node) bool {
	const reserved = "dev.ucp."
	for member := range n.Members() {
		if strings.HasPrefix(member, reserved) {
			return true
		}
	}
	for _, item := range n.Items() {
		if text, _ := item.Get("name").Str(); strings.HasPrefix(text, reserved) {
			return true
		}
	}
	return false
}

func isCalled(n parse.Node, want string) bool {
	text, _ := n.Str()
	return strings.EqualFold(text, want)
}

// atPlace reports whether a document was served at the place of a profile.
func atPlace(u *url.URL) bool { return u != nil && u.Path == Path }
