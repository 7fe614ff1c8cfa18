// Package links reads links that stand beside documents: the Link field of an HTTP
// response (RFC 8288), the link elements in the head of a web page, and the addresses of
// MCP, A2A and OpenAPI in a JSON document of no format. They say where descriptions for
// agents are that no well-known place leads to.
//
//	f := links.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Header: header, Body: page})
//
// # Promises
//
// The claim on an answer is [parse.Claim] with Aside: links never make a page a
// document. A link with a relation that leads to descriptions (api-catalog, ai-catalog,
// service-desc, describedby and their like) is a Document and a Link to follow,
// [MaxFollowed] of one answer at most. Any other relation is a Document, except those
// that browsers and search engines act on, such as stylesheet, preload and canonical,
// which are left out. The bytes behind a link decide.
//
// Of a page only the head counts, within [MaxBytes]: no comments, scripts, templates or
// noscript, and nothing of the body. Nothing is executed. The first base element counts
// (HTML §4.2.3). A link whose anchor is of another host is about that host and left out.
//
// Of a JSON document that no format claims only addresses count whose name, or the object
// around them, names the protocol. One that looks like a file is followed; an endpoint is
// a Document alone. Such a document makes no service.
//
// Beside the links, the head may hold a wish about text and data mining
// (TDM Reservation Protocol); it becomes a policy of kind "tdm".
//
// # Not supported
//
// The parameters rev, hreflang and media, and relations in the body of a page.
package links

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Place is the page that is asked for its links.
const Place = "/"

// The limits of an answer.
const (
	// MaxBytes is how much of a page is read, and how much of its Link fields.
	MaxBytes = 64 << 10
	// MaxFollowed is how many links of one answer are followed: each is a request.
	MaxFollowed = 16
	// maxListed is how many links of one answer are listed.
	maxListed = 100
)

// name is the name of the format.
const name = "links"

// spec names the specification.
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

// match claims nothing: it says whether there is something to read.
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
