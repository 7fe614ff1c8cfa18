package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

const token = "t0ken-of-this-run"

// overHTTP is a server on a real socket of this machine, with a shop behind it.
func overHTTP(t *testing.T) (*httptest.Server, *mcpserver.Server) {
	t.Helper()
	return domainOverHTTP(t, "shop.example", func(w *world, _ *client.Options) {
		w.offer("shop.example", strings.Split(plain, "\n")...)
	})
}

// domainOverHTTP is such a server with another domain behind it.
func domainOverHTTP(t *testing.T, domain string, prepare func(*world, *client.Options)) (*httptest.Server, *mcpserver.Server) {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(stop)
	w := &world{T: t, internet: internet, shops: map[string]*shop{}, hosts: map[string]*clienttest.Host{}}
	o := internet.Options()
	prepare(w, o)
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	caller, err := call.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(c, caller, &mcpserver.Options{Domains: []string{domain}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	srv := httptest.NewServer(s.Handler(token))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return srv, s
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
	srv, _ := overHTTP(t)
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

// Requests that no program of this machine would send are refused before their body is read. The
// errors are written by this server: the SDK also refuses some of the requests, and bodies of more
// than 4 MiB.
func TestHTTPDoor(t *testing.T) {
	srv, _ := overHTTP(t)
	const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	const elsewhere = "this server is for programs on its own machine"
	long := func(n int) string { return `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", n) + `"}` }
	for name, row := range map[string]struct {
		host, origin, auth, body string
		status                   int
		words                    string
	}{
		"a program":              {"", "", "Bearer " + token, discover, 200, `"result"`},
		"a page of ours":         {"", "http://localhost:5173", "bearer " + token, discover, 200, `"result"`},
		"a page elsewhere":       {"", "https://evil.example", "Bearer " + token, discover, 403, elsewhere},
		"a page in a file":       {"", "null", "Bearer " + token, discover, 403, elsewhere},
		"a name that leads here": {"evil.example:80", "", "Bearer " + token, discover, 403, elsewhere},
		"a name like ours":       {"localhost.evil.example", "", "Bearer " + token, discover, 403, elsewhere},
		"no token":               {"", "", "", discover, 401, "send the token"},
		"another token":          {"", "", "Bearer " + token + "x", discover, 401, "send the token"},
		"another scheme":         {"", "", "Basic " + token, discover, 401, "send the token"},
		"garbage":                {"", "", "Bearer " + token, "{{{", 400, ""},
		"2 MiB":                  {"", "", "Bearer " + token, long(2 << 20), 413, ""},
		"10 MiB":                 {"", "", "Bearer " + token, long(10 << 20), 413, ""},
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
		words, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != row.status || row.status == 401 && resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: status %d, want %d; %v", name, resp.StatusCode, row.status, err)
		}
		if !strings.Contains(string(words), row.words) {
			t.Errorf("%s: %.200q, want %q in it", name, words, row.words)
		}
	}
}

// modern sends a call of the stateless version and returns the answer. There is no session; the
// request contains all parameters.
func modern(t *testing.T, srv *httptest.Server, params *mcp.CallToolParams) string {
	t.Helper()
	params.Meta = mcp.Meta{mcp.MetaKeyProtocolVersion: "2026-07-28", mcp.MetaKeyClientCapabilities: map[string]any{"elicitation": map[string]any{}}}
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`, raw)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {params.Name}}
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("Mcp-Session-Id") != "" {
		t.Error("a session began")
	}
	return string(body)
}

// A host that speaks only the stateless era calls over HTTP, and is asked by the state of
// its request.
func TestHTTPStateless(t *testing.T) {
	srv, _ := overHTTP(t)
	if got := modern(t, srv, &mcp.CallToolParams{Name: "shop_example__listOrders"}); !strings.Contains(got, "done") {
		t.Errorf("called: %s", got)
	}
	got := modern(t, srv, &mcp.CallToolParams{Name: "shop_example__dropAll"})
	_, state, _ := strings.Cut(got, `"requestState":"`)
	state, _, _ = strings.Cut(state, `"`)
	if !strings.Contains(got, `"input_required"`) || len(state) < 100 {
		t.Fatalf("asked: %s", got)
	}
	yes := mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}}
	if got := modern(t, srv, &mcp.CallToolParams{Name: "shop_example__dropAll", RequestState: state, InputResponses: yes}); !strings.Contains(got, "done") {
		t.Errorf("agreed: %s", got)
	}
	if got := modern(t, srv, &mcp.CallToolParams{Name: "shop_example__dropAll", RequestState: state, InputResponses: yes}); strings.Contains(got, "done") {
		t.Errorf("agreed once, done twice: %s", got)
	}
}

// A host over HTTP without a session is not offered a yes for the session, and a forged one is a yes for
// one request: no later request is known to be of the same host.
func TestAStatelessHostOverHTTPHasNoSession(t *testing.T) {
	srv, _ := domainOverHTTP(t, "shop.example", func(w *world, _ *client.Options) {
		w.offer("shop.example", strings.Split(shopOps, "\n")...)
	})
	yes := mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true, "session": true}}}
	for range 2 {
		got := modern(t, srv, &mcp.CallToolParams{Name: "addOrder"})
		_, state, asked := strings.Cut(got, `"requestState":"`)
		state, _, _ = strings.Cut(state, `"`)
		if !asked || strings.Contains(got, "Do not ask again") {
			t.Fatalf("asked: %s", got)
		}
		if got := modern(t, srv, &mcp.CallToolParams{Name: "addOrder", RequestState: state, InputResponses: yes}); !strings.Contains(got, "done") {
			t.Errorf("agreed: %s", got)
		}
	}
}

// Hosts that begin session after session and never end one do not fill the memory.
func TestHTTPSessions(t *testing.T) {
	srv, s := overHTTP(t)
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`
	for range 300 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(begin))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token}}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Mcp-Session-Id") == "" {
			t.Fatalf("status %d", resp.StatusCode)
		}
	}
	held := 0
	for range 100 {
		if held = len(slices.Collect(s.MCP().Sessions())); held <= 257 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d sessions are held", held)
}
