package client_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// filled is text with blanks between its halves, so that it has n bytes.
func filled(t *testing.T, n int, before, after string) string {
	t.Helper()
	if n < len(before)+len(after) {
		t.Fatalf("%d bytes are not enough", n)
	}
	return before + strings.Repeat(" ", n-len(before)-len(after)) + after
}

// A document of exactly the allowed size or depth is found. A larger one is refused, for this
// reason and no other. Of an llms.txt the beginning is read, without a code. Caps on the contents
// of a document are tested with their format, and the cap of robots.txt with its parser.
func TestCapsOfDocumentsAreExact(t *testing.T) {
	agents := "# Shop\n\nA shop.\n\n## Can\n\n- Search\n"
	deep := func(levels int) string { // within the object itself
		return strings.Replace(manifest("shop.example", "/a"), "{", `{"extra": `+strings.Repeat("[", levels-1)+strings.Repeat("]", levels-1)+`, `, 1)
	}
	description := func(n int) string {
		return filled(t, n, `{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {"/x": {"get": {"operationId": "x", "responses": {}}}}`, "}")
	}
	whole := manifest("shop.example", "/a")
	for name, row := range map[string]struct {
		format *parse.Format
		path   string
		cap    int
		body   func(n int) string
		code   wayfind.Code
	}{
		"JSON document": {adp.Format(), adp.Path, 256 << 10, func(n int) string { return filled(t, n, whole[:len(whole)-1], "}") }, wayfind.CodeTooLarge},
		"AI Discovery Endpoint": {aidiscovery.Format(), aidiscovery.Path, 256 << 10, func(n int) string {
			return filled(t, n, `{"aiendpoint": "1.0", "service": {"name": "Shop", "description": "A shop of many things.", "category": ["shopping"]}, "capabilities": [{"id": "find", "description": "Find things", "endpoint": "/find", "method": "GET", "params": {}, "returns": "things"}], "auth": {"type": "none"}, "token_hints": {}, "meta": {}`, "}")
		}, wayfind.CodeTooLarge},
		"agents.md": {agentsmd.Format(), agentsmd.Path, 64 << 10, func(n int) string { return filled(t, n, agents, "\n") }, wayfind.CodeTooLarge},
		"llms.txt":  {llmstxt.Format(), llmstxt.Path, 256 << 10, func(n int) string { return filled(t, n, "# Shop\n\n> A shop.\n", "\n") }, ""},
		"depth":     {adp.Format(), adp.Path, 64, deep, wayfind.CodeJSONDepth},
		"OpenAPI":   {openapi.Format(), "/openapi.json", 16 << 20, description, wayfind.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if len(row.format.Locations) == 0 {
				row.format.Locations = []parse.Location{{Path: row.path}}
			}
			for over := range 2 {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", nil).Handle(row.path, clienttest.Page{Body: row.body(row.cap + over)})
					site, err := newClient(t, internet, withFormats(row.format)).Resolve(t.Context(), "shop.example")
					if e := clienttest.CheckError(err); e != nil {
						t.Error(e)
					}
					p := only(t, site)
					switch {
					case over == 0 && (err != nil || p.Verdict != wayfind.VerdictFound):
						t.Errorf("at %d: %v, %s (%s)", row.cap, err, p.Verdict, p.Reason)
					case over == 1 && row.code == "" && (err != nil || p.Verdict != wayfind.VerdictFound || !slices.ContainsFunc(site.Diagnostics, isCut)):
						t.Errorf("at %d: %v, %s (%s), %+v", row.cap+1, err, p.Verdict, p.Reason, site.Diagnostics)
					case over == 1 && row.code != "" && (err == nil || p.Verdict != wayfind.VerdictTooLarge || p.Reason != string(row.code)):
						t.Errorf("at %d: %v, %s (%s)", row.cap+1, err, p.Verdict, p.Reason)
					}
					if n := asked(host)[row.path]; n != 1 {
						t.Errorf("asked %d times", n)
					}
				})
			}
		})
	}
}

func isCut(d wayfind.Diagnostic) bool { return d.Code == "markdown.cut" }

// The number of requests for one document, and for one domain, has exact caps.
func TestCapsOfRequestsAreExact(t *testing.T) {
	redirects := func(n int) func(host *clienttest.Host) {
		return func(host *clienttest.Host) {
			host.Handle(wellKnown, clienttest.Redirect(302, "/hop1"))
			for i := 1; i < n; i++ {
				host.Handle(fmt.Sprintf("/hop%d", i), clienttest.Redirect(302, fmt.Sprintf("/hop%d", i+1)))
			}
			host.Handle(fmt.Sprintf("/hop%d", n), page(manifest("shop.example", "/a")))
		}
	}
	header := func(n int) func(host *clienttest.Host) {
		return func(host *clienttest.Host) {
			host.Handle(wellKnown, page(manifest("shop.example", "/a"), "X-Pad", strings.Repeat("x", n)))
		}
	}
	for name, row := range map[string]struct {
		setup    func(host *clienttest.Host)
		found    bool
		requests int
	}{
		"5 redirects":      {redirects(5), true, 6},
		"6 redirects":      {redirects(6), false, 6},
		"a header of 63 K": {header(63 << 10), true, 1},
		"a header of 65 K": {header(65 << 10), false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{}).Protocols("http/1.1")
				row.setup(host)
				_, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
				if (err == nil) != row.found || len(host.Paths()) != row.requests {
					t.Errorf("%v, asked for %v", err, host.Paths())
				}
			})
		})
	}
}

// DefaultBudget URLs of one domain are asked for, and no more.
func TestTheBudgetOfADomainIsExact(t *testing.T) {
	for _, over := range []int{0, 1} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			var locations []parse.Location
			for i := range client.DefaultBudget + over {
				locations = append(locations, parse.Location{Path: fmt.Sprintf("/%d", i)})
			}
			host := internet.Host("shop.example", http.NotFoundHandler())
			site, _ := newClient(t, internet, withFormats(toy("toy", locations...))).Resolve(t.Context(), "shop.example")
			skipped := slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.Reason == "budget" })
			if len(host.Paths()) != client.DefaultBudget || skipped != (over == 1) {
				t.Errorf("%d requests for %d places, one left out: %v", len(host.Paths()), len(locations), skipped)
			}
		})
	}
}
