package client_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aiplugin"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// TestEmojiKeepTheirSelector: one U+FE0F after a character that has an emoji
// presentation is part of the text (UTS 51, emoji presentation sequences).
// Any more of them, and those after a letter, hide bytes.
func TestEmojiKeepTheirSelector(t *testing.T) {
	for text, want := range map[string]string{
		"to watch \U0001F441\uFE0F it":        "to watch \U0001F441\uFE0F it",
		"love \u2764\uFE0F":                   "love \u2764\uFE0F",
		"hidden \u2764\uFE0F\uFE0F\uFE0F":     "hidden \u2764\uFE0F",
		"a\uFE0F letter":                      "a letter",
		"\u2764\uFE00 another of these 256":   "\u2764 another of these 256",
		"\u2764\U000E0101 and of the further": "\u2764 and of the further",
	} {
		r := parseText(t, strings.Replace(manifest("shop.example", "/a"), `"description": "`, `"description": "`+text+" ", 1), nil)
		if len(r.Site.Services) != 1 {
			t.Fatalf("%s %+v", r.Verdict, r.Diagnostics)
		}
		if got := r.Site.Services[0].Description; !strings.HasPrefix(got, want+" ") {
			t.Errorf("%+q became %+q, want %+q", text, got, want)
		}
	}
}

// TestTheSecurityOfAnOperationWins: the security of an operation (OpenAPI 3.1.0 §4.8.10, security)
// applies to it. The authentication in a manifest of the whole site applies only if the description
// has none.
func TestTheSecurityOfAnOperationWins(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		plugin := strings.Replace(pluginManifest("https://shop.example/openapi.json"), `{"type": "none"}`,
			`{"type": "service_http", "authorization_type": "bearer", "verification_tokens": {}}`, 1)
		internet.Host("shop.example", clienttest.Pages{aiplugin.Path: plugin, "/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"},
			"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}, "paths": {
			"/open": {"get": {"operationId": "open", "security": [], "responses": {"200": {"description": "ok"}}}},
			"/keyed": {"get": {"operationId": "keyed", "security": [{"key": []}], "responses": {"200": {"description": "ok"}}}}}}`})
		c := newClient(t, internet, readPlugins)
		site := resolvedBy(t, internet, c)
		for id, want := range map[string]wayfind.SchemeKind{"open": wayfind.SchemeNone, "keyed": wayfind.SchemeAPIKey} {
			service, brief := site.Capability("openapi:openapi/" + id)
			if brief == nil {
				t.Fatalf("%s is not there: %v", id, skillKeys(site))
			}
			d, err := c.Describe(t.Context(), site, brief.Key)
			if err != nil {
				t.Fatal(err)
			}
			for step, auth := range map[string]*wayfind.Auth{"found": authOf(brief.Auth, service.Auth), "described": authOf(d.Capability.Auth, service.Auth)} {
				if kinds := kindsOf(auth); step == "described" && len(kinds) == 0 || slices.ContainsFunc(kinds, func(k wayfind.SchemeKind) bool { return k != want }) {
					t.Errorf("%s, %s: needs %q, want %s", id, step, kinds, want)
				}
			}
		}
	})
}

// TestASecurityThatAnOperationRepeatsWins: an operation that repeats the security of its document
// states it for itself, and a manifest of the site does not change that.
func TestASecurityThatAnOperationRepeatsWins(t *testing.T) {
	for name, want := range map[string]wayfind.SchemeKind{`[]`: wayfind.SchemeNone, `[{"key": []}]`: wayfind.SchemeAPIKey} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			plugin := strings.Replace(pluginManifest("https://shop.example/openapi.json"), `{"type": "none"}`,
				`{"type": "service_http", "authorization_type": "bearer", "verification_tokens": {}}`, 1)
			internet.Host("shop.example", clienttest.Pages{aiplugin.Path: plugin, "/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "security": ` + name + `,
				"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}, "paths": {
				"/a": {"get": {"operationId": "a", "security": ` + name + `, "responses": {"200": {"description": "ok"}}}}}}`})
			c := newClient(t, internet, readPlugins)
			site := resolvedBy(t, internet, c)
			service, brief := site.Capability("openapi:openapi/a")
			if brief == nil {
				t.Fatalf("it is not there: %v", skillKeys(site))
			}
			d, err := c.Describe(t.Context(), site, brief.Key)
			if err != nil {
				t.Fatal(err)
			}
			for step, auth := range map[string]*wayfind.Auth{"found": authOf(brief.Auth, service.Auth), "described": d.Capability.Auth} {
				if kinds := kindsOf(auth); len(kinds) == 0 || slices.ContainsFunc(kinds, func(k wayfind.SchemeKind) bool { return k != want }) {
					t.Errorf("%s, %s: needs %q, want %s", name, step, kinds, want)
				}
			}
		})
	}
}

// authOf returns the auth of a capability, or of its service if it has none.
func authOf(own, service *wayfind.Auth) *wayfind.Auth {
	if own != nil {
		return own
	}
	return service
}

// kindsOf returns the kinds of schemes in the alternatives of the requirements.
func kindsOf(auth *wayfind.Auth) (kinds []wayfind.SchemeKind) {
	if auth == nil {
		return nil
	}
	for _, alternative := range auth.Requirements {
		for _, part := range alternative {
			kinds = append(kinds, auth.Schemes[part.Scheme].Kind)
		}
	}
	return kinds
}

// TestFormatsThatAreNotReadAreKnownByName: a document of a known format that is not read gets the
// verdict for another format, with the name of its format.
func TestFormatsThatAreNotReadAreKnownByName(t *testing.T) {
	for path, body := range map[string]string{
		"/.well-known/agents.json": `{"agentsJson": "0.1.0", "info": {"title": "Shop", "version": "1", "description": "A shop."},
			"sources": [{"id": "shop", "path": "https://shop.example/openapi.json"}], "flows": [{"id": "buy", "title": "Buy", "description": "Buys.", "actions": []}]}`,
		"/.well-known/ucp": `{"ucp": {"version": "2026-01-11", "services": {"dev.ucp.shopping": {"version": "2026-01-11",
			"rest": {"endpoint": "https://shop.example/ucp"}}}, "capabilities": [{"name": "dev.ucp.shopping.checkout", "version": "2026-01-11"}]}}`,
		"/.well-known/api-catalog": `{"linkset": [{"anchor": "https://shop.example/api", "service-desc": [{"href": "https://shop.example/openapi.json",
			"type": "application/openapi+json"}]}]}`,
		"/.well-known/skills/index.json": `{"skills": [{"name": "buy", "description": "Buys.", "files": ["SKILL.md"]}]}`,
		"/.well-known/ai-catalog.json": `{"specVersion": "1.0", "entries": [{"identifier": "urn:ai:shop.example:bot", "displayName": "Bot",
			"mediaType": "application/a2a-agent-card+json", "url": "https://shop.example/agent-card.json"}]}`,
	} {
		unread := withoutFormats("ucp", "agentskills", "aicatalog", "apicatalog")
		r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + path, ContentType: "application/json", Formats: unread})
		if r.Verdict != wayfind.VerdictOtherFormat || r.Reason == "" {
			t.Errorf("%s: %s, reason %q; want %s and its name", path, r.Verdict, r.Reason, wayfind.VerdictOtherFormat)
		}
	}
}

// TestTooLargeIsTheReasonWhateverTheSyntax: a too large document has this reason in any syntax. A
// format that reads beginnings reads the beginning of a document of any size.
func TestTooLargeIsTheReasonWhateverTheSyntax(t *testing.T) {
	testkit.Large(t)
	lines := func(head string, n int) string { return head + strings.Repeat("- [Page](/page.md): a page\n", n/27) }
	for name, c := range map[string]struct {
		url, body string
		verdict   wayfind.Verdict
		reason    string
	}{
		"agents.md of 70 KiB":  {"/agents.md", lines("# Shop\n\n## Can\n\n- Sell\n\n## Links\n\n", 70<<10), wayfind.VerdictTooLarge, "too_large"},
		"agents.md of 300 KiB": {"/agents.md", lines("# Shop\n\n## Can\n\n- Sell\n\n## Links\n\n", 300<<10), wayfind.VerdictTooLarge, "too_large"},
		"llms.txt of 300 KiB":  {"/llms.txt", lines("# Shop\n\n", 300<<10), wayfind.VerdictFound, ""},
		"llms.txt of 5 MiB":    {"/llms.txt", lines("# Shop\n\n", 5<<20), wayfind.VerdictFound, ""},
		"robots.txt of 5 MiB":  {"/robots.txt", "User-agent: *\n" + strings.Repeat("Disallow: /page\n", 5<<16), wayfind.VerdictFound, ""},
		"JSON of 17 MiB":       {"/llms.txt", `{"a": "` + strings.Repeat("x", 17<<20) + `"}`, wayfind.VerdictTooLarge, "too_large"},
		"no such text, 17 MiB": {"/x", strings.Repeat("nothing\n", 17<<17), wayfind.VerdictTooLarge, "too_large"},
	} {
		r := parseText(t, c.body, &client.ParseOptions{URL: "https://shop.example" + c.url})
		if r.Verdict != c.verdict || r.Reason != c.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", name, r.Verdict, r.Reason, c.verdict, c.reason)
		}
	}
}

// TestDocumentsOfTheCorpusAreKnownByName: most documents of formats that are known by name are
// reported with that name. No document of a format that is read, or of another kind, is.
func TestDocumentsOfTheCorpusAreKnownByName(t *testing.T) {
	names := map[string]string{"agents-json": "agentsjson", "ucp-profile": "ucp", "api-catalog": "apicatalog", "agent-skills-index": "agentskills",
		"ai-catalog": "aicatalog", "acp-discovery": "acp"}
	told, all := map[string]int{}, map[string]int{}
	for _, path := range golden.Documents(t) {
		folder := filepath.Base(filepath.Dir(path))
		in := &parse.Input{Body: golden.Read(t, path)}
		all[folder]++
		switch got := parse.Known(in); {
		case got == "":
		case got != names[folder] && names[folder] != "":
			t.Errorf("%s is told to be %s", path, got)
		case got == names[folder]:
			told[folder]++
		default:
			t.Logf("%s has the marks of %s", path, got)
		}
	}
	for folder := range names {
		t.Logf("%s: %d of %d", folder, told[folder], all[folder])
		if told[folder]*2 < all[folder] {
			t.Errorf("%s: only %d of %d are told", folder, told[folder], all[folder])
		}
	}
}

// With Full, the details in the document are read, once each. Details in other documents are not.
func TestParseWithFullReadsTheDetailsOfTheDocument(t *testing.T) {
	const description = "openapi: 3.1.0\ninfo: {title: Orders, version: '1'}\npaths:\n  /orders/{id}:\n    put:\n      operationId: put\n" +
		"      parameters:\n      - {name: id, in: path, required: true, schema: {type: string}}\n      - {name: q, in: nowhere}\n" +
		"      requestBody: {content: {application/json: {schema: {type: object, properties: {quantity: {type: integer}}}}}}\n" +
		"      responses: {'200': {description: ok, content: {application/json: {schema: {type: string}}}}}\n" +
		"    get:\n      operationId: get\n      parameters:\n      - {name: id, in: path, required: true, schema: {type: string}}\n" +
		"      responses: {'200': {description: ok}}\n"
	for _, full := range []bool{false, true} {
		r := parseText(t, description, &client.ParseOptions{URL: "https://shop.example/openapi.yaml", Full: full})
		if r.Format != "openapi" || len(r.Site.Services) != 1 || len(r.Site.Services[0].Capabilities) != 2 {
			t.Fatalf("%q %s (%s)", r.Format, r.Verdict, r.Reason)
		}
		for _, c := range r.Site.Services[0].Capabilities {
			params := map[string]int{"put": 2, "get": 1}[c.ID]
			if full && (c.Lazy || len(c.Params) != params || len(c.Input) == 0 || c.Key == "" || len(c.Sources) == 0) || !full && !c.Lazy {
				t.Errorf("full %v: %s: lazy %v, params %+v", full, c.Key, c.Lazy, c.Params)
			}
			if full && c.ID == "put" && len(c.Output) == 0 {
				t.Error("no output")
			}
		}
		told := 0
		for _, d := range r.Diagnostics {
			if d.Code == "openapi.param_in" {
				told++
			}
			if d.Source != "https://shop.example/openapi.yaml" {
				t.Errorf("%s is about %q", d.Code, d.Source)
			}
		}
		if full != (told == 1) || len(r.Diagnostics) != len(r.Site.Diagnostics) {
			t.Errorf("full %v: told %d times, %+v", full, told, r.Diagnostics)
		}
	}
	r := parseText(t, manifest("shop.example", "/a"), &client.ParseOptions{URL: "https://shop.example" + wellKnown, Full: true})
	for _, c := range r.Site.Capabilities() {
		if !c.Lazy || len(c.DetailURLs) == 0 {
			t.Errorf("%s: the detail is in another document, and lazy is %v", c.Key, c.Lazy)
		}
	}
	if r = parseText(t, "<!doctype html>", &client.ParseOptions{Full: true}); r.Usable {
		t.Error("a page is usable")
	}
}

// TestSilenceAboutAuthenticationIsUnknown: a document without a word on authentication does not
// state that none is needed, in any format. Only in agents.md (§3) this is the meaning, and then
// the default is marked.
func TestSilenceAboutAuthenticationIsUnknown(t *testing.T) {
	for format, doc := range map[string]struct{ path, body string }{
		"adp": {wellKnown, `{"spec_version": "1.0", "name": "Shop", "description": "A shop of many things.", "base_url": "https://shop.example",
			"capabilities": [{"name": "find", "description": "Finds things", "detail_url": "/d/find"}]}`},
		"aidiscovery": {"/.well-known/ai", `{"aiendpoint": "1.0", "service": {"name": "Shop", "description": "A shop of many things.", "category": ["shopping"]},
			"capabilities": [{"id": "find", "description": "Find things", "endpoint": "/find", "method": "GET", "params": {}, "returns": "things"}]}`},
		"awp": {"/agent.json", `{"awp_version": "0.2", "domain": "shop.example", "intent": "A shop", "capabilities": {"streaming": false},
			"actions": [{"id": "find", "description": "Finds", "endpoint": "/find", "method": "GET", "inputs": {}, "outputs": {}}]}`},
		"a2a": {"/.well-known/agent-card.json", `{"protocolVersion": "0.3.0", "name": "Bot", "description": "A bot.", "version": "1", "url": "https://shop.example/a2a",
			"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "security": [],
			"skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": [], "security": []}]}`},
		"mcp": {"/.well-known/mcp.json", `{"name": "example.shop/shop", "version": "1.0.0", "description": "A shop",
			"remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}]}`},
		"aiplugin": {"/.well-known/ai-plugin.json", `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
			"description_for_model": "Use it.", "api": {"type": "openapi", "url": "https://shop.example/openapi.json"}}`},
		"openapi": {"/openapi.json", `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {"/find": {"get": {"operationId": "find", "responses": {}}}},
			"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}`},
		"openrpc":  {"/openrpc.json", `{"openrpc": "1.3.2", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example/rpc"}], "methods": [{"name": "find", "params": []}]}`},
		"agentsmd": {"/agents.md", "# Shop\n\n## Can\n\n- Find things\n\n## MCP\n\nendpoint: https://shop.example/mcp\n"},
	} {
		r := parseText(t, doc.body, &client.ParseOptions{URL: "https://shop.example" + doc.path, Full: true})
		if r.Format != format || len(r.Site.Services) == 0 {
			t.Errorf("%s: %q %s (%s)", format, r.Format, r.Verdict, r.Reason)
			continue
		}
		for _, s := range r.Site.Services {
			said := map[string]*wayfind.Auth{"service": s.Auth}
			for i := range s.Interfaces {
				said["interface "+s.Interfaces[i].URL] = s.Interfaces[i].Auth
			}
			for i := range s.Capabilities {
				said["capability "+s.Capabilities[i].ID] = s.Capabilities[i].Auth
			}
			for what, auth := range said {
				byDefault := slices.ContainsFunc(s.Interfaces, func(f wayfind.Interface) bool { return f.Auth == auth && slices.Contains(f.Defaulted, "auth") })
				if auth != nil && !byDefault && (!auth.Unknown || slices.Contains(kindsOf(auth), wayfind.SchemeNone)) {
					t.Errorf("%s, %s: %+v", format, what, auth)
				}
			}
		}
	}
}
