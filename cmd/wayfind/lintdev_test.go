package main

import (
	"compress/gzip"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/samples"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// A server under development is linted over http: one document, and all that it has.
func TestLintReadsAServerUnderDevelopment(t *testing.T) {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for place, body := range map[string]string{
		"/.well-known/api-catalog": `{"linkset": [{"anchor": "BASE/", "service-desc": [{"href": "BASE/docs/openapi.json", "type": "application/json"}]}]}`,
		"/docs/openapi.json":       samples.OpenAPI(`"servers": [{"url": "BASE"}], "components": {"schemas": {"Pet": {"type": "object"}}}`),
		"/bad/openapi.json":        strings.Replace(samples.OpenAPI(`"servers": [{"url": "BASE"}]`), `{"description": "ok"}`, `{"$ref": "#/components/responses/None"}`, 1),
	} {
		mux.HandleFunc(place, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.ReplaceAll(body, "BASE", srv.URL)))
		})
	}
	status, out, errs := ran(t, "lint", "--dev", srv.URL+"/bad/openapi.json")
	if status != ui.ExitNothing || !strings.Contains(out, "openapi.ref_dangling at /paths/~1a/get/responses/200/$ref") {
		t.Errorf("%d\n%s%s", status, out, errs)
	}
	_, out, errs = ran(t, "lint", "--dev", srv.URL)
	for _, place := range []string{"/.well-known/api-catalog: apicatalog, found", "/docs/openapi.json: openapi 3.1.0, found"} {
		if !strings.Contains(out, srv.URL+place) {
			t.Errorf("%s is missing\n%s%s", place, out, errs)
		}
	}
	if status, _, errs = ran(t, "lint", srv.URL+"/bad/openapi.json"); status != ui.ExitUsage || !strings.Contains(errs, "add --dev") {
		t.Errorf("without --dev: %d, %s", status, errs)
	}
}

// The header of an answer is judged like its content. The report states how clients treat the
// answer, for one document and for all documents of a server.
func TestLintJudgesTheHeaderOfAnAnswer(t *testing.T) {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	card := `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "com.example/shop", "version": "1.0.0",
		"description": "A shop.", "remotes": [{"type": "streamable-http", "url": "` + srv.URL + `/mcp"}]}`
	serve := func(place string, fields ...string) {
		mux.HandleFunc(place, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/mcp-server-card+json")
			for i := 0; i < len(fields); i += 2 {
				w.Header().Set(fields[i], fields[i+1])
			}
			_, _ = w.Write([]byte(card))
		})
	}
	serve("/good", "Access-Control-Allow-Origin", "*", "Cache-Control", "public, max-age=3600", "ETag", `"1"`)
	serve("/.well-known/mcp/server-card.json", "Cache-Control", "no-store", "Set-Cookie", "a=b", "Vary", "*")
	mux.Handle("/moved", http.RedirectHandler("/good", http.StatusFound))

	status, out, errs := ran(t, "lint", "--dev", srv.URL+"/moved")
	for _, want := range []string{"\n  the answer is kept for 1 h, then asked again with If-None-Match\n", "\n  1 redirect led to " + srv.URL + "/good\n"} {
		if status != ui.ExitFound || !strings.Contains(out, want) || strings.Contains(out, "served.") {
			t.Errorf("%d, without %q\n%s%s", status, want, out, errs)
		}
	}
	status, out, errs = ran(t, "lint", "--dev", srv.URL)
	for _, want := range []string{"the answer is not kept: asked for as a whole each time", "  error    served.cors\n", "  warning  served.cookie\n", "  warning  served.no_store\n", "  warning  served.vary\n"} {
		if status != ui.ExitNothing || !strings.Contains(out, want) {
			t.Errorf("%d, without %q\n%s%s", status, want, out, errs)
		}
	}
	_, out, errs = ran(t, "lint", "--json", "--dev", srv.URL+"/moved")
	for _, want := range []string{`"caching": "kept for 1 h, then asked again with If-None-Match"`, srv.URL + `/good"`} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q\n%s%s", want, out, errs)
		}
	}
}

// Discovery does not follow a redirect of a profile, which the specification of profiles forbids.
// lint of a domain reports the fault. A redirect to a page is no fault.
func TestLintNamesAProfileThatMoved(t *testing.T) {
	for _, to := range []string{"/profile", "/page"} {
		mux := http.NewServeMux()
		srv := httptest.NewServer(mux)
		defer srv.Close()
		serve := func(place, mediaType, body string) {
			mux.HandleFunc(place, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", mediaType)
				w.Header().Set("Cache-Control", "public, max-age=3600")
				_, _ = w.Write([]byte(body))
			})
		}
		serve("/profile", "application/json", `{"ucp": {"version": "2026-08-25", "services": {}, "payment_handlers": {}}}`)
		serve("/page", "text/html", "<!doctype html><title>Shop</title>")
		serve("/.well-known/agent", "application/json", `{"spec_version": "1.0", "name": "Shop", "description": "A service for tests.", "base_url": "`+srv.URL+`",
			"auth": {"type": "none"}, "capabilities": [{"name": "a", "description": "Does it", "detail_url": "/a"}]}`)
		mux.Handle("/.well-known/ucp", http.RedirectHandler(to, http.StatusFound))
		_, out, errs := ran(t, "lint", "--dev", srv.URL)
		moved := to == "/profile"
		if !strings.Contains(out, "/.well-known/agent: adp") || strings.Contains(out, "  error    served.redirect\n") != moved || strings.Contains(out, "/.well-known/ucp: ") != moved {
			t.Errorf("a redirect to %s\n%s%s", to, out, errs)
		}
	}
}

// A document is asked for with HEAD too, and the connection of that answer is judged.
func TestLintJudgesTheAnswerToHEADAndItsConnection(t *testing.T) {
	mux := http.NewServeMux()
	srv := httptest.NewUnstartedServer(mux)
	srv.TLS = &tls.Config{MaxVersion: tls.VersionTLS12}
	srv.StartTLS()
	defer srv.Close()
	for pattern, answer := range map[string]int{"GET /a": 200, "HEAD /b": 404, "GET /b": 200, "HEAD /c": 429, "GET /c": 200} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(answer)
			if r.Method == http.MethodGet {
				_, _ = w.Write([]byte(samples.OpenAPI(`"servers": [{"url": "https://example.com"}]`)))
			}
		})
	}
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	lint := func(path string, args ...string) string {
		_, out, errs := ran(t, append([]string{"lint", "--cacert", authority, "--allow-cidr=127.0.0.0/8", "--connect-to=example.com:443:127.0.0.1:" + port, "https://example.com" + path}, args...)...)
		return out + errs
	}
	for _, row := range []struct {
		path, wants string
		args        []string
	}{
		{"/a", "  note     served.tls\n           the server speaks TLS 1.2\n", nil},
		{"/a", "", nil},
		{"/a", "  warning  served.expiry\n           the certificate of the server ends on 2084-01-29\n", []string{"--now=2084-01-20T00:00:00Z"}},
		{"/b", "  warning  served.head\n           HEAD is answered with status 404, and GET with 200\n", nil},
		{"/c", "  HEAD and the certificate were not judged: the server asks for a pause (status 429)\n", nil},
	} {
		got := lint(row.path, row.args...)
		if !strings.Contains(got, row.wants) || row.wants == "" && (strings.Contains(got, "served.expiry") || strings.Contains(got, "served.head") || strings.Contains(got, "served.chain")) {
			t.Errorf("%s: %s", row.path, got)
		}
	}
}

// A compressed answer must have Vary: Accept-Encoding, and a large answer must be compressed.
func TestLintJudgesTheCodingOfAnAnswer(t *testing.T) {
	large := samples.OpenAPI(`"servers": [{"url": "https://example.com"}], "x-notes": "` + strings.Repeat("x", 70_000) + `"`)
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, large) // without Content-Length
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, large)
		_ = z.Close()
	})
	for path, want := range map[string]string{"/plain": "note     served.compression", "/gzip": "warning  served.coding"} {
		_, out, errs := ran(t, "lint", "--dev", srv.URL+path)
		if !strings.Contains(out, want) || strings.Count(out, "served.co") != 1 {
			t.Errorf("%s without %s\n%s%s", path, want, out, errs)
		}
	}
}

// In all formats, addresses of a server under development break no rule about public addresses.
// Addresses of another server do.
func TestLintAsksNoServerUnderDevelopmentForHTTPS(t *testing.T) {
	for place, body := range map[string]string{
		"/.well-known/ai-plugin.json": `{"schema_version": "v1", "name_for_human": "A", "name_for_model": "a", "description_for_human": "A.", "description_for_model": "A.",
			"auth": {"type": "none"}, "api": {"type": "openapi", "url": "BASE/openapi.json"}, "logo_url": "BASE/logo.png", "contact_email": "a@a.example", "legal_info_url": "BASE/legal"}`,
		"/.well-known/agent-card.json": samples.AgentCard(`"name": "x", "supportedInterfaces": [{"url": "BASE/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]`),
		"/.well-known/agent": `{"spec_version": "1.0", "name": "Shop", "description": "A service for tests.", "base_url": "BASE",
			"auth": {"type": "none"}, "capabilities": [{"name": "a", "description": "Does it", "detail_url": "BASE/a"}]}`,
		"/openapi.json":          samples.OpenAPI(`"servers": [{"url": "BASE"}]`),
		"/.well-known/agents.md": "---\nversion: \"1.0\"\nmcp:\n  endpoint: BASE/mcp\n---\n# Shop\n\n## Can\n\n- look\n",
		"/.well-known/ucp":       `{"ucp": {"version": "2026-08-25", "services": {"dev.ucp.shopping": [{"version": "2026-08-25", "spec": "https://ucp.dev/spec", "transport": "rest", "endpoint": "BASE/ucp", "schema": "https://ucp.dev/schema.json"}]}, "payment_handlers": {}}}`,
	} {
		for _, other := range []bool{false, true} {
			srv := httptest.NewUnstartedServer(nil)
			srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != place {
					http.NotFound(w, r)
					return
				}
				base := srv.URL
				if other {
					base = "http://other.example"
				}
				w.Header().Set("Content-Type", recorded.TypeOf(place, []byte(body)))
				_, _ = io.WriteString(w, strings.ReplaceAll(body, "BASE", base))
			})
			srv.Start()
			_, out, errs := ran(t, "lint", "--dev", srv.URL+place)
			srv.Close()
			if strings.Contains(out, "_scheme") != other || strings.Contains(out, "_host") {
				t.Errorf("%s, another server: %v\n%s%s", place, other, out, errs)
			}
		}
	}
}

// An address that is relative, or left out, is one of the server under development, too.
func TestLintAsksNoServerUnderDevelopmentForHTTPSOfRelativeAddresses(t *testing.T) {
	for _, servers := range []string{`"tags": []`, `"servers": [{"url": "/v1"}]`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, samples.OpenAPI(servers))
		}))
		_, out, errs := ran(t, "lint", "--dev", srv.URL+"/openapi.json")
		srv.Close()
		if !strings.Contains(out, "openapi.json: openapi 3") || strings.Contains(out, "server_") {
			t.Errorf("%s\n%s%s", servers, out, errs)
		}
	}
}
