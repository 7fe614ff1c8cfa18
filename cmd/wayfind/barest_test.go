package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// TestNobodySaidIsNoFault gives each verb the barest document of each format. What a document does not state
// is unknown: no verb has a fault of its own for it, and none says that no credential is needed.
func TestNobodySaidIsNoFault(t *testing.T) {
	testkit.Large(t)
	barest := testkit.Barest()
	for _, f := range formats.All() {
		if _, ok := barest[f.Name]; !ok {
			t.Errorf("%s has no document", f.Name)
		}
	}
	barest["mcp (live)"] = testkit.Document{Path: "/nothing", MediaType: "text/plain"} // a server that lists a tool without a description
	server := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "t", InputSchema: map[string]any{"type": "object"}}, nil)
	live := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true})
	var now atomic.Pointer[testkit.Document]
	sites, err := loopback.Start(loopback.AnyPort(), []string{"shop.example"}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := now.Load()
		switch {
		case r.URL.Path == "/mcp":
			live.ServeHTTP(w, r)
		case r.URL.Path == at.Path:
			w.Header().Set("Content-Type", at.MediaType)
			_, _ = w.Write([]byte(at.Body))
		case at.Path == "/openapi.json" && r.URL.Path == "/.well-known/api-catalog", at.Path == "/openrpc.json" && r.URL.Path == "/.well-known/api-catalog":
			w.Header().Set("Content-Type", "application/linkset+json")
			_, _ = w.Write([]byte(`{"linkset": [{"anchor": "https://shop.example/", "service-desc": [{"href": "` + at.Path + `"}]}]}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("list.txt", []byte("shop.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, format := range slices.Sorted(maps.Keys(barest)) {
		doc := barest[format]
		now.Store(&doc)
		target := "shop.example"
		if format == "mcp (live)" {
			target = "https://shop.example/mcp"
		}
		if err := os.WriteFile("document", []byte(doc.Body), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := []string{"TARGET", "--json TARGET", "--verbose TARGET", "--prompt TARGET", "tools TARGET", "tools --for anthropic --verbose TARGET", "check --verbose TARGET", "check --json --full TARGET",
			"check --format sarif TARGET", "check --format markdown TARGET", "lint https://shop.example" + doc.Path, "parse --json document", "batch --json list.txt", "diff TARGET TARGET", "inspect --html page.html TARGET",
			"mcp --domain TARGET --print-config cursor", "pin --pins " + strings.Trim(format, " ()") + ".json TARGET"}
		_, out, _ := ran(t, "--json", "--live", target, "--cache", "none")
		var site wayfind.Site
		if json.Unmarshal([]byte(out), &site) == nil {
			if format != "tdmrep" && // a wish alone is no offer
				!slices.ContainsFunc(site.Sources, func(s wayfind.Source) bool { return s.Format == strings.TrimSuffix(format, " (live)") }) {
				t.Errorf("%s: its document is not read: %s", format, out)
			}
			for _, c := range site.Capabilities() {
				found++
				lines = append(lines, "describe TARGET "+c.Key, "call --dry-run TARGET "+c.Key, "call TARGET "+c.Key)
			}
		}
		for _, line := range lines {
			args := strings.Fields(strings.ReplaceAll(line, "TARGET", target))
			if !slices.Contains([]string{"lint", "parse"}, args[0]) {
				args = append(args, "--cache", "none")
			}
			status, out, errs := ran(t, args...)
			if status == ui.ExitFault || strings.Contains(out+errs, "fault of wayfind") || strings.Contains(out+errs, "nil pointer") {
				t.Errorf("%s: %s: %d, %s%s", format, line, status, out, errs)
			}
			if needs := "no credential is needed"; format != "openapi" && strings.Contains(strings.ToLower(out), needs) {
				t.Errorf("%s: %s says %q: %s", format, line, needs, out)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d capabilities were found in all", found)
	}
}
