package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// printed checks the output of a run: it has no invisible characters, in JSON and in tables, and no
// line that a document wrote.
func printed(t *testing.T, h *golden.Hostile, stdin string, args ...string) (out string) {
	t.Helper()
	_, out, errs := exec(t, stdin, args...)
	for what, text := range map[string]string{"output": out, "messages": errs} {
		if why := h.Hidden(text); why != "" {
			t.Errorf("%q: %s: %s", args, what, why)
		}
		if strings.Contains(text, "\n2026-01-01T00:00:00Z level=INFO") || strings.Contains(text, "\nSet-Cookie") {
			t.Errorf("%q: a forged line in %q", args, text)
		}
	}
	return out
}

// TestParseAndLintShowNothingInvisible: documents whose every text is hostile, in
// all shapes of output. Nothing is exported as CSV: a cell is text.
func TestParseAndLintShowNothingInvisible(t *testing.T) {
	testkit.Large(t)
	h := golden.NewHostile(t)
	for i, path := range golden.Documents(t) {
		if i%(5*testkit.Stride()) != 0 {
			continue // the sweep over all of them is in package client
		}
		body := string(h.Poison(golden.Read(t, path), i%2 == 0))
		for _, args := range [][]string{{"parse", "-"}, {"parse", "--json", "-"}, {"lint", "-"}, {"lint", "--json", "-"}} {
			out := printed(t, h, body, args...)
			if args[1] == "--json" {
				if why := h.HiddenIn(t, json.RawMessage(out)); why != "" {
					t.Errorf("%q %s: %s", args, path, why)
				}
			}
		}
	}
	for range 60 {
		printed(t, h, "", "parse", h.Text())
		printed(t, h, "{}", "parse", "--format", h.Text(), "--url", h.Text(), "-")
		printed(t, h, "", "lint", "https://shop.example/"+h.Text())
		printed(t, h, "", h.Text())
		printed(t, h, "", "resolve", "--"+h.Text())
		printed(t, h, "", "cache", "stats", "--cache", h.Text())
		printed(t, h, "", "resolve", "--formats", h.Text(), "--robots", h.Text(), "shop.example")
		printed(t, h, "", "describe", "--connect-to", h.Text(), "shop.example", "key")
	}
}

// hostileServer is example.com on loopback with hostile documents and header
// fields, and the words that lead the command to it.
func hostileServer(t *testing.T, h *golden.Hostile) (words []string) {
	t.Helper()
	const manifest = `{"spec_version": "1.0", "name": "Shop of shoes", "description": "It sells shoes to agents.", "base_url": "https://example.com",
		"auth": {"type": "none"}, "capabilities": [{"name": "buy", "description": "Buy a pair", "detail_url": "/d/buy"}]}`
	const detail = `{"name": "buy", "description": "Buy in detail", "endpoint": "/buy", "method": "POST",
		"parameters": [{"name": "size", "type": "string", "required": true, "description": "the size in centimetres"}],
		"request_example": {"method": "POST", "url": "x y"}, "response_example": {"status": 200, "body": "it is bought"}}`
	pages := map[string]string{"/.well-known/agent": manifest, "/d/buy": detail, "/api/discover": hits,
		"/llms.txt": "# Shop of shoes\n\n> It sells shoes\n\n## Docs\n\n- [A page](/a): about shoes\n", "/robots.txt": "User-agent: *\nDisallow: / # no\n"}
	for _, path := range []string{"/.well-known/agent", "/d/buy", "/api/discover", "/llms.txt", "/robots.txt"} {
		pages[path] = string(h.Poison([]byte(pages[path]), false))
	}
	pages["/.well-known/agent-skills/index.json"] = `{"skills": [{"name": "measure", "description": "Measures feet", "url": "/measure/SKILL.md"}]}`
	pages["/measure/SKILL.md"] = "---\nname: measure\ndescription: Measures feet\n---\n# Measure a foot\n\n" + h.Text() + "\n"
	field := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, h.Text()+h.Text())
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; x="+field)
		w.Header().Set("ETag", `"`+field+`"`)
		if strings.HasPrefix(r.URL.Path, "/agents") {
			w.Header().Set("Location", "/there/"+field+"?"+field)
			w.WriteHeader(http.StatusFound)
			return
		}
		body, ok := pages[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(body))
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections that are no longer used
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--connect-to", "example.com:443:" + server.Listener.Addr().String(), "--allow-cidr", "127.0.0.0/8", "--cacert", roots}
}

// TestNoVerbShowsAnythingInvisible: every verb that asks, in every shape of output.
func TestNoVerbShowsAnythingInvisible(t *testing.T) {
	h := golden.NewHostile(t)
	words := hostileServer(t, h)
	dir := filepath.Join(t.TempDir(), "saved")
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte("example.com\n"+strings.ReplaceAll(h.Text()+h.Text()+h.Text(), "#", "")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"batch", "--robots", "ignore", list}, "Shop of shoes"},
		{[]string{"resolve", "--trace", "--verbose", "example.com"}, "Shop of shoes"},
		{[]string{"resolve", "--json", "example.com"}, "Shop of shoes"},
		{[]string{"resolve", "--prompt", "example.com"}, "Shop of shoes"},
		{[]string{"resolve", "--save", dir, "example.com"}, "Shop of shoes"},
		{[]string{"describe", "example.com", "adp:buy"}, "centimetres"},
		{[]string{"describe", "--json", "example.com", "adp:buy"}, "centimetres"},
		{[]string{"describe", "--prompt", "example.com", "adp:buy"}, "centimetres"},
		{[]string{"describe", "example.com", "agentskills:measure"}, "  | # Measure a foot"},
		{[]string{"describe", "--json", "example.com", "agentskills:measure"}, "# Measure a foot"},
		{[]string{"describe", "--prompt", "example.com", "agentskills:measure"}, "agentskills:measure"},
		{[]string{"describe", "example.com", h.Text()}, ""},
		{[]string{"lint", "https://example.com/.well-known/agent"}, "found"},
		{[]string{"lint", "--json", "https://example.com/llms.txt"}, "llmstxt"},
		{[]string{"search", "example.com", "shoes"}, "mailforge.example"},
		{[]string{"search", "--json", "example.com", h.Text()}, "mailforge.example"},
	} {
		args := append([]string{row.args[0]}, append(words, row.args[1:]...)...)
		if out := printed(t, h, "", args...); !strings.Contains(out, row.want) {
			t.Errorf("%q prints %q", row.args, out)
		}
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if why := h.Hidden(string(index)); why != "" {
		t.Errorf("the index of --save: %s", why)
	}
}

// TestEvenAnUncleanedModelIsEscaped: the texts of a model that was not cleaned are escaped before
// they reach a terminal or a file.
func TestEvenAnUncleanedModelIsEscaped(t *testing.T) {
	h := golden.NewHostile(t)
	for range 5 {
		var out bytes.Buffer
		a := &ui.App{Out: &out, Err: &out, Schemas: schemas()}
		var site wayfind.Site
		var trace client.Trace
		var detail wayfind.Detail
		var result client.ParseResult
		var hits client.SearchResult
		for _, v := range []any{&site, &trace, &detail, &result, &hits} {
			h.Fill(v)
		}
		show.Site(a, &site, nil, &trace)
		show.Answer(a, &site, nil, &trace, show.Asked{})
		show.Trace(a, &trace, true)
		show.Detail(a, &detail)
		detail.Capability = nil
		show.Detail(a, &detail)
		show.Document(a, &result, true, true)
		result.Usable = false
		show.Document(a, &result, true, true)
		show.Hits(a, &hits)
		show.Prompt(a, errors.New(h.Text()), func(p *prompt.Prompt) { p.Site(&site); p.Detail(&detail) })
		for _, v := range []any{site, detail, result, hits} {
			a.PrintJSON(v, ui.NewFailure(h.Text(), errors.New(h.Text())))
		}
		a.JSON = true
		a.Fail(h.Text(), errors.New(h.Text()))
		if why := h.Hidden(out.String()); why != "" {
			t.Fatal(why)
		}
		if out.Len() < 10_000 {
			t.Fatalf("only %d bytes were printed", out.Len())
		}
	}
}

// TestTableKeepsLetters: a cell is cut between letters.
func TestTableKeepsLetters(t *testing.T) {
	for in, want := range map[string]string{
		"abcdef": "abc…", "abcd": "abcd", "ab\nc": "ab", "ab👍🏽xy": "ab…", "abe\u0332\u0333x": "ab…", "🇩🇪🇫🇷🇩🇪": "🇩🇪…",
	} {
		if got := humanize.OneLine(in, 4); got != want {
			t.Errorf("%q is cut to %q, want %q", in, got, want)
		}
	}
}
