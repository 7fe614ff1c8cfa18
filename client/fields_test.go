package client_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// ofTheView are the fields that name the agent of a Client: they are made below the cache, and decide
// nothing there. A Client whose agent is to get answers of its own has a view of its own.
func ofTheView() []string { return []string{"Signature", "Signature-Agent", "Signature-Input"} }

// Each field that the library itself writes is known to the cache: an unknown one would make its
// answers unfit for a store that others read.
func TestTheFieldsOfAClientAreKnownToTheCache(t *testing.T) {
	table, err := os.ReadFile("../docs/CACHING.md")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "| harmless | ") || strings.HasPrefix(line, "| selects | ") {
			for name := range strings.FieldsSeq(line) {
				known = append(known, http.CanonicalHeaderKey(strings.Trim(name, "`")))
			}
		}
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/agent": manifest("shop.example", "/a")})
		c := newClient(t, internet, signsRequests)
		for range 2 {
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Refresh(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[string]bool{}
		for _, r := range internet.Requests() {
			for name := range r.Header {
				seen[name] = true
				if !slices.Contains(known, name) && !slices.Contains(ofTheView(), name) && !strings.HasSuffix(name, "-Version") {
					t.Errorf("%s %s has %s, which docs/CACHING.md does not list", r.Method, r.Path, name)
				}
			}
		}
		if !seen["Signature"] || !seen["User-Agent"] {
			t.Errorf("the requests have only %v", seen)
		}
	})
}
