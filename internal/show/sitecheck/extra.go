package sitecheck

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Request is a request that discovery does not make.
type Request struct {
	// Key of its result in [Input.Extra]: the path, or MarkdownKey.
	Key string
	// Path on the site.
	Path string
	// Accept is set for a request whose answer depends on it. It is no request for a
	// document: only the header of the answer counts.
	Accept string
}

// MarkdownKey is the key of the request for the home page as Markdown.
const MarkdownKey = "markdown"

// Extra is the result of a Request.
type Extra struct {
	// Unsent says why the request was not sent, and Problem why there is no answer, in a
	// few words. Both empty: there is one.
	Unsent, Problem string
	// Status of the answer.
	Status int
	// Header of the answer, for a Request with Accept.
	Header http.Header
	// Format that read the document, and Reason of its verdict.
	Format, Reason string
	// Documents that it links to.
	Documents []wayfind.Document
	// Offers of payment that its operations state.
	Offers []wayfind.Offer
	// Demands: the answer demands payment, and says how (402).
	Demands bool
}

// Requests are the requests that the rules of --full need, at most ten.
func Requests(site *wayfind.Site) []Request {
	f := &facts{Input: &Input{Site: site}}
	var list []Request
	if !f.isSettled("/") { // else its links are in the Site
		list = append(list, Request{Key: "/", Path: "/"})
	}
	for _, p := range []string{f.sitemap(), placeAuthMD, placeOpenID, placeKeys, "/api", "/api/v1"} {
		list = append(list, Request{Key: p, Path: p})
	}
	for i, p := range placesOpenAPI {
		// A site whose catalogue lists its APIs is asked for the first place alone.
		if !f.isSettled(p) && (i == 0 || f.isSettled(placesOpenAPI[0])) {
			list = append(list, Request{Key: p, Path: p})
		}
	}
	return append(list, Request{Key: MarkdownKey, Path: "/", Accept: "text/markdown"})
}

// isSettled reports whether discovery has the answer of a place, or robots.txt keeps it from being asked.
func (f *facts) isSettled(place string) bool {
	return slices.ContainsFunc(f.Site.Probes, func(p wayfind.Probe) bool {
		return p.URL == f.at(place) && (p.Verdict.Answered() || p.Reason == string(wayfind.CodeRobots))
	})
}

// isPlanned reports whether a probe has a place, asked or not.
func (f *facts) isPlanned(place string) bool {
	return slices.ContainsFunc(f.Site.Probes, func(p wayfind.Probe) bool { return p.URL == f.at(place) })
}

// Places that discovery does not ask, or not at each site.
const (
	placeAuthMD  = "/auth.md"
	placeOpenID  = "/.well-known/openid-configuration"
	placeKeys    = "/.well-known/http-message-signatures-directory"
	placeOpenAPI = "/openapi.json"
)

// placesOpenAPI are places of convention of an API description. Discovery does not ask for each of them at
// each site.
var placesOpenAPI = [...]string{placeOpenAPI, "/.well-known/openapi.json", "/openapi.yaml"}

// extraOpenAPI returns the API description that a request of --full found, with its place, or "".
func (f *facts) extraOpenAPI() (place string, found Extra) {
	for _, p := range placesOpenAPI {
		if e := f.Extra[p]; e.Format == "openapi" {
			return p, e
		}
	}
	return "", Extra{}
}

// sitemap is the path of the first sitemap on the origin that robots.txt names.
func (f *facts) sitemap() string {
	for i := range f.Site.Documents {
		d := &f.Site.Documents[i]
		if path, ok := strings.CutPrefix(d.URL, f.Site.Asked()); ok && d.Rel == "sitemap" && strings.HasPrefix(path, "/") {
			return path
		}
	}
	return "/sitemap.xml"
}

// without is the finding if an answer is not the document that a rule asks for. other is
// the finding if something else is there.
func (e Extra) without(f *facts, place string, other finding) finding {
	switch {
	case e.Unsent != "":
		return unasked(e.Unsent)
	case e.Problem != "":
		return finding{status: Unanswered, why: place + ": " + e.Problem}
	case e.Status == http.StatusNotFound || e.Status == http.StatusGone:
		return absent("")
	case e.Status != http.StatusOK:
		return finding{status: Unanswered, why: fmt.Sprintf("%s: status %d", place, e.Status)}
	}
	return other
}
