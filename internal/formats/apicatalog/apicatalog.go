// Package apicatalog reads the API catalogue of a site (RFC 9727): a linkset in JSON
// (RFC 9264) at /.well-known/api-catalog, which contains links to the description, the
// documentation and the status of each API.
//
//	f := apicatalog.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: linkset})
//
// Diagnostics refer to the sections of RFC 9264, unless they name RFC 9727.
//
// # Promises
//
// Each anchor other than the catalogue, and each item, is a service with an interface.
// Every target of a link is a Document, in the order of the catalogue. Clients follow
// a machine-readable description ("service-desc") of any format, nested catalogues,
// and links in the metadata to agent cards and other known descriptions. They do not
// follow links with other relations: APIs, alternate links and payment links are not
// requested.
//
// A catalogue has no capabilities of its own: they are in the descriptions. Targets
// are read as strings, objects and arrays. A linkset that lists links one by one is
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

// Path is the path of a catalogue (RFC 9727 §2).
const Path = "/.well-known/api-catalog"

// MediaType is the media type of a linkset in JSON.
const MediaType = "application/linkset+json"

// name is the name of the format.
const name = "apicatalog"

// maxBytes is the largest catalogue that is read. Gateways generate some catalogues.
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

// spec returns the specification that diagnostics refer to.
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
		// The specifications do not mention caching. One hour is usual for documents
		// of this kind.
		Cache: parse.CachePolicy{Default: time.Hour},
		// The canonical catalogue may be on another domain of the publisher (RFC 9727
		// §5.1). Only the owner of that domain could confirm this, so the catalogue is
		// not requested from another site.
		Limits:    parse.Limits{Bytes: maxBytes, Items: parse.DefaultItems, SameSiteOnly: true},
		PerSource: true,
		Index:     true,
		Match:     match,
		Parse:     parseCatalog,
	}
}

// match recognises a linkset by its contexts. It also recognises the lists of other
// kinds that sites have at the place of a catalogue.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONThatFits()
	if err != nil {
		return parse.Claim{}
	}
	here := in.URL != nil && strings.HasSuffix(in.URL.Path, "/api-catalog")
	switch set := root.Get("linkset"); {
	case isContext(set), set.Sampled(isContext) > 0:
		return parse.Claim{Level: parse.Exact}
	case here && set.Kind() == parse.Array:
		return parse.Claim{Level: parse.Likely}
	case here && isLink(root.Get("links").Index(0)):
		return parse.Claim{Other: true, Dialect: "link-list", Why: "It has \"links\" instead of \"linkset\"."}
	case here && root.Get("apis").Kind() == parse.Array:
		return parse.Claim{Other: true, Dialect: "api-list", Why: "It has \"apis\" instead of \"linkset\"."}
	}
	return parse.Claim{}
}

// isContext reports whether an object has an anchor, is a link, or contains one.
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
		if seen++; seen == parse.MaxSampled {
			break
		}
	}
	return false
}

// isLink reports whether an object has a relation and a target.
func isLink(n parse.Node) bool { return n.Get("rel").Exists() && n.Get("href").Exists() }

// reader reads one catalogue.
type reader struct {
	*parse.Reader
	// base is the final URL of the catalogue, and requested the URL of the request.
	// Each is nil if it is not known.
	base, requested *url.URL
	reading         parse.Reading
	list            []*wayfind.Service
	services        map[string]*wayfind.Service // by the URL or template of their anchor
	slugs           map[string]bool
	followed        map[string]bool
	targets         int // number of targets that were read
	more            struct{ contexts, services, targets int }
}
