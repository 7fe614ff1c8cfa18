// Package aidiscovery reads the AI Discovery Endpoint 1.0: one document at
// /.well-known/ai that names a service, its capabilities and how to call each, in one
// line per parameter.
//
//	f := aidiscovery.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, Body: body})
//
// The rules come from draft-aiendpoint-ai-discovery-00; diagnostics refer to its
// sections. "App. B" is the JSON Schema that the draft makes normative for types,
// bounds and closed sets. If the two disagree, the draft applies: a category outside
// of the set is kept with a warning, and a language is any tag of BCP 47.
//
// # Promises
//
// Documents are read leniently and reported strictly. The notation for parameters has
// more dialects than the draft describes. Each is read; Param.Raw contains the text,
// and Param.Confidence is the confidence of the reading. No parameter is rejected for
// its notation. A capability has an invocation only if its method, endpoint and
// parameters are well-formed (§4.1). The authentication is unknown if the document
// does not describe it (§3.4).
//
// Two forms outside of the draft are recognised and reported: a document whose members
// are all below a member "aiendpoint" (dialect "wrapped"), and a document that only
// lacks that member (dialect "bare").
//
// # Not supported
//
// The registry of the draft's authors serves documents that others wrote about a
// service. It is not a document of a domain and is not read here.
package aidiscovery

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of a document, and Alias the path of an optional copy (§2.1).
const (
	Path  = "/.well-known/ai"
	Alias = "/ai"
)

// Version is the version of the document that is read (§4.4).
const Version = "1.0"

// The dialects other than the draft's own, which is "".
const (
	// DialectWrapped is the dialect of a document whose members are all below a member
	// "aiendpoint".
	DialectWrapped = "wrapped"
	// DialectBare is the dialect of a document without the member "aiendpoint".
	DialectBare = "bare"
)

// maxCapabilities bounds the capabilities that are read (§6.5).
const maxCapabilities = 100

// Sizes of a document in bytes (§4.5). Publishers should not exceed the first, and
// readers may refuse documents above the second.
const (
	wantedBytes = 64 << 10
	maxBytes    = 256 << 10
)

// name is the name of the format.
const name = "aidiscovery"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{
		Title: "AI Discovery Endpoint 1.0",
		URL:   "https://datatracker.ietf.org/doc/html/draft-aiendpoint-ai-discovery-00",
	}
}

// Format returns the format.
func Format() *parse.Format {
	const day = 24 * time.Hour
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "AI Discovery Endpoint: a service and its capabilities in one compact document",
		Marks: []string{"aiendpoint", "service", "capabilities"},
		Locations: []parse.Location{
			{Path: Path, Section: "§2.1", Accept: "application/json", Note: "authoritative"},
			{Path: Alias, After: Path, Section: "§4.1", Accept: "application/json",
				Note: "asked after a 404 only; often a page for people"},
		},
		// §4.2 recommends max-age=86400 to publishers. §4.3 forbids another request
		// within 24 hours of a 404.
		Cache:    parse.CachePolicy{Default: day, Negative: day, Section: "§4.2, §4.3"},
		Limits:   parse.Limits{Bytes: maxBytes, Items: maxCapabilities, Redirects: 5},
		Match:    match,
		Parse:    parseDocument,
		Rules:    rules(),
		Examples: examples(),
	}
}

func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	level, dialect := recognise(root)
	return parse.Claim{Level: level, Dialect: dialect}
}

// recognise returns how well the members of a document match the format. If the
// document has a service object, the types of "aiendpoint" and capabilities are not
// checked, because a document with faults still belongs to the format and its faults
// must be reported.
func recognise(root parse.Node) (level parse.Level, dialect string) {
	mark, service, capabilities := root.Get("aiendpoint"), root.Get("service"), root.Get("capabilities")
	switch {
	case isWrapped(mark):
		return parse.Exact, DialectWrapped
	case mark.Exists() && service.Kind() == parse.Object && capabilities.Exists():
		return parse.Exact, ""
	case isVersion(mark) && (service.Exists() || capabilities.Exists()):
		return parse.Exact, ""
	case isVersion(mark):
		return parse.Likely, ""
	case !mark.Exists() && service.Get("name").Exists() && capabilities.Sampled(isCallable) > 0:
		return parse.Likely, DialectBare
	}
	return parse.None, ""
}

// isWrapped reports whether the members of the document are below "aiendpoint".
func isWrapped(mark parse.Node) bool {
	return mark.Get("service").Kind() == parse.Object || mark.Get("capabilities").Kind() == parse.Array
}

// isVersion reports whether a value looks like a version. The name alone is not
// enough, because settings in configuration files have it as well.
func isVersion(mark parse.Node) bool {
	text, ok := mark.Str()
	if !ok {
		return mark.Kind() == parse.Number
	}
	_, _, ok = versionParts(text)
	return ok
}

// isCallable reports whether a capability describes its call with the members of this format.
func isCallable(c parse.Node) bool {
	return c.Has("id") && c.Get("endpoint").Kind() == parse.String && c.Has("method", "methods")
}
