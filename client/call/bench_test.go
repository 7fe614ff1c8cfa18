package call_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
)

// benchServer is a server on loopback with the documents of a shop.
func benchServer(b testing.TB) *httptest.Server {
	const name = "shop.example.com"
	pages := clienttest.Pages{"/openapi.json": shopDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", name)}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api") {
			okay(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	b.Cleanup(server.Close)
	return server
}

// BenchmarkCall compares a call with an http.Client, with and without a guard, that sends the
// same request and reads the same answer.
func BenchmarkCall(b *testing.B) {
	server := benchServer(b)
	c, err := client.New(clienttest.FromServer(b, server, "shop.example.com"))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	box, err := tools.Load(context.Background(), c, []string{"shop.example.com"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowSession}).confirm})
	if err != nil {
		b.Fatal(err)
	}
	const origin = "https://shop.example.com"
	for _, row := range []struct{ name, tool, arguments, method, path, body string }{
		{"GET", "listOrders", `{"q":"a"}`, http.MethodGet, "/api/orders?q=a", ""},
		{"POST", "newOrder", `{"reason":"a"}`, http.MethodPost, "/api/orders", `{"reason":"a"}`},
	} {
		b.Run(row.name+"/Call", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := caller.Call(context.Background(), box, row.tool, []byte(row.arguments)); err != nil {
					b.Fatal(err)
				}
			}
		})
		for name, peer := range map[string]*http.Client{"Bare": server.Client(), "Guarded": access.Of(c).HTTPForCalls(origin, false)} {
			b.Run(row.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := plainCall(peer, row.method, origin+row.path, row.body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// maxAllocations is the maximum number of allocations of a call beyond a guarded http.Client
// that sends the same request: 54 with go1.26, plus a small margin.
const maxAllocations = 60

func TestACallAllocatesLittleBeyondAnHTTPClient(t *testing.T) {
	server := benchServer(t)
	c, err := client.New(clienttest.FromServer(t, server, "shop.example.com"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	box, err := tools.Load(t.Context(), c, []string{"shop.example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowSession}).confirm})
	if err != nil {
		t.Fatal(err)
	}
	const origin = "https://shop.example.com"
	peer := access.Of(c).HTTPForCalls(origin, false)
	for tool, row := range map[string]struct{ arguments, method, path, body string }{
		"listOrders": {`{"q":"a"}`, http.MethodGet, "/api/orders?q=a", ""},
		"newOrder":   {`{"reason":"a"}`, http.MethodPost, "/api/orders", `{"reason":"a"}`},
	} {
		ours := testing.AllocsPerRun(100, func() { _, err = caller.Call(t.Context(), box, tool, []byte(row.arguments)) })
		if err != nil {
			t.Fatal(err)
		}
		plain := testing.AllocsPerRun(100, func() { err = plainCall(peer, row.method, origin+row.path, row.body) })
		if err != nil {
			t.Fatal(err)
		}
		if n := ours - plain; plain < 10 || n > maxAllocations {
			t.Errorf("%s: %.0f allocations beyond the %.0f of http.Client, want at most %d", tool, n, plain, maxAllocations)
		}
	}
}

// plainCall sends a request and reads its answer.
func plainCall(c *http.Client, method, url, body string) error {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, url, content)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
