package call_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
)

// mockSites are six domains, by host and path. HOST is the host itself.
func mockSites() map[string]clienttest.Pages {
	return map[string]clienttest.Pages{
		"one.example": { // adp: a key in a header of its own
			"/.well-known/agent": `{"spec_version": "1.0", "name": "One", "description": "x", "base_url": "https://HOST", "auth": {"type": "api_key", "header": "X-Api-Key"},
				"capabilities": [{"name": "look", "description": "x", "detail_url": "/d/look"}, {"name": "send", "description": "x", "detail_url": "/d/send"}]}`,
			"/d/look": `{"name": "look", "description": "x", "endpoint": "/api/look/{id}", "method": "GET", "parameters": [{"name": "id", "type": "string", "required": true}]}`,
			"/d/send": `{"name": "send", "description": "x", "endpoint": "/api/send", "method": "POST", "parameters": [{"name": "to", "type": "string", "required": true}]}`,
		},
		"two.example": { // aidiscovery, and awp by http, mcp and a2a
			"/.well-known/ai": `{"aiendpoint": "1.0", "service": {"name": "Two", "description": "x"}, "auth": {"type": "apikey", "header": "X-API-Key"},
				"capabilities": [{"id": "forecast", "description": "x", "endpoint": "/api/forecast", "method": "GET", "params": {"city": "string, required -- where"}}]}`,
			"/agent.json": `{"awp_version": "0.2", "domain": "HOST", "intent": "x", "auth": {"type": "bearer", "required_for": ["book", "ask", "drop"]},
				"protocols": {"mcp": {"version": "2025-06-18", "endpoint": "https://HOST/mcp"}, "a2a": {"version": "0.3.0", "endpoint": "https://HOST/a2a/03"}},
				"actions": [{"id": "book", "description": "x", "auth_required": true, "inputs": {"table": {"type": "string", "required": true}}, "outputs": {}, "endpoint": "/api/book", "method": "POST"},
					{"id": "ask", "description": "x", "auth_required": true, "inputs": {"q": {"type": "string"}}, "outputs": {}, "via": "a2a", "operation": "message/send"},
					{"id": "drop", "description": "x", "auth_required": true, "inputs": {"id": {"type": "string"}}, "outputs": {}, "via": "mcp", "operation": "drop_it"}],
				"dependencies": {"drop": ["book"]}}`,
		},
		"three.example": { // openapi by a plugin: all kinds
			"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", "HOST"),
			"/openapi.json": strings.Replace(document(`, "components": {"securitySchemes": {"head": {"type": "apiKey", "in": "header", "name": "X-Key"}, "query": {"type": "apiKey", "in": "query", "name": "k"},
				"cook": {"type": "apiKey", "in": "cookie", "name": "sid"}, "basic": {"type": "http", "scheme": "basic"}, "bearer": {"type": "http", "scheme": "bearer"}, "cert": {"type": "mutualTLS"},
				"robot": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://login.three.example/token", "scopes": {"r": "x"}}}},
				"person": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "https://login.three.example/authorize", "tokenUrl": "https://login.three.example/token", "scopes": {"p": "x"}}}},
				"screen": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "https://login.three.example/authorize", "tokenUrl": "https://login.three.example/token", "scopes": {"d": "x"}}}}}}`,
				secured("o_head", `{"head": []}`), secured("o_query", `{"query": []}`), secured("o_cook", `{"cook": []}`), secured("o_basic", `{"basic": []}`), secured("o_bearer", `{"bearer": []}`),
				secured("o_cert", `{"cert": []}`), secured("o_robot", `{"robot": ["r"]}`), secured("o_person", `{"person": ["p"]}`), secured("o_screen", `{"screen": ["d"]}`)), `"3.0.3"`, `"3.1.0"`, 1),
			"/.well-known/oauth-protected-resource": `{"resource": "https://HOST", "authorization_servers": ["https://login.three.example"]}`,
		},
		"four.example": { // openrpc and MCP of 2026-07-28; both ask by a challenge
			"/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Four", "version": "1"}, "servers": [{"url": "https://HOST/api/rpc"}],
				"methods": [{"name": "balance", "params": [{"name": "account", "required": true, "schema": {"type": "string"}}]}]}`,
			"/llms.txt":                         "# Four\n\n## API\n\n- [Methods](https://HOST/openrpc.json)\n",
			"/.well-known/mcp/server-card.json": mockCard("modern_tool", "2026-07-28"),
		},
		"five.example": { // MCP of 2025-11-25, and an agent of A2A 0.3
			"/.well-known/mcp/server-card.json": mockCard("legacy_tool", "2025-11-25"),
			"/.well-known/agent-card.json": `{"protocolVersion": "0.3.0", "name": "Agent03", "description": "x", "url": "https://HOST/a2a/03", "preferredTransport": "JSONRPC", "version": "1", "capabilities": {},
				"securitySchemes": {"five": {"type": "http", "scheme": "basic"}}, "security": [{"five": []}],
				"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "s", "name": "S", "description": "x", "tags": []}]}`,
		},
		"six.example": { // an agent of A2A 1.0, and one of the agent framework
			"/.well-known/agent-card.json": `{"name": "Agent10", "description": "x", "version": "1", "supportedInterfaces": [{"url": "https://HOST/a2a/10", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}],
				"securitySchemes": {"six": {"apiKeySecurityScheme": {"location": "cookie", "name": "sid"}}}, "securityRequirements": [{"schemes": {"six": {"list": []}}}],
				"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "s", "name": "S", "description": "x", "tags": ["t"]}]}`,
			"/agents/v1": `{"agents": [{"name": "pirate", "description": "x"}]}`,
		},
	}
}

func mockCard(tool, version string) string {
	return `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "example.HOST/x", "version": "1", "description": "x",
		"remotes": [{"type": "streamable-http", "url": "https://HOST/mcp", "supportedProtocolVersions": ["` + version + `"]}], "tools": [{"name": "` + tool + `", "inputSchema": {"type": "object"}}]}`
}

// mockAnswer answers for all protocols, and repeats the request.
func mockAnswer(w http.ResponseWriter, r *http.Request, body []byte) {
	var m rpc
	_ = json.Unmarshal(body, &m)
	echo, _ := json.Marshal(fmt.Sprint(r.Header, r.RequestURI))
	w.Header().Set("X-Echo", r.Header.Get("Authorization")+r.RequestURI)
	w.Header().Set("Content-Type", "application/json")
	result := func(text string) { _, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, text) }
	challenge := func() bool {
		if r.Host != "four.example" || strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer scope="f"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	modern := strings.Contains(string(body), "io.modelcontextprotocol/protocolVersion")
	switch {
	case strings.HasPrefix(r.URL.Path, "/a2a/10"):
		_, _ = fmt.Fprintf(w, `{"message":{"role":"ROLE_AGENT","messageId":"m","parts":[{"text":%s}]}}`, echo)
	case r.URL.Path == "/a2a/03":
		result(`{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"text","text":` + string(echo) + `}]}`)
	case challenge():
	case r.URL.Path == "/mcp" && m.Method == "initialize":
		result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
	case r.URL.Path == "/mcp" && strings.HasPrefix(m.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	case r.URL.Path == "/mcp" && modern && r.Host != "four.example":
		w.WriteHeader(http.StatusBadRequest)
	case r.URL.Path == "/mcp" && m.Method == "tools/call":
		result(`{"resultType":"complete","content":[{"type":"text","text":` + string(echo) + `}]}`)
	case r.URL.Path == "/mcp":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/api/rpc":
		result(string(echo))
	default:
		_, _ = w.Write(echo)
	}
}

// mockInternet is these sites, with the requests that all servers received.
type mockInternet struct {
	mu   sync.Mutex
	seen map[string][]string // by host: requests whole, with the name of a certificate
}

func (x *mockInternet) handler(host string, pages clienttest.Pages) http.Handler {
	for path, body := range pages {
		pages[path] = strings.ReplaceAll(body, "HOST", host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		who := ""
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		user, password, _ := r.BasicAuth()
		x.mu.Lock()
		x.seen[host] = append(x.seen[host], fmt.Sprintf("%s %s %v %s cert=%s basic=%s:%s", r.Method, r.RequestURI, r.Header, body, who, user, password))
		x.mu.Unlock()
		switch {
		case host == "login.three.example":
			x.login(w, r, string(body))
		case r.Method == http.MethodGet && pages[r.URL.Path] != "":
			pages.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/api/"), strings.HasPrefix(r.URL.Path, "/a2a/"), strings.HasPrefix(r.URL.Path, "/actors/"), r.URL.Path == "/mcp":
			mockAnswer(w, r, body)
		default:
			http.NotFound(w, r)
		}
	})
}

// login is the authorization server of three.example.
func (x *mockInternet) login(w http.ResponseWriter, r *http.Request, form string) {
	w.Header().Set("Content-Type", "application/json")
	q, _ := url.ParseQuery(form)
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		_, _ = io.WriteString(w, `{"issuer": "https://login.three.example", "token_endpoint": "https://login.three.example/token", "authorization_endpoint": "https://login.three.example/authorize",
			"device_authorization_endpoint": "https://login.three.example/device", "code_challenge_methods_supported": ["S256"]}`)
	case "/device":
		_, _ = io.WriteString(w, `{"device_code": "s3cret-login-device", "user_code": "ABCD", "verification_uri": "https://login.three.example/activate", "expires_in": 600, "interval": 1}`)
	case "/token":
		kind := map[string]string{"client_credentials": "robot", "authorization_code": "person"}[q.Get("grant_type")]
		if kind == "" {
			kind = "screen"
		}
		_, _ = fmt.Fprintf(w, `{"access_token": "s3cret-three-%s", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "s3cret-login-refresh-%s"}`, kind, kind)
	default:
		http.NotFound(w, r)
	}
}

// grants returns a hook with the credentials of the person, a different one for each scheme
// and site.
func (x *mockInternet) grants(t *testing.T, cert tls.Certificate) func(context.Context, *call.CredentialRequest) (*call.Grant, error) {
	browser := func(_ context.Context, page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		back := u.Query().Get("redirect_uri") + "?" + url.Values{"state": {u.Query().Get("state")}, "code": {"s3cret-login-code"}}.Encode()
		go func() {
			if resp, err := new(http.Client).Get(back); err == nil {
				_ = resp.Body.Close()
			}
		}()
		return nil
	}
	return func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		to := call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}
		site := strings.TrimSuffix(strings.TrimPrefix(q.Origin, "https://"), ".example")
		secret := "s3cret-" + site + "-" + q.Name
		const at = "https://login.three.example"
		switch q.Name {
		case "cert":
			return call.Certificate(cert, to), nil
		case "robot":
			return call.OAuth(&call.OAuthConfig{Grant: call.ClientCredentials, Issuer: at, ClientID: "robot", ClientSecret: "s3cret-login-client"}, to), nil
		case "person":
			return call.OAuth(&call.OAuthConfig{Grant: call.AuthorizationCode, Issuer: at, ClientID: "app", Open: browser}, to), nil
		case "screen":
			return call.OAuth(&call.OAuthConfig{Grant: call.DeviceCode, Issuer: at, ClientID: "app2", Device: func(context.Context, string, string) error { return nil }}, to), nil
		case "basic", "five":
			return call.Basic("ann", secret, to), nil
		}
		if q.Scheme.Kind == "http" || q.Scheme.Kind == "oauth2" {
			return call.Bearer(secret, to), nil
		}
		return call.Key(secret, to), nil
	}
}

// One Box over six domains is called through every protocol with every kind of credential. A
// sniffer at every server checks that no credential left its origin. No log, result, error,
// question, record, recording or stored answer contains one either, although all servers
// repeat their requests.
func TestMockInternet(t *testing.T) {
	net, x := clienttest.New(t), &mockInternet{seen: map[string][]string{}}
	domains := []string{"one.example", "two.example", "three.example", "four.example", "five.example", "six.example"}
	sites := mockSites()
	for _, host := range append(slices.Clone(domains), "login.three.example") {
		pages := sites[host]
		if pages == nil {
			pages = clienttest.Pages{}
		}
		net.Host(host, x.handler(host, pages)).TLS(ask)
	}
	dir := t.TempDir()
	store, err := disk.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var log bytes.Buffer
	recording := &client.Recording{}
	c := net.Client(func(o *client.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Store, o.Lab.Record = store, recording.Add
		o.Live = []client.LiveProber{livemcp.New(nil)}
	})
	box, err := tools.Load(t.Context(), c, domains, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range box.Skipped() {
		if s.Key != "" { // a place that wants a credential is told too
			t.Errorf("skipped: %+v", s)
		}
	}
	y := &yes{verdict: call.AllowOnce}
	var records []*call.Record
	caller, err := call.New(c, &call.Options{
		Confirm: y.confirm, Credentials: x.grants(t, clientCertificate(t, "s3cret-three-cert", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))),
		Audit: func(r *call.Record) { records = append(records, r) }, AuditArguments: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]string{"look": `{"id":"1"}`, "send": `{"to":"x"}`, "forecast": `{"city":"Oslo"}`, "book": `{"table":"1"}`, "ask": `{"q":"hi"}`, "drop": `{"id":"1"}`,
		"balance": `{"account":"1"}`}
	var all strings.Builder
	for _, tool := range box.Tools() {
		key := tool.Key[strings.LastIndexAny(tool.Key, "/:")+1:]
		args := cmp.Or(arguments[key], `{}`)
		if tool.Agent {
			args = `{"message":"hi"}`
		}
		for range 2 {
			res, err := caller.Call(t.Context(), box, tool.Name, []byte(args))
			if err != nil {
				e, _ := errors.AsType[*call.Error](err)
				t.Errorf("%s (%s): %v, %+v", tool.Name, tool.Key, err, e)
			}
			fmt.Fprintf(&all, "%s %v %s %v\n", mustJSON(t, res), err, res.Program.Body, res.Program.Header)
		}
	}
	t.Logf("%d tools, %d questions, %d requests", box.Len(), y.count(), len(net.Requests()))
	x.sniff(t, []string{
		"one api_key", "two apikey", "two bearer", "three head", "three query", "three cook", "three basic", "three bearer", "three cert", "three robot", "three person", "three screen",
		"four bearer", "five five", "six six",
	})
	for host, want := range map[string][]string{
		"one.example": {"GET /api/look/1", "POST /api/send"}, "two.example": {"GET /api/forecast", "POST /api/book", `"name":"drop_it"`, `"kind":"data","data":{"q":"hi"}`},
		"three.example": {"GET /api/o_head"}, "four.example": {`"method":"balance"`, `"name":"modern_tool"`}, "five.example": {`"name":"legacy_tool"`, `"method":"message/send"`},
		"six.example": {"POST /a2a/10/message:send", "POST /actors/v1/pirate/"},
	} {
		for _, part := range want {
			if !strings.Contains(strings.Join(x.seen[host], "\n"), part) {
				t.Errorf("%s was not sent %s", host, part)
			}
		}
	}
	leaks(t, "a result", all.String())
	for _, v := range []tools.Vendor{tools.MCP, tools.OpenAIResponses, tools.AnthropicMessages, tools.Gemini} {
		leaks(t, "the definitions for "+v.String(), string(box.Render(v, nil).Tools))
	}
	leaks(t, "the log", log.String())
	leaks(t, "a question", mustJSON(t, y.asked))
	leaks(t, "a record", mustJSON(t, records))
	for name, body := range recording.Files() {
		leaks(t, "the recording "+name, string(body))
	}
	stored := 0
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		stored++
		leaks(t, "the store", string(body))
		return err
	}); err != nil || stored == 0 {
		t.Errorf("%d stored, %v", stored, err)
	}
}

// sniff compares the data that each server received with the data that it may receive.
func (x *mockInternet) sniff(t *testing.T, wanted []string) {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	got := map[string]bool{}
	for host, list := range x.seen {
		site := strings.TrimSuffix(host, ".example")
		if host == "login.three.example" {
			site = "login"
		}
		for _, request := range list {
			target := strings.Fields(request)[1]
			document := site != "login" && !slices.ContainsFunc([]string{"/api/", "/a2a/", "/mcp", "/actors/"}, func(p string) bool { return strings.HasPrefix(target, p) })
			if document && strings.Contains(request, "s3cret") {
				t.Errorf("a request for a document has a credential: %s", request)
			}
			for _, at := range strings.Split(request, "s3cret-")[1:] {
				owner, rest, _ := strings.Cut(at, "-")
				if owner != site {
					t.Errorf("%s got a credential of %s: %s", host, owner, request)
				}
				name := strings.FieldsFunc(rest, func(c rune) bool { return !(c == '_' || c >= 'a' && c <= 'z') })
				if len(name) > 0 {
					got[owner+" "+name[0]] = true
				}
			}
		}
	}
	for _, want := range wanted {
		if !got[want] {
			t.Errorf("the credential %s never arrived; %v did", want, got)
		}
	}
}
