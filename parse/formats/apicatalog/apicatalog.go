// Package apicatalog reads the API catalogue of a site (RFC 9727): a linkset in
// JSON (RFC 9264) at /.well-known/api-catalog, which says for each API where its
// description, its documentation and its status are.
//
//	f := apicatalog.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: linkset})
//
// Sections in diagnostics are those of RFC 9264, unless they name RFC 9727.
//
// # Promises
//
// Each anchor that is not the catalogue, and each item, is a service with an
// interface. Every target of a link is a Document, in the order of the catalogue.
// A machine-readable description ("service-desc") is followed, whatever its format; so
// are nested catalogues, and agent cards among the metadata. Links with other relations
// lead nowhere: neither an API nor an alternate or payment link is asked for.
//
// A catalogue has no capabilities of its own: they are in the descriptions. Targets
// are read as strings, objects and arrays; a linkset that lists links one by one is
// read as well.
//
// # Not supported
//
// Linksets in the syntax of the Link header field (application/linkset).
package apicatalog

import (
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is where a catalogue is served (RFC 9727 §2).
const Path = "/.well-known/api-catalog"

// MediaType is that of a linkset in JSON.
const MediaType = "application/linkset+json"

// name is the name of the format.
const name = "apicatalog"

// maxBytes is the largest catalogue that is read. Some are generated from gateways.
const maxBytes = 4 << 20

// The sections of the specifications.
const (
	secJSON     = "§4.2"
	secLinkset  = "§4.2.1"
	secContext  = "§4.2.2"
	secTarget   = "§4.2.3"
	secAttr     = "§4.2.4"
	secMedia    = "§6.2"
	secRelation = "RFC 9727 §3"
	secCatalog  = "RFC 9727 §4"
)

// spec is the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "RFC 9264", URL: "https://www.rfc-editor.org/rfc/rfc9264"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "API catalogue (RFC 9727): the APIs of a publisher, and where each is described",
		Rules: rules(),
		Examples: map[string]string{
			"href":    `"https://api.shop.example/openapi.json"`,
			"linkset": `[{"anchor": "https://api.shop.example/", "service-desc": [{"href": "https://api.shop.example/openapi.json"}]}]`,
		},
		Marks: []string{"linkset"},
		Locations: []parse.Location{{
			Path: Path, Section: "RFC 9727 §2", Accept: MediaType + ", application/json;q=0.5", Note: "a linkset in JSON",
		}},
		// Nothing is said about caching. An hour is what documents of this kind use.
		Cache: parse.CachePolicy{Default: time.Hour},
		// The canonical catalogue may be on another domain of the publisher (RFC 9727
		// §5.1). Whose domain that is only its owner can tell, so it is not gone to.
		Limits:    parse.Limits{Bytes: maxBytes, Items: parse.DefaultItems, SameSiteOnly: true},
		PerSource: true,
		Index:     true,
		Match:     match,
		Parse:     parseCatalog,
	}
}

// enough is how many contexts are looked at to recognise a linkset.
const enough = 20

// match recognises a linkset by its contexts, and the lists of other kinds that
// sites have at the place of a catalogue.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONThatFits()
	if err != nil {
		return parse.Claim{}
	}
	here := in.URL != nil && strings.HasSuffix(in.URL.Path, "/api-catalog")
	switch set := root.Get("linkset"); {
	case set.Kind() == parse.Object && isContext(set):
		return parse.Claim{Level: parse.Exact}
	case set.Kind() == parse.Array:
		for i := range min(set.Len(), enough) {
			if isContext(set.Index(i)) {
				return parse.Claim{Level: parse.Exact}
			}
		}
		if here {
			return parse.Claim{Level: parse.Likely}
		}
	case here && isLink(root.Get("links").Index(0)):
		return parse.Claim{Other: true, Dialect: "link-list", Why: "It has \"links\" instead of \"linkset\"."}
	case here && root.Get("apis").Kind() == parse.Array:
		return parse.Claim{Other: true, Dialect: "api-list", Why: "It has \"apis\" instead of \"linkset\"."}
	}
	return parse.Claim{}
}

// isContext reports an object with an anchor, or one that is a link or has one.
func isContext(n parse.Node) bool {
	if n.Kind() != parse.Object {
		return false
	}
	if n.Get("anchor").Exists() || isLink(n) {
		return true
	}
	seen := 0
	for _, value := range n.Members() {
		if value.Get("href").Exists() || value.Index(0).Get("href").Exists() {
			return true
		}
		if seen++; seen == enough {
			break
		}
	}
	return false
}

// isLink reports an object with a relation and a target.
func isLink(n parse.Node) bool { return n.Get("rel").Exists() && n.Get("href").Exists() }

// reader reads one catalogue.
type reader struct {
	*parse.Reader
	// base is where the catalogue was in the end, requested where it was asked for;
	// nil when that is not known.
	base, requested *url.URL
	reading         parse.Reading
	list            []*wayfind.Service
	services        map[string]*wayfind.Service // by the URL or template of their anchor
	slugs           map[string]bool
	followed        map[string]bool
	targets         int // that were read
	more            struct{ contexts, services, targets int }
}
