package client_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// none is the lifetime of an answer that states none, so that its format gives it.
const none = -1

// directives are headers of an answer, each with the seconds for which a private cache may use the
// answer again without asking (RFC 9111 §4.2, §5.2.2).
var directives = []struct {
	name     string
	header   []string
	lifetime time.Duration
}{
	{"nothing", nil, none},
	{"max-age", []string{"Cache-Control", "max-age=600"}, 600},
	{"max-age in another case, quoted", []string{"Cache-Control", `Max-Age="600"`}, 600},
	{"max-age of half a minute", []string{"Cache-Control", "max-age=30"}, 30},
	{"max-age=0", []string{"Cache-Control", "max-age=0"}, 0},
	{"max-age of too many digits", []string{"Cache-Control", "max-age=99999999999999999999"}, 1 << 31},
	{"max-age that is no number", []string{"Cache-Control", "max-age=ten"}, 0},
	{"max-age twice", []string{"Cache-Control", "max-age=600, max-age=0"}, 0},
	{"max-age before Expires", []string{"Cache-Control", "max-age=600", "Expires", "0"}, 600},
	{"older than max-age", []string{"Cache-Control", "max-age=600", "Age", "600"}, 0},
	{"as old as max-age in 30 seconds", []string{"Cache-Control", "max-age=600", "Age", "570"}, 30},
	{"Expires", []string{"Expires", "Sat, 01 Jan 2050 00:00:00 GMT"}, 1 << 31},
	{"Expires in the past", []string{"Expires", "Sat, 01 Jan 1994 00:00:00 GMT"}, 0},
	{"Expires that is no date", []string{"Expires", "0"}, 0},
	{"s-maxage is for shared caches", []string{"Cache-Control", "s-maxage=0, max-age=600"}, 600},
	{"s-maxage alone", []string{"Cache-Control", "s-maxage=0"}, none},
	{"private", []string{"Cache-Control", "private, max-age=600"}, 600},
	{"private for a field", []string{"Cache-Control", `private="Set-Cookie", max-age=600`}, 600},
	{"public", []string{"Cache-Control", "public, max-age=600"}, 600},
	{"no-store", []string{"Cache-Control", "no-store"}, 0},
	{"no-store and max-age", []string{"Cache-Control", "no-store, max-age=600"}, 0},
	{"no-cache", []string{"Cache-Control", "no-cache"}, 0},
	{"no-cache and max-age", []string{"Cache-Control", "max-age=600, no-cache"}, 0},
	{"no-cache in a second field", []string{"Cache-Control", "max-age=600", "Cache-Control", "no-cache"}, 0},
	{"Pragma", []string{"Pragma", "no-cache"}, none}, // says nothing in an answer (§5.4)
	{"must-revalidate", []string{"Cache-Control", "max-age=600, must-revalidate"}, 600},
	{"must-revalidate when stale", []string{"Cache-Control", "max-age=0, must-revalidate"}, 0},
	{"proxy-revalidate", []string{"Cache-Control", "max-age=600, proxy-revalidate"}, 600},
	{"immutable", []string{"Cache-Control", "max-age=600, immutable"}, 600},
	{"no-transform", []string{"Cache-Control", "max-age=600, no-transform"}, 600},
	{"must-understand", []string{"Cache-Control", "max-age=600, must-understand, no-store"}, 600}, // 200 is understood (§5.2.2.3)
	{"an unknown directive", []string{"Cache-Control", `max-age=600, x="no-store"`}, 600},
	{"Vary: *", []string{"Cache-Control", "max-age=600", "Vary", "*"}, 0},
	{"Vary: * in a list", []string{"Expires", "Sat, 01 Jan 2050 00:00:00 GMT", "Vary", "Accept, *"}, 0},
	{"Vary: * in a second field", []string{"Cache-Control", "max-age=600", "Vary", "Accept", "Vary", "*"}, 0},
	{"Vary on what we send", []string{"Cache-Control", "max-age=600", "Vary", "Accept"}, 600},
	{"Vary on what we do not send", []string{"Cache-Control", "max-age=600", "Vary", "Cookie"}, 600},
	{"Last-Modified", []string{"Last-Modified", "Fri, 01 Jan 1999 00:00:00 GMT"}, none},
	{"stale-while-revalidate", []string{"Cache-Control", "max-age=0, stale-while-revalidate=60"}, 0},
	{"stale-if-error", []string{"Cache-Control", "max-age=30, stale-if-error=600"}, 30},
	{"a validator", []string{"Cache-Control", "no-cache", "ETag", `"1"`}, 0},
}

// A Site is as fresh as the answers of which it was made may be used again, whatever the format of
// the document: for each directive and each format, the document is asked again exactly when its
// answer says so, and the document beside it is not. What a format says in place of HTTP, a minimum
// and the lifetime of an answer that states none, counts for all directives alike.
func TestASiteIsAsFreshAsItsAnswers(t *testing.T) {
	barest, besides := testkit.Barest(), map[string]string{"openapi": "apicatalog", "openrpc": "apicatalog"}
	for i, format := range formats.All() {
		doc, ok := barest[format.Name]
		if !ok {
			t.Fatalf("%s has no document", format.Name)
		}
		beside := cmp.Or(besides[format.Name], "llmstxt")
		if beside == format.Name {
			beside = "adp"
		}
		with := formats.All()[slices.IndexFunc(formats.All(), func(f *parse.Format) bool { return f.Name == beside })]
		for j, d := range directives {
			if (i+j)%5 != 0 && !testkit.Long() {
				continue // each format and each directive has its turn
			}
			name := format.Name + ", " + d.name
			var faults []string // a failure in a bubble ends the test
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				other := barest[beside]
				if beside == "apicatalog" {
					other.Body = `{"linkset": [{"anchor": "https://shop.example/", "service-desc": [{"href": "` + doc.Path + `"}]}]}`
				}
				host := internet.Host("shop.example", clienttest.Pages{}).
					Handle(doc.Path, documentPage(doc, d.header)).
					Handle(other.Path, documentPage(other, []string{"Cache-Control", "max-age=86400"}))
				c := newClient(t, internet, withFormats(format, with), func(o *client.Options) { o.Robots.Mode = 0 })
				lifetime := d.lifetime
				if lifetime *= time.Second; d.lifetime == none {
					lifetime = format.Cache.Default
				}
				if d.name == "Last-Modified" && lifetime == 0 {
					lifetime = 24 * time.Hour // a tenth of the time since then (§4.2.2), a day at most
				}
				if lifetime = max(lifetime, format.Cache.Floor); format.Aside() {
					lifetime = verdict.KeepAside // nothing in the page is a document
				}
				var asks []time.Duration // when the document may be asked
				start := time.Now()
				for range 3 {
					since := time.Since(start)
					if len(asks) == 0 || since >= asks[len(asks)-1]+lifetime {
						asks = append(asks, since)
					}
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if end := start.Add(asks[len(asks)-1] + lifetime); site.FreshUntil.After(end) {
						faults = append(faults, fmt.Sprintf("fresh until %s, want %s at most", site.FreshUntil.Sub(start), end.Sub(start)))
					}
					time.Sleep(20 * time.Second)
				}
				paths := asked(host)
				if n := paths[doc.Path]; n != len(asks) {
					faults = append(faults, fmt.Sprintf("%d requests, want %d", n, len(asks)))
				}
				if n := paths[other.Path]; n != 1 {
					faults = append(faults, fmt.Sprintf("%d requests of the document beside it, want 1", n))
				}
			})
			if faults != nil {
				t.Errorf("%s: %s", name, strings.Join(faults, "; "))
			}
		}
	}
}

// documentPage is the page of a document with more headers, of which one name can have several lines.
func documentPage(doc testkit.Document, header []string) clienttest.Page {
	p := clienttest.Page{Body: doc.Body, Header: http.Header{"Content-Type": {doc.MediaType}}}
	for i := 0; i < len(header); i += 2 {
		p.Header.Add(header[i], header[i+1])
	}
	return p
}
