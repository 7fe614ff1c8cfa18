package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// twice is a site with one call in two documents, an OpenAPI description and
// another one.
func twice(internet *clienttest.Internet, place, document string) *clienttest.Host {
	return internet.Host("shop.example", clienttest.Pages{place: document,
		"/openapi.json": oneOperation("/x"), "/llms.txt": linking("https://shop.example/openapi.json")})
}

func resolvedTwice(t *testing.T, c *client.Client) *wayfind.Site {
	t.Helper()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, merged := site.Capability("openapi:openapi/getX"); merged == nil || len(merged.Alternatives) != 1 {
		t.Fatalf("not one call: %v", skillKeys(site))
	}
	return site
}

// A Site that was stored is described alike, by a Client that has not read
// its documents.
func TestAStoredSiteIsDescribedAlike(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		twice(internet, "/.well-known/ai", oneEndpoint("/x"))
		text, err := json.Marshal(resolvedTwice(t, internet.Client()))
		if err != nil {
			t.Fatal(err)
		}
		var site wayfind.Site
		if err := json.Unmarshal(text, &site); err != nil {
			t.Fatal(err)
		}
		d, err := internet.Client().Describe(t.Context(), &site, "aidiscovery:x")
		if err != nil || len(d.Capability.Params) != 1 || d.Capability.Lazy {
			t.Errorf("%+v, %v", d.Capability, err)
		}
	})
}

// The inputs of both are compared, and a disagreement is reported.
func TestAConflictAboutTheInputIsReported(t *testing.T) {
	for inputs, conflict := range map[string]bool{
		`{}`: true,
		`{"p":{"type":"string","required":true},"q":{"type":"string","required":true}}`: true,
		`{"q":{"type":"integer","required":true}}`:                                      true,
		`{"q":{"type":"string","required":true}}`:                                       false,
		`{"q":{"type":"string","required":true},"limit":{"type":"integer"}}`:            false,
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			twice(internet, "/agent.json", strings.NewReplacer(`"inputs":{}`, `"inputs":`+inputs, "POST", "GET").Replace(oneAction("/x")))
			c := internet.Client()
			site := resolvedTwice(t, c)
			for _, key := range []string{"awp:x", "openapi:openapi/getX"} {
				d, err := c.Describe(t.Context(), site, key)
				if err != nil {
					t.Fatal(err)
				}
				if (len(d.Conflicts) == 1 && d.Conflicts[0].Field == "input" && d.Conflicts[0].Subject == "awp:x") != conflict {
					t.Errorf("%s by %s: conflicts %+v, parameters %+v", inputs, key, d.Conflicts, d.Capability.Params)
				}
			}
		})
	}
}

// A failure of the alternative that the key names is the same as without others. A failure of
// another alternative is reported.
func TestAnAlternativeThatIsGoneIsReported(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := twice(internet, "/.well-known/ai", oneEndpoint("/x"))
		site := resolvedTwice(t, internet.Client())
		host.Handle("/openapi.json", http.NotFoundHandler())
		c := internet.Client()
		if _, err := c.Describe(t.Context(), site, "openapi:openapi/getX"); !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("by its key: %v", err)
		}
		d, err := c.Describe(t.Context(), site, "aidiscovery:x")
		if err != nil || len(d.Diagnostics) != 1 || d.Diagnostics[0].Code != "describe.alternative" {
			t.Errorf("by the other: %+v, %v", d.Diagnostics, err)
		}
	})
}

// alternativeGone returns the description of a capability one of whose two documents is gone.
func alternativeGone(t *testing.T, internet *clienttest.Internet, c *client.Client) []wayfind.Diagnostic {
	t.Helper()
	host := internet.Host("twice.example", clienttest.Pages{"/.well-known/ai": oneEndpoint("/x"), "/llms.txt": linking("https://twice.example/openapi.json")})
	host.Handle("/openapi.json", page(strings.Replace(oneOperation("/x"), "shop.example", "twice.example", 1), "Cache-Control", "no-store"))
	site, err := c.Resolve(t.Context(), "twice.example")
	if err != nil {
		t.Fatal(err)
	}
	host.Handle("/openapi.json", http.NotFoundHandler())
	d, err := c.Describe(t.Context(), site, "aidiscovery:x")
	if err != nil {
		t.Fatal(err)
	}
	return d.Diagnostics
}

// DescribeAll returns the same as Describe for every key, and requests a shared document once,
// whether it may be stored or not.
func TestDescribeAll(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/a", "/d/b"), "/d/a": detail("a", "/v1/a"),
			"/.well-known/ai": oneEndpoint("/items/3/{id}"), "/llms.txt": linking("https://shop.example/openapi.json")})
		host.Handle("/openapi.json", page(manyOperations(20), "Cache-Control", "no-store"))
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		keys := []string{"adp", "nothing"}
		for _, capability := range site.Capabilities() {
			keys = append(keys, append([]string{capability.Key}, capability.Aliases...)...)
		}
		before := asked(host)["/openapi.json"]
		var details []*wayfind.Detail
		var failures []error
		for d, err := range c.DescribeAll(t.Context(), site, keys...) {
			details, failures = append(details, d), append(failures, err)
		}
		if n := asked(host)["/openapi.json"] - before; n != 1 {
			t.Errorf("the description was asked for %d times", n)
		}
		if len(details) != len(keys) {
			t.Fatalf("%d answers for %d keys", len(details), len(keys))
		}
		for i, key := range keys {
			d, err := c.Describe(t.Context(), site, key)
			if diff := cmp.Diff(d, details[i]); diff != "" || (err == nil) != (failures[i] == nil) {
				t.Errorf("%s: %v, %v (-Describe +DescribeAll):\n%s", key, err, failures[i], diff)
			}
		}
		n := 0
		for range c.DescribeAll(t.Context(), site) {
			n++
		}
		if want := len(site.Services[0].Capabilities); n < want {
			t.Errorf("without keys: %d", n)
		}
	})
}

// The work is done key by key, and ends with the loop, the context and the
// Client.
func TestDescribeAllEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/a", "/d/b"), "/d/a": detail("a", "/v1/a"), "/d/b": detail("b", "/v1/b")})
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		for range c.DescribeAll(t.Context(), site, "adp:a", "adp:b") {
			break
		}
		if asked(host)["/d/b"] != 0 {
			t.Error("asked for what the loop did not come to")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		for _, err := range c.DescribeAll(ctx, site, "adp:a", "adp:b") {
			if n++; n == 2 && !errors.Is(err, context.Canceled) {
				t.Errorf("after the end: %v", err)
			}
			cancel()
		}
		c.Close()
		n = 0
		for d, err := range c.DescribeAll(t.Context(), site) {
			if n++; n > 1 || d != nil || !errors.Is(err, wayfind.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
		for d, err := range c.DescribeAll(t.Context(), nil, "a") {
			if d != nil || err == nil {
				t.Error("a Site that is nil")
			}
		}
	})
}
