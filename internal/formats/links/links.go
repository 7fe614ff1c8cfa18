// Package links reads links that are next to documents: the Link field of an HTTP response
// (RFC 8288), the link elements in the head of a web page, and the addresses of MCP, A2A and
// OpenAPI in a JSON document of no format. They lead to descriptions for agents that no
// well-known place leads to.
//
//	f := links.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Header: header, Body: page})
//
// # Promises
//
// The claim on an answer is [parse.Claim] with Aside: links never make a page a document. A
// link with a relation that leads to descriptions (api-catalog, ai-catalog, service-desc,
// describedby and similar ones) is a Document and a Link to follow, [MaxFollowed] of one
// answer at most. Any other relation is a Document, except the relations that browsers and
// search engines use, such as stylesheet, preload and canonical, which are left out. The bytes
// at the target of a link decide.
//
// Only the head of a page is read, within [MaxBytes], without comments, scripts, templates or
// noscript. The body is not read. Nothing is executed. The first base element is used (HTML
// §4.2.3). A link whose anchor is of another host is about that host and left out.
//
// In a JSON document that no format claims, an address is used only if its name, or the object
// around it, names the protocol. An address that looks like a file is followed; an endpoint is
// only a Document. Such a document makes no service.
//
// In addition to links, the head may contain a wish about text and data mining (TDM
// Reservation Protocol); it becomes a policy of kind "tdm".
//
// # Not supported
//
// The parameters rev, hreflang and media, and relations in the body of a page.
package links

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Place is the page that is requested for its links.
const Place = "/"

// The limits of an answer.
const (
	// MaxBytes is the number of bytes of a page that are read, and of its Link fields.
	MaxBytes = 64 << 10
	// MaxFollowed is the number of links of one answer that are followed: each is a request.
	MaxFollowed = 16
	// maxListed is the number of links of one answer that are listed.
	maxListed = 100
)

// name is the name of the format.
const name = "links"

// spec returns the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "RFC 8288", URL: "https://www.rfc-editor.org/rfc/rfc8288"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:   name,
		Spec:   spec(),
		Title:  "Link fields and link elements: where a site says that descriptions are",
		Fields: []string{"Link"},
		Locations: []parse.Location{{
			Path: Place, Section: "§3", Accept: "text/html, text/markdown;q=0.5", Aside: true, Unless: []string{"aicatalog", "apicatalog"},
			Note: "asked last, where no catalogue was found; only its Link field and its head count",
		}},
		Limits: parse.Limits{Bytes: MaxBytes, Truncate: true},
		Match:  match,
		Parse:  parseDocument,
		Rules:  rules(),
	}
}

// match never claims a document: it returns whether there are links to read.
func match(in *parse.Input) parse.Claim {
	return parse.Claim{Aside: len(in.Header["Link"]) > 0 || in.HTML() && len(in.Body) > 0 || in.Unclaimed}
}

// parseDocument reads the links of an answer.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in}
	r.reading.Authority = wayfind.AuthorityCatalog
	r.field(in.Header["Link"])
	if in.HTML() {
		r.page(in.Body[:min(len(in.Body), MaxBytes)])
	}
	if in.Unclaimed {
		r.document(in)
	}
	r.reading.Diagnostics = r.Diagnostics()
	return &r.reading, nil
}
