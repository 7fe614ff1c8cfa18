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

// bare is a site with one document, which states nothing that it need not state.
type bare struct{ path, mediaType, body string }

// barest has a document for each format. No member is optional, and nothing says how to authenticate, what a
// call does, or who publishes.
var barest = map[string]bare{
	"a2a":          {"/.well-known/agent-card.json", "application/json", `{"name": "x", "version": "1", "url": "https://shop.example/a2a", "capabilities": {}, "skills": [{"id": "s", "name": "s"}]}`},
	"acp":          {"/.well-known/acp.json", "application/json", `{"protocol": {"name": "acp", "version": "2026-01-30", "supported_versions": ["2026-01-30"]}, "api_base_url": "https://shop.example/acp", "transports": ["rest"], "capabilities": {"services": ["checkout"]}}`},
	"adp":          {"/.well-known/agent", "application/json", `{"name": "x", "description": "y", "capabilities": [{"key": "a", "name": "a", "description": "b", "detail_url": "https://shop.example/d"}]}`},
	"agentskills":  {"/.well-known/agent-skills/index.json", "application/json", `{"skills": [{"name": "s", "description": "d", "url": "/s/SKILL.md"}]}`},
	"agentsmd":     {"/.well-known/agents.md", "text/markdown", "# Shop\n\n## Can\n\n- search things\n"},
	"aicatalog":    {"/.well-known/ai-catalog.json", "application/json", `{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:a", "type": "application/a2a-agent-card+json", "url": "https://shop.example/none"}]}`},
	"aidiscovery":  {"/.well-known/ai", "application/json", `{"aiendpoint": "1.0", "service": {"name": "x"}, "capabilities": [{"id": "a", "endpoint": "/a", "method": "GET"}]}`},
	"aiplugin":     {"/.well-known/ai-plugin.json", "application/json", `{"schema_version": "v1", "name_for_model": "x", "description_for_model": "y", "api": {"url": "/none.json"}}`},
	"apicatalog":   {"/.well-known/api-catalog", "application/linkset+json", `{"linkset": [{"anchor": "https://shop.example/"}]}`},
	"awp":          {"/agent.json", "application/json", `{"awp_version": "0.2", "domain": "shop.example", "intent": "x", "actions": [{"id": "a", "endpoint": "/a", "method": "GET"}]}`},
	"integrations": {"/.well-known/integrations.json", "application/json", `{"version": 3, "surfaces": [{"slug": "a", "name": "a", "type": "mcp", "url": "https://shop.example/mcp", "auth": {"status": "unknown"}}]}`},
	"links":        {"/", "text/html", `<link rel="service-desc" href="/none">`},
	"llmstxt":      {"/llms.txt", "text/markdown", "# x\n"},
	"mcp":          {"/.well-known/mcp/server-card.json", "application/json", `{"name": "com.example/x", "version": "1", "description": "y", "remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}]}`},
	"msagents":     {"/agents/v1", "application/json", `[{"name": "x"}]`},
	"oauth":        {"/.well-known/oauth-protected-resource", "application/json", `{"resource": "https://shop.example"}`},
	"openapi":      {"/openapi.json", "application/json", `{"openapi": "3.1.0", "info": {"title": "", "version": ""}, "paths": {"/a": {"get": {}, "post": {"requestBody": {"content": {"application/json": {}}}}}}}`},
	"openrpc":      {"/openrpc.json", "application/json", `{"openrpc": "1.3.2", "info": {"title": "", "version": ""}, "methods": [{"name": "m", "params": []}]}`},
	"robots":       {"/robots.txt", "text/plain", "User-agent: *\n"},
	"tdmrep":       {"/.well-known/tdmrep.json", "application/json", `[{"location": "/", "tdm-reservation": 1}]`},
	"ucp":          {"/.well-known/ucp", "application/json", `{"ucp": {"version": "2026-01-23", "services": {"dev.ucp.shopping": [{"version": "2026-01-23", "transport": "rest", "endpoint": "https://shop.example/ucp"}]}, "capabilities": {}}}`},
	// A server that lists a tool without a description.
	"mcp (live)": {"/nothing", "text/plain", ""},
}

// TestNobodySaidIsNoFault gives each verb the barest document of each format. What a document does not state
// is unknown: no verb has a fault of its own for it, and none says that no credential is needed.
func TestNobodySaidIsNoFault(t *testing.T) {
	testkit.Large(t)
	for _, f := range formats.All() {
		if _, ok := barest[f.Name]; !ok {
			t.Errorf("%s has no document", f.Name)
		}
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "t", InputSchema: map[string]any{"type": "object"}}, nil)
	live := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true})
	var now atomic.Pointer[bare]
	sites, err := loopback.Start(loopback.AnyPort(), []string{"shop.example"}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := now.Load()
		switch {
		case r.URL.Path == "/mcp":
			live.ServeHTTP(w, r)
		case r.URL.Path == at.path:
			w.Header().Set("Content-Type", at.mediaType)
			_, _ = w.Write([]byte(at.body))
		case at.path == "/openapi.json" && r.URL.Path == "/.well-known/api-catalog", at.path == "/openrpc.json" && r.URL.Path == "/.well-known/api-catalog":
			w.Header().Set("Content-Type", "application/linkset+json")
			_, _ = w.Write([]byte(`{"linkset": [{"anchor": "https://shop.example/", "service-desc": [{"href": "` + at.path + `"}]}]}`))
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
		if err := os.WriteFile("document", []byte(doc.body), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := []string{"TARGET", "--json TARGET", "--verbose TARGET", "--prompt TARGET", "tools TARGET", "tools --for anthropic --verbose TARGET", "check --verbose TARGET", "check --json --full TARGET",
			"check --format sarif TARGET", "check --format markdown TARGET", "lint https://shop.example" + doc.path, "parse --json document", "batch --json list.txt", "diff TARGET TARGET", "inspect --html page.html TARGET",
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
