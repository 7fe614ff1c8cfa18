// Package aidiscovery reads the AI Discovery Endpoint 1.0: one document at
// /.well-known/ai that names a service, its capabilities and how to call each,
// in one line per parameter.
//
//	f := aidiscovery.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, Body: body})
//
// The rules are those of draft-aiendpoint-ai-discovery-00; sections in
// diagnostics are its sections. "App. B" is the JSON Schema that the draft
// makes normative for types, bounds and closed sets. Where the two disagree
// the draft counts: a category beyond the set is kept with a warning, and a
// language is any tag of BCP 47.
//
// # Promises
//
// Documents are read leniently and reported strictly. The notation for
// parameters has more dialects than the draft describes; each is read, the text
// is kept in Param.Raw, and Param.Confidence says how sure the reading is. No
// parameter is rejected for its notation. A capability has an invocation only
// when method, endpoint and parameters are well-formed (§4.1), and a document
// that does not say how to authenticate leaves it unknown (§3.4).
//
// Two forms that are not of the draft are recognised and reported: everything
// below a member "aiendpoint" (dialect "wrapped"), and a document that only
// lacks that member (dialect "bare").
//
// # Not supported
//
// The registry of the draft's authors, which serves documents that others
// wrote about a service, is not a document of a domain and not read here. The
// query parameters that token hints promise (§3.5) are not added to the
// parameters of capabilities: the publisher does not list them there, and
// Service.TokenHints says it once for all.
package aidiscovery

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is where a document is served, and Alias where a copy may be (§2.1).
const (
	Path  = "/.well-known/ai"
	Alias = "/ai"
)

// Version is the version of the document that is read (§4.4).
const Version = "1.0"

// The dialects beside that of the draft, which is "".
const (
	// DialectWrapped: everything stands below a member "aiendpoint".
	DialectWrapped = "wrapped"
	// DialectBare: the member "aiendpoint" is missing.
	DialectBare = "bare"
)

// maxCapabilities bounds the capabilities that are read (§6.5).
const maxCapabilities = 100

// Sizes of a document in bytes (§4.5): publishers should keep to the first,
// readers may refuse beyond the second.
const (
	wantedBytes = 64 << 10
	maxBytes    = 256 << 10
)

// name is the name of the format.
const name = "aidiscovery"

// spec is the specification that diagnostics refer to.
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
		// §4.2 recommends max-age=86400 to publishers, §4.3 forbids asking
		// again within 24 hours of a 404.
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

// recognise weighs the members that together only this format has. The type of
// "aiendpoint" and of capabilities does not count beside them: a document with
// faults is still one, and the faults are to be reported.
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
	case !mark.Exists() && service.Get("name").Exists() && callable(capabilities):
		return parse.Likely, DialectBare
	}
	return parse.None, ""
}

// isWrapped reports whether the document stands below the mark.
func isWrapped(mark parse.Node) bool {
	return mark.Get("service").Kind() == parse.Object || mark.Get("capabilities").Kind() == parse.Array
}

// isVersion reports a value that looks like a version: the name alone is also
// that of settings in configuration files.
func isVersion(mark parse.Node) bool {
	text, ok := mark.Str()
	if !ok {
		return mark.Kind() == parse.Number
	}
	_, _, ok = versionParts(text)
	return ok
}

// callable reports whether one of the first capabilities says how to call it
// in the words of this format.
func callable(capabilities parse.Node) bool {
	const enough = 20
	for i, c := range capabilities.Items() {
		if c.Get("id").Exists() && c.Get("endpoint").Kind() == parse.String && (c.Get("method").Exists() || c.Get("methods").Exists()) {
			return true
		}
		if i >= enough {
			break
		}
	}
	return false
}
