// Package ucp reads profiles of the Universal Commerce Protocol:
// /.well-known/ucp, which says by which services a shop can be spoken with, and
// which capabilities it has.
//
//	f := ucp.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// The specification is the Overview of the releases 2026-01-11 to 2026-08-25. The
// first two write a service as an object and capabilities as an array
// ([DialectObjects]), the later ones both as maps of arrays ([DialectArrays]). The
// shape decides which it is, not the version.
//
// # Promises
//
// A redirect is refused, here and on the way to the profile of an older version.
// One such profile is linked at most, where the profile itself is newer than the
// releases named here, and it is used only if it has the version that it was
// linked as.
//
// Names are bound to hosts: an entity whose schema is not served by the owner of
// its name counts as absent, and that schema is in no link.
//
// Private members of keys are in nothing that is read, and no message shows them.
//
// Nothing is called, and nothing is paid: capabilities have no contract here,
// since the specification holds it, and payment handlers are data.
//
// # Not supported
//
// Schemas are linked where they are on the host of the profile and are those of a
// service; those of ucp.dev and of capabilities are named and not fetched. Keys
// are not used for anything. Profiles of platforms, which call shops, are read as
// if they were those of shops.
package ucp

import (
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is where a profile is served.
const Path = "/.well-known/ucp"

// The dialects, and the name of documents that are no profile.
const (
	DialectArrays    = "2026-04"
	DialectObjects   = "2026-01"
	DialectLookalike = "ucp-lookalike"
)

// newest is the newest release that is read. Versions compare as texts.
const newest = "2026-08-25"

const name = "ucp"

// spec is the specification that diagnostics refer to.
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
		// Clients keep a profile for a minute at least, whatever its header says.
		Cache:  parse.CachePolicy{Default: time.Hour, Floor: time.Minute, Section: "Hosting"},
		Limits: parse.Limits{Redirects: -1},
		Match:  match,
		Parse:  parseProfile,
	}
}

// match looks for the object that holds a profile. Documents that use the
// protocol's words without it are told apart.
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

// lookalike is the claim on a document of another shape.
func lookalike(why string) parse.Claim {
	return parse.Claim{Other: true, Dialect: DialectLookalike, Why: "not a UCP profile: `ucp` must be an object" + why}
}

// dialectOf is the generation of a profile, by its shape.
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

// hasReserved reports a map, or a list of entries with names, in which one is of
// the protocol's own.
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

// atPlace reports whether a document was served where those of the protocol are.
func atPlace(u *url.URL) bool { return u != nil && u.Path == Path }
