package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// hits is the answer of the registry in these tests. "none" is a query without hits, and "bad" a
// query that the registry refuses.
const hits = `{"success": true, "query": "q", "result_count": 2, "data": [
	{"service": {"name": "Mail\u202eForge", "domain": "mailforge.example", "description": "Sends mail."},
	 "matching_capabilities": [{"name": "send_email", "description": "Send one"}]},
	{"service": {"name": "Inside", "domain": "10.0.0.1"}}]}`

// registry is a server on loopback, and the words that lead the command to it.
func registry(t *testing.T) (words []string) {
	t.Helper()
	flags := onLoopback(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch q := r.URL.Query(); {
		case r.URL.Path != "/api/discover":
			http.NotFound(w, r)
		case q.Get("q") == "none":
			_, _ = io.WriteString(w, `{"success": true, "data": []}`)
		case q.Get("q") == "send email" && q.Get("limit") == "7" && q.Get("include_unverified") == "true":
			_, _ = io.WriteString(w, hits)
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"success": false, "error": "Missing required query parameter 'q'."}`)
		}
	})
	return append(flags, "--now", "2026-01-02T15:04:05Z", "example.com")
}

// onLoopback is a server on loopback, and the flags that lead the command to it.
// The certificate of net/http/httptest is for example.com.
func onLoopback(t *testing.T, site http.HandlerFunc) (flags []string) {
	t.Helper()
	server := httptest.NewTLSServer(site)
	t.Cleanup(server.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(roots, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--connect-to", "example.com:443:" + server.Listener.Addr().String(), "--allow-cidr", "127.0.0.0/8", "--cacert", roots}
}

func TestSearch(t *testing.T) {
	words := registry(t)
	rows := []struct {
		name, query string
		flags       []string
		status      ui.Outcome
		out, err    string
	}{
		{"for people", "send email", []string{"--limit", "7", "--unverified"}, ui.ExitFound, `mailforge.example  MailForge
  Sends mail.
  send_email  Send one

Diagnostics
  warning text.hidden: text was cleaned (1 bidirectional controls) at /data/0
  warning search.target: a hit was left out, because it cannot be asked: target 10.0.0.1: invalid (host_ip_literal): it is an IP address at /data/1

This is the registry's word. Ask the domain itself for its offers:

  wayfind mailforge.example
`, ""},
		{"for programs", "send email", []string{"--limit", "7", "--unverified", "--json"}, ui.ExitFound, `{
  "schema": "wayfind/hits/1",
  "registry": "https://example.com/api/discover?include_unverified=true&limit=7&q=send+email",
  "hits": [
    {
      "target": "https://mailforge.example",
      "name": "MailForge",
      "description": "Sends mail.",
      "capabilities": [
        {
          "name": "send_email",
          "description": "Send one"
        }
      ],
      "diagnostics": [
        {
          "severity": "warning",
          "code": "text.hidden",
          "message": "text was cleaned (1 bidirectional controls)",
          "source": "https://example.com/api/discover?include_unverified=true&limit=7&q=send+email",
          "pointer": "/data/0"
        }
      ]
    }
  ],
  "diagnostics": [
    {
      "severity": "warning",
      "code": "search.target",
      "message": "a hit was left out, because it cannot be asked: target 10.0.0.1: invalid (host_ip_literal): it is an IP address",
      "source": "https://example.com/api/discover?include_unverified=true&limit=7&q=send+email",
      "pointer": "/data/1"
    }
  ],
  "freshUntil": "2026-01-02T15:19:05Z"
}
`, ""},
		{"nothing", "none", nil, ui.ExitNothing, "the registry has no match\n", ""},
		{"a query that it refuses", "bad", nil, ui.ExitNothing, "",
			"wayfind: search https://example.com/api/discover?q=bad: invalid (status): the registry answers 400: \"Missing required query parameter 'q'.\"\n"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			status, out, errs := exec(t, "", slices.Concat([]string{"search"}, r.flags, words, []string{r.query})...)
			if d := cmp.Diff(r.out, out); d != "" {
				t.Errorf("out (-want +got):\n%s", d)
			}
			if d := cmp.Diff(r.err, errs); status != r.status || d != "" {
				t.Errorf("status %d; err (-want +got):\n%s", status, d)
			}
		})
	}
}
