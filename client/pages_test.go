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
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
)

// pagesOf serves a list of agents, one on a page, until the last page. next returns the members or the
// Link field of page n.
func pagesOf(last int, next func(n int) (members, link string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 1
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &n)
		members, link := "", ""
		if n < last {
			members, link = next(n)
		}
		if link != "" {
			w.Header().Set("Link", link)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"agents": [{"name": "a%d", "description": "Agent."}]%s}`, n, members)
	})
}

// pagesAsked returns the number of requests for pages.
func pagesAsked(host *clienttest.Host) (n int) {
	for _, path := range host.Paths() {
		if strings.HasPrefix(path, msagents.Path) {
			n++
		}
	}
	return n
}

// The pages of a list are read as one, however the next page is named, and at its place only.
func TestPagesOfAListAreRead(t *testing.T) {
	for name, row := range map[string]struct {
		next  func(n int) (members, link string)
		pages int // that are requested
		told  string
	}{
		"next":           {func(n int) (string, string) { return fmt.Sprintf(`, "next": "/agents/v1?page=%d"`, n+1), "" }, 3, ""},
		"next, relative": {func(n int) (string, string) { return fmt.Sprintf(`, "next": "?page=%d"`, n+1), "" }, 3, ""},
		"a link object": {func(n int) (string, string) {
			return fmt.Sprintf(`, "_links": {"next": {"href": "https://shop.example/agents/v1?page=%d"}}`, n+1), ""
		}, 3, ""},
		"a number":       {func(n int) (string, string) { return fmt.Sprintf(`, "next_page": %d`, n+1), "" }, 3, ""},
		"page and total": {func(n int) (string, string) { return fmt.Sprintf(`, "page": %d, "per_page": 1, "total": 3`, n), "" }, 3, ""},
		"pages":          {func(n int) (string, string) { return fmt.Sprintf(`, "pagination": {"page": %d, "pages": 3}`, n), "" }, 3, ""},
		"a Link field":   {func(n int) (string, string) { return "", fmt.Sprintf(`</agents/v1?page=%d>; rel="next"`, n+1) }, 3, ""},
		"a cursor":       {func(int) (string, string) { return `, "next_cursor": "x"`, "" }, 1, "nothing names the next page"},
		"another path":   {func(int) (string, string) { return `, "next": "/admin?page=2"`, "" }, 1, "nothing names the next page"},
		"another host":   {func(int) (string, string) { return `, "next": "https://other.example/agents/v1?page=2"`, "" }, 1, "nothing names the next page"},
		"itself":         {func(int) (string, string) { return `, "next": "/agents/v1?page=2"`, "" }, 2, ""},
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			other := internet.Host("other.example", clienttest.Pages{})
			host := internet.Host("shop.example", clienttest.Pages{}).Handle(msagents.Path, pagesOf(3, row.next))
			site, err := newClient(t, internet, withFormats(msagents.Format())).Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n := pagesAsked(host); n != row.pages || len(site.Services) != row.pages || len(other.Requests()) > 0 {
				t.Errorf("%s: %d requests, %d services, %d elsewhere", name, n, len(site.Services), len(other.Requests()))
			}
			if said := fmt.Sprint(site.Diagnostics); !strings.Contains(said, row.told) {
				t.Errorf("%s: %s", name, said)
			}
		})
	}
}

// A list without an end costs a bounded number of requests, and the end is told.
func TestPagesWithoutAnEnd(t *testing.T) {
	endless := func(n int) (string, string) { return fmt.Sprintf(`, "next": "?page=%d"`, n+1), "" }
	for budget, want := range map[int]struct {
		pages int
		code  wayfind.Code
	}{64: {21, "follow.pages"}, 8: {8, "follow.budget"}} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Pages{}).Handle(msagents.Path, pagesOf(1<<30, endless))
			c := newClient(t, internet, withFormats(msagents.Format()), func(o *client.Options) { o.Limits.Budget = budget })
			site, err := c.Resolve(t.Context(), "shop.example")
			told := site != nil && slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == string(want.code) })
			if n := pagesAsked(host); err != nil || n > want.pages || n < 2 || !told || len(site.Services) != n {
				t.Errorf("budget %d: %d pages, %v: %v", budget, n, err, site.Diagnostics)
			}
		})
	}
}
