package mcpserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

const token = "t0ken-of-this-run"

// overHTTP is a server on a real socket of this machine, with a shop behind it.
func overHTTP(t *testing.T) *httptest.Server {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(stop)
	w := &world{T: t, internet: internet, shops: map[string]*shop{}, hosts: map[string]*clienttest.Host{}}
	w.offer("shop.example", strings.Split(plain, "\n")...)
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	caller, err := call.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(c, caller, &mcpserver.Options{Domains: []string{"shop.example"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	srv := httptest.NewServer(s.Handler(token))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return srv
}

// bearer shows a token with each request.
type bearer struct{ next http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	own := r.Clone(r.Context())
	own.Header.Set("Authorization", "Bearer "+token)
	return b.next.RoundTrip(own)
}

// The official client over streamable HTTP, in both eras.
func TestHTTP(t *testing.T) {
	srv := overHTTP(t)
	eras(t, func(t *testing.T, legacy bool) {
		how := &mcp.ClientSessionOptions{}
		if legacy {
			how.ProtocolVersion = "2025-11-25"
		}
		var asked []string
		host := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, answering("accept", true, &asked))
		s, err := host.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: &http.Client{Transport: bearer{srv.Client().Transport}}}, how)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		w := &world{T: t}
		w.wants(w.listed(s), "listOrders")
		w.wants(w.ask(s, "shop_example__listOrders", `{}`), "done")
		w.wants(w.ask(s, "shop_example__dropAll", `{}`), "done")
		if len(asked) != 1 {
			t.Errorf("asked %q", asked)
		}
	})
}

// Requests that no program of this machine would send are refused before anything of
// them is read.
func TestHTTPDoor(t *testing.T) {
	srv := overHTTP(t)
	const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, row := range map[string]struct {
		host, origin, auth, body string
		status                   int
	}{
		"a program":              {"", "", "Bearer " + token, discover, 200},
		"a page of ours":         {"", "http://localhost:5173", "bearer " + token, discover, 200},
		"a page elsewhere":       {"", "https://evil.example", "Bearer " + token, discover, 403},
		"a page in a file":       {"", "null", "Bearer " + token, discover, 403},
		"a name that leads here": {"evil.example:80", "", "Bearer " + token, discover, 403},
		"a name like ours":       {"localhost.evil.example", "", "Bearer " + token, discover, 403},
		"no token":               {"", "", "", discover, 401},
		"another token":          {"", "", "Bearer " + token + "x", discover, 401},
		"another scheme":         {"", "", "Basic " + token, discover, 401},
		"garbage":                {"", "", "Bearer " + token, "{{{", 400},
		"10 MiB":                 {"", "", "Bearer " + token, `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 10<<20) + `"}`, 413},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"server/discover"}}
		if row.host != "" {
			req.Host = row.host
		}
		if row.origin != "" {
			req.Header.Set("Origin", row.origin)
		}
		if row.auth != "" {
			req.Header.Set("Authorization", row.auth)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != row.status || row.status == 401 && resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, row.status)
		}
	}
}
