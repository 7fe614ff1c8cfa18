package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// ownLines are command lines, at least one for each verb that asks a site. ORIGIN is the origin of the site.
var ownLines = []string{
	"ORIGIN", "--json ORIGIN", "--verbose ORIGIN", "--prompt ORIGIN", "tools ORIGIN", "tools --json ORIGIN", "describe ORIGIN adp:item_40", "describe ORIGIN openapi:list_orders",
	"describe ORIGIN a2a:find", "call --dry-run ORIGIN openapi:list_orders limit=5", "call ORIGIN openapi:list_orders limit=5", "check ORIGIN", "check --json ORIGIN", "lint ORIGIN/.well-known/agent", "lint ORIGIN",
	"batch --json list.txt", "diff ORIGIN ORIGIN", "search ORIGIN item_40", "pin --pins pins.json ORIGIN", "pin --pins pins.json --check ORIGIN", "ORIGIN/openapi.json", "tools ORIGIN/openapi.json",
}

// ownSite answers as a site whose documents name its own origin: absolutely, by a path, and not at all.
// There are more details than a site may have at foreign hosts.
func ownSite() http.Handler {
	const items = 40
	mux := http.NewServeMux()
	own := func(r *http.Request) string {
		if r.TLS != nil {
			return "https://" + r.Host
		}
		return "http://" + r.Host
	}
	answer := func(path, mediaType, template string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.Header().Set("Cache-Control", "max-age=600")
			_, _ = w.Write([]byte(strings.ReplaceAll(template, "ORIGIN", own(r))))
		})
	}
	var list strings.Builder
	for i := range items + 1 {
		fmt.Fprintf(&list, "%s\n"+`{"key": "item_%d", "description": "Item number %d of the list", "detail_url": "%s/details/%d"}`, strings.Repeat(",", min(i, 1)), i, i, []string{"ORIGIN", ""}[i%2], i)
	}
	answer("/.well-known/agent", "application/json", `{"spec_version": "1.0", "name": "Shop", "description": "Sells.", "website": "ORIGIN",
"capabilities": [`+list.String()+`]}`)
	mux.HandleFunc("GET /details/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"key": "item_%s", "endpoint": "%s/items/%s", "method": "GET", "description": "Shows it", "request_headers": {}}`, r.PathValue("n"), own(r), r.PathValue("n"))
	})
	answer("/.well-known/api-catalog", "application/linkset+json", `{"linkset": [{"anchor": "ORIGIN/", "service-desc": [{"href": "ORIGIN/openapi.json", "type": "application/json"}]}]}`)
	answer("/openapi.json", "application/json", `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "ORIGIN/api"}], "security": [],
		"paths": {"/orders": {"get": {"operationId": "list_orders", "summary": "Lists the open orders, newest first", "parameters": [{"name": "limit", "in": "query", "description": "How many", "schema": {"type": "integer"}}],
		"responses": {"200": {"description": "OK"}}}}}}`)
	answer("/api/orders", "application/json", `{"orders": []}`)
	answer("/.well-known/agent-card.json", "application/json", `{"protocolVersion": "0.3.0", "name": "Shop", "description": "Sells.", "version": "1", "url": "ORIGIN/a2a", "capabilities": {}, "security": [],
		"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "find", "name": "Find", "description": "Finds things.", "tags": ["find"]}]}`)
	answer("/llms.txt", "text/markdown", "# Shop\n\n> Sells.\n\n## Pages\n\n- [Orders](ORIGIN/orders): the orders\n- [Terms](/terms): the terms\n")
	answer("/robots.txt", "text/plain", "User-agent: *\nAllow: /\n\nSitemap: ORIGIN/sitemap.xml\n")
	return mux
}

// ofTransport are the lines that differ between https and http.
var ofTransport = regexp.MustCompile(`(?m)^.*(servers? under development|--dev allows|HTTP/2|"tls"|"(fetchedAt|freshUntil|httpVersion)").*\n`)

// varying are values that differ with each run, or with the length of the origin, and the diagnostic of --dev.
var varying = regexp.MustCompile(`[0-9a-f]{64}|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|wayfind-[0-9a-f]{8}|\d\d:\d\d:\d\d(Z|[+-]\d\d:?\d\d)|age \d+s|untrusted-[0-9A-Z]{26}|\d+ tokens|"tokens": \d+|--dev |Diagnostics\s+(warning )?policy\.dev|,\s+\{\s+"severity": "warning",\s+"code": "policy\.dev",\s+"message": "[^"]*"\s+\}`)

// unescaped are the brackets of an address in Markdown.
var unescaped = strings.NewReplacer(`\[`, "[", `\]`, "]")

// A site is its own, whatever its origin is called: each verb says the same of it by its name over https, and
// under --dev by a name of one label and by addresses.
func TestTheOwnOriginIsOwn(t *testing.T) {
	testkit.Large(t)
	t.Chdir(t.TempDir())
	said := map[string][]string{}
	for _, origin := range ownOrigins(t) {
		if err := os.WriteFile("list.txt", []byte(origin+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(origin)
		if err != nil {
			t.Fatal(err)
		}
		anonymous := strings.NewReplacer(origin, "SITE", "example.shop/server", "SITE/server", "urn:air:localhost", "urn:air:SITE", "localhost/server", "SITE/server", u.Host, "SITE", slugOf(u.Host), "SITE", u.Hostname(), "SITE")
		for _, line := range ownLines {
			args := strings.Fields(strings.ReplaceAll(line, "ORIGIN", origin))
			if args[0] != "lint" {
				args = append(args, "--cache", "none")
			}
			if u.Scheme == "http" {
				args = append(args, "--dev")
			}
			status, out, errs := ran(t, args...)
			text := ofTransport.ReplaceAllString(varying.ReplaceAllString(anonymous.Replace(unescaped.Replace(fmt.Sprintf("status %d\n%s\n%s", status, out, errs))), ""), "")
			text = strings.Join(strings.Fields(text), " ")
			said[line] = append(said[line], text)
		}
	}
	for line, texts := range said {
		for _, text := range texts[1:] {
			if diff := cmp.Diff(strings.SplitAfter(texts[0], " "), strings.SplitAfter(text, " ")); diff != "" {
				t.Errorf("%s (-https, +http):\n%s", line, diff)
			}
		}
	}
}

// ownOrigins starts the site and returns its origins, first the one over https.
func ownOrigins(t *testing.T) []string {
	t.Helper()
	sites, err := loopback.Start(loopback.AnyPort(), []string{"shop.example"}, ownSite(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sites.Close() })
	leadTo(t, sites)
	origins := []string{"https://shop.example"}
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Logf("%s: %v", host, err) // a machine without IPv6
			continue
		}
		srv := &http.Server{Handler: ownSite()}
		go func() { _ = srv.Serve(l) }() // until it is closed
		t.Cleanup(func() { _ = srv.Close() })
		port := l.Addr().(*net.TCPAddr).Port
		origins = append(origins, "http://"+net.JoinHostPort(host, fmt.Sprint(port)))
		if host == "127.0.0.1" {
			origins = append(origins, fmt.Sprintf("http://localhost:%d", port))
		}
	}
	return origins
}

// slugOf is a host as a part of an ID.
func slugOf(host string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(host, "-"), "-")
}
