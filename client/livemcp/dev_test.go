package livemcp_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/security"
)

// developing returns a client that may contact one server under development.
func developing(t *testing.T, url string, change ...func(*client.Options)) *client.Client {
	t.Helper()
	origin, err := security.ParseDev(url)
	if err != nil {
		t.Fatal(err)
	}
	opts := &client.Options{Targets: client.TargetsTyped, Live: []client.LiveProber{livemcp.New(nil)}, Policy: security.Guard{AllowDev: []string{origin}}}
	for _, f := range change {
		f(opts)
	}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Servers of the official SDK over plain http on this machine, in both eras and as event
// streams, with and without a card, by address and by name.
func TestDevServers(t *testing.T) {
	rows := map[string]http.Handler{
		"modern":       served(server(), &sdk.StreamableHTTPOptions{Stateless: true}),
		"legacy":       served(server("2025-06-18"), nil),
		"event stream": streamed(server("2024-11-05")),
	}
	for name, handler := range rows {
		for _, card := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				mux := http.NewServeMux()
				mux.Handle("/mcp", handler)
				mux.Handle("/old", http.RedirectHandler("/mcp", http.StatusTemporaryRedirect))
				srv := httptest.NewServer(mux)
				t.Cleanup(srv.Close)
				t.Cleanup(srv.CloseClientConnections)
				if card {
					mux.HandleFunc("/.well-known/mcp/server-card.json", func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "application/json")
						_, _ = w.Write([]byte(serverCard(srv.URL + "/mcp")))
					})
				}
				for _, base := range []string{srv.URL, strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)} {
					c := developing(t, base)
					for _, path := range []string{"/mcp", "/old"} {
						site, err := c.Resolve(t.Context(), base+path)
						if err != nil {
							t.Fatalf("%s%s: %v", base, path, err)
						}
						if !slices.Contains(liveNames(site), "find") || site.Origin != base {
							t.Errorf("%s%s: %v of %s, probes %+v", base, path, liveNames(site), site.Origin, site.Probes)
						}
						if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "policy.dev" }) {
							t.Error("nothing says that the server is under development")
						}
						if d, err := c.Describe(t.Context(), site, liveKey(site)); err != nil || len(d.Capability.Input) == 0 {
							t.Errorf("%s%s: described %+v, %v", base, path, d, err)
						}
					}
				}
			})
		}
	}
}

// A client that may contact one server under development may contact no other: the name, the
// scheme and the port must match, and the addresses that the server names are refused.
func TestDevNothingElse(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	mux := http.NewServeMux()
	mux.Handle("/away", http.RedirectHandler(other.URL+"/mcp", http.StatusTemporaryRedirect))
	mux.Handle("/llms.txt", http.RedirectHandler(other.URL+"/llms.txt", http.StatusFound))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	c := developing(t, srv.URL)
	for _, target := range []string{other.URL + "/mcp", strings.Replace(srv.URL, "http:", "https:", 1), "http://localhost:1/mcp", "http://example.com/mcp", "localhost"} {
		if _, err := c.Resolve(t.Context(), target); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("%s: %v", target, err)
		}
	}
	site, err := c.Resolve(t.Context(), srv.URL+"/away")
	if err == nil || probeAt(site, srv.URL+"/away").Verdict != wayfind.VerdictRefused {
		t.Errorf("%v, probes %+v", err, site.Probes)
	}
	if asked > 0 {
		t.Errorf("another server was asked %d times", asked)
	}
	plain, err := client.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.Resolve(t.Context(), srv.URL); !errors.Is(err, wayfind.ErrInvalid) {
		t.Errorf("without the permission: %v", err)
	}
}

// An answer that breaks off is distinguished from a complete one.
func TestDevCut(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("# Shop\n"))
		panic(http.ErrAbortHandler)
	}))
	defer srv.Close()
	site, err := developing(t, srv.URL).Resolve(t.Context(), srv.URL)
	if err == nil || len(site.Services) > 0 {
		t.Errorf("half a document was read: %v, %+v", err, site.Services)
	}
}

// A credential is sent over http to this machine only.
func TestDevCredentials(t *testing.T) {
	var got string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	defer srv.Close()
	request := func(c *client.Client, origin string) error {
		ctx := client.WithCredential(t.Context(), security.Bearer(origin, "s3cret"))
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, origin+"/mcp", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.HTTP(origin).Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	if err := request(developing(t, srv.URL), srv.URL); err != nil || got != "Bearer s3cret" {
		t.Errorf("%v, Authorization %q", err, got)
	}
	const far = "http://192.0.2.7:3000"
	if err := request(developing(t, far), far); !errors.Is(err, wayfind.ErrRefused) || !strings.Contains(err.Error(), "over http to this machine only") {
		t.Errorf("elsewhere: %v", err)
	}
}
