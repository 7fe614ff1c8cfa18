// Package robots reads robots.txt (RFC 9309): the wishes of a site about automatic clients,
// and the records that people have added to it.
//
//	f := robots.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//	may := robots.Allowed(body, "wayfind", "https://example.com/mcp")
//
// The two halves are separate: [Allowed] applies the rules, and [RulesFor] reads them once for
// many URLs; a reading shows them.
//
// # Promises
//
// Lines are read as Google's parser reads them, including mistakes that many people make
// ("disalow", a missing colon). A line that cannot be read does not affect the others
// (§2.3.1.5). The part of a file beyond [MaxBytes] is ignored, and so is the line that was cut
// there (§2.5).
//
// A reading has the wishes as data. Policies of kind "robots" are the groups for any agent
// ("*") and for agents of artificial intelligence, as they are written; groups for other
// crawlers are counted and left out. "crawl_delay", "content_signal" and "content_usage" are
// the records of these names. Sitemaps are documents; an Agentmap is a document and a link to
// follow. Other records are only diagnostics. There are no services: a robots.txt contains
// nothing that an agent could call.
//
// The header fields Content-Signal, Content-Usage and Tdm-Reservation of any answer are read
// next to its document, as policies of the kinds "content_signal", "content_usage" and "tdm"
// about that one path. The three vocabularies are never merged, and they never allow or forbid
// a request.
//
// # Not supported
//
// Fields in other languages ("Permitir", "Agente do usuário") are not fields, as for other
// readers. "Crawl-delay" is shown; ResolveAll of package client obeys it.
package robots

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the place of a file (§2.3).
const Path = "/robots.txt"

// MaxBytes is the number of bytes of a file that are read: §2.5 requires 500 KiB at least.
const MaxBytes = 512 << 10

// name is the name of the format.
const name = "robots"

// spec returns the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "RFC 9309", URL: "https://www.rfc-editor.org/rfc/rfc9309"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "robots.txt: what a site asks of automatic clients",
		Locations: []parse.Location{{
			Path: Path, Section: "§2.3", Accept: "text/plain", Note: "policies only: it counts for no answer about capabilities",
		}},
		Fields: wishFields(),
		// §2.4: a copy should not be used for more than 24 hours.
		Cache:  parse.CachePolicy{Default: 24 * time.Hour, Max: 24 * time.Hour, Section: "§2.4"},
		Limits: parse.Limits{Bytes: MaxBytes, Truncate: true},
		Match:  match,
		Parse:  parseDocument,
		Rules:  rules(),
	}
}
