package lint

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/samples"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
	"github.com/wayfindhq/wayfind/parse"
)

// linted reads a document, and gives its findings and the text without those that are
// mended.
func linted(t *testing.T, name, body string, o client.ParseOptions) (findings []lintFinding, after string) {
	t.Helper()
	l := &linter{App: &ui.App{}, file: o, body: []byte(body)}
	result, err := document.Parse(t.Context(), name, l.body, o)
	if err != nil {
		t.Fatal(err)
	}
	report := l.report(name, result)
	if whole := l.mendWhole(t.Context(), report); whole != nil {
		return report.Diagnostics, string(whole)
	}
	return report.Diagnostics, body
}

// codes counts findings.
func codes(list []lintFinding) map[string]int {
	n := map[string]int{}
	for i := range list {
		n[list[i].Code]++
	}
	return n
}

const digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"

// TestMendings: each mending makes the change that it describes, removes the finding, and causes no
// new one.
func TestMendings(t *testing.T) {
	used := map[string]bool{}
	for _, row := range []struct{ code, name, url, body, old, want string }{
		{"json.bom", "agent-card.json", "", "\ufeff" + `{"protocolVersion": "0.3.0", "name": "x"}`, "\ufeff", ""},
		{"document.json_syntax", "agent-card.json", "", `{"protocolVersion": "0.3.0", "name": "a,]", "skills": [1, 2 ,` + "\n" + ` ],}`, "2 ,\n ],}", "2 \n ]}"},
		{"a2a.wrong_type", "agent-card.json", "", samples.AgentCard(`"protocolVersion": "0.3.0", "name": "x", "url": "https://x.example/", "documentationUrl": 7`), `7`, `"7"`},
		{"adp.misspelt", "agent", "", `{"agent_discovery": "1.0", "Name": "x", "base_url": "https://x.example", "capabilities": [{"name": "a", "description": "b", "detail_url": "/c"}]}`, `"Name"`, `"name"`},
		{"a2a.misspelt", "agent-card.json", "", samples.AgentCard(`"name": "x", "supportedInterfaces": [{"url": "https://x.example/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], "documentation_url" : "https://x.example/d"`), `"documentation_url"`, `"documentationUrl"`},
		{"a2a.misspelt", "agent-card.json", "", samples.AgentCard(`"name": "x", "supportedInterfaces": [{"url": "https://x.example/", "protocol_bindng": "JSONRPC", "protocolVersion": "1.0"}]`), `"protocol_bindng"`, `"protocolBinding"`},
		{"mcp.transport", "server-card.json", "", strings.Replace(mcpCard(`"inputSchema": {"type": "object"}`), `"streamable-http"`, `"http"`, 1), `"http"`, `"streamable-http"`},
		{"mcp.schema_word", "server-card.json", "", mcpCard(`"inputSchema": {"type": "object", "properties": {"a": {"type": "strng"}}}`), `"strng"`, `"string"`},
		{"a2a.interface_transport", "agent-card.json", "", samples.AgentCard(`"name": "x", "supportedInterfaces": [{"url": "https://x.example/", "transport": "JSONRPC", "protocolVersion": "1.0"}]`), `"transport"`, `"protocolBinding"`},
		{"a2a.binding", "agent-card.json", "", `{"name": "x", "supportedInterfaces": [{"url": "https://x.example/", "protocolBinding": "json-rpc", "protocolVersion": "1.0"}]}`, `"json-rpc"`, `"JSONRPC"`},
		{"mcp.schema_member", "server-card.json", "", mcpCard(`"input_schema": {"type": "object"}`), `"input_schema"`, `"inputSchema"`},
		{"mcp.schema_type", "server-card.json", "", mcpCard(`"inputSchema": {"properties": {}}`), `{"properties"`, `{"type": "object", "properties"`},
		{"agentskills.digest_member", "index.json", "", skillIndex(`"sha256": "` + digits + `"`), `"sha256": "` + digits, `"digest": "sha256:` + strings.ToLower(digits)},
		{"agentskills.digest_form", "index.json", "", skillIndex(`"digest": "SHA256:` + digits + `"`), "SHA256:" + digits, "sha256:" + strings.ToLower(digits)},
		{"agentskills.url_fragment", "index.json", "", strings.Replace(skillIndex(`"digest": "sha256:`+strings.ToLower(digits)+`"`), "SKILL.md", "SKILL.md#top", 1), "#top", ""},
		{"agentskills.url_scheme", "index.json", "https://shop.example/.well-known/agent-skills/index.json", strings.Replace(skillIndex(`"digest": "sha256:`+strings.ToLower(digits)+`"`), `"/a/`, `"http://shop.example:80/a/`, 1), "http://shop.example:80", "https://shop.example"},
		{"apicatalog.not_array", "api-catalog", "", `{"linkset": [{"anchor": "https://x.example/", "service-desc": {"href": "https://x.example/openapi.json"}}]}`, `{"href": "https://x.example/openapi.json"}`, `[{"href": "https://x.example/openapi.json"}]`},
		{"awp.dependency_text", "agent.json", "", awpDocument(`"dependencies": {"a": "b"}`), `{"a": "b"}`, `{"a": ["b"]}`},
		{"awp.domain_syntax", "agent.json", "", strings.Replace(awpDocument(`"x": 1`), `"domain": "x.example"`, `"domain": "https://X.example:443/a"`, 1), `"https://X.example:443/a"`, `"x.example"`},
		{"ucp.array", "ucp.json", "", ucpProfile(`{"version": "2026-01-11", "spec": "https://ucp.dev/s", "transport": "rest", "schema": "https://ucp.dev/r.json", "endpoint": "https://x.example/ucp"}`), "", ""},
		{"ucp.slash", "ucp.json", "", ucpProfile(`[{"version": "2026-01-11", "spec": "https://ucp.dev/s", "transport": "rest", "schema": "https://ucp.dev/r.json", "endpoint": "https://x.example/ucp/"}]`), `/ucp/"`, `/ucp"`},
		{"aidiscovery.method_case", "ai", "", `{"aiendpoint": "1.0", "service": {"name": "x", "description": "A service for everyone."}, "capabilities": [{"id": "a", "description": "b", "endpoint": "/c", "method": "get"}]}`, `"get"`, `"GET"`},
		{"adp.base_url_slash", "agent", "", adpDocument("https://x.example/"), `x.example/"`, `x.example"`},
		{"adp.base_url_query", "agent", "", adpDocument("https://x.example?a=b"), `?a=b`, ``},
		{"adp.base_url_scheme", "agent", "https://x.example/.well-known/agent", adpDocument("http://x.example"), `http:`, `https:`},
		{"openapi.server_query", "openapi.json", "", samples.OpenAPI(`"servers": [{"url": "https://x.example/v1?a=b"}]`), `?a=b`, ``},
		{"openapi.server_scheme", "openapi.json", "https://x.example/openapi.json", samples.OpenAPI(`"servers": [{"url": "http://x.example/v1"}]`), `http:`, `https:`},
		{"openapi.base_path", "swagger.json", "", `{"swagger": "2.0", "info": {"title": "x", "version": "1"}, "host": "x.example", "schemes": ["https"], "basePath": "v1", "paths": {}}`, `"v1"`, `"/v1"`},
		{"aiplugin.api_url_scheme", "ai-plugin.json", "", strings.Replace(aiPlugin, "URL", "x.example/openapi.json", 1), `"x.example/`, `"https://x.example/`},
		{"aiplugin.api_scheme", "ai-plugin.json", "https://x.example/.well-known/ai-plugin.json", strings.Replace(aiPlugin, "URL", "http://x.example/openapi.json", 1), `http://x.example/openapi`, `https://x.example/openapi`},
		{"adp.detail_url_scheme", "agent", "https://x.example/.well-known/agent", strings.Replace(adpDocument("https://x.example"), `"/c"`, `"http://x.example/c"`, 1), `http:`, `https:`},
		{"aidiscovery.endpoint_scheme", "ai", "https://x.example/.well-known/ai", `{"aiendpoint": "1.0", "service": {"name": "x", "description": "A service for everyone."}, "capabilities": [{"id": "a", "description": "b", "endpoint": "http://x.example/c", "method": "GET"}]}`, `http:`, `https:`},
	} {
		t.Run(row.code, func(t *testing.T) {
			o := client.ParseOptions{URL: row.url, Full: true}
			found, after := linted(t, row.name, row.body, o)
			had := codes(found)
			if had[row.code] == 0 {
				t.Fatalf("no such finding in %s: %v", row.body, had)
			}
			if want := strings.Replace(row.body, row.old, row.want, 1); after != want && row.old != "" {
				t.Errorf("mended to\n%s, want\n%s", after, want)
			}
			left, again := linted(t, row.name, after, o)
			has := codes(left)
			if has[row.code] != 0 && has[row.code] >= had[row.code] {
				t.Errorf("%s stays: %s", row.code, after)
			}
			for code, n := range has {
				if n > had[code] && row.code != "document.json_syntax" { // before it nothing was read
					t.Errorf("%d findings %s are new: %s", n-had[code], code, after)
				}
			}
			if row.code != "document.json_syntax" && again != after {
				t.Errorf("mended again to\n%s", again)
			}
		})
		_, rule, _ := strings.Cut(row.code, ".")
		used[rule] = true
	}
	for _, m := range Mendings() {
		for _, rule := range m.Rules {
			if !used[rule] {
				t.Errorf("%s has no example", rule)
			}
		}
	}
}

func mcpCard(tool string) string {
	return `{"name": "example.x/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "url": "https://x.example/mcp"}], "tools": [{"name": "a", "description": "b", ` + tool + `}]}`
}

func skillIndex(member string) string {
	return `{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [{"name": "a", "type": "skill-md", "description": "b", "url": "/a/SKILL.md", ` + member + `}]}`
}

func awpDocument(member string) string {
	return `{"awp_version": "0.2", "domain": "x.example", "intent": "Sells.", "actions": [{"id": "a", "description": "d", "endpoint": "/a", "method": "GET"}, {"id": "b", "description": "d", "endpoint": "/b", "method": "GET"}], ` + member + `}`
}

func ucpProfile(service string) string {
	return `{"ucp": {"version": "2026-01-11", "services": {"dev.ucp.shopping": ` + service + `}, "capabilities": [{"name": "dev.ucp.shopping.checkout", "version": "2026-01-11", "spec": "https://ucp.dev/s", "schema": "https://ucp.dev/c.json"}]}}`
}

func adpDocument(base string) string {
	return `{"agent_discovery": "1.0", "name": "x", "base_url": "` + base + `", "capabilities": [{"name": "a", "description": "b", "detail_url": "/c"}]}`
}

const aiPlugin = `{"schema_version": "v1", "name_for_human": "x", "name_for_model": "x", "description_for_human": "x", "description_for_model": "x", "auth": {"type": "none"},
	"api": {"type": "openapi", "url": "URL"}, "logo_url": "https://x.example/l.png", "contact_email": "a@x.example", "legal_info_url": "https://x.example/l"}`

// TestAMisspeltNameHidesNothing: a misspelt member is reported without the faults that it causes, and
// the names that it hid are mended with it.
func TestAMisspeltNameHidesNothing(t *testing.T) {
	members := `"name": "x", "supportedInterfaces": [{"url": "https://x.example/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], ` +
		`"securitySchemes": {"b": {"httpAuthSecurityScheme": {"scheme": "bearer"}}}`
	right := samples.AgentCard(members)
	for _, c := range []struct {
		typos []string
		want  map[string]int
	}{
		{[]string{"supportedInterfaces", "suportedInterfaces"}, map[string]int{"a2a.misspelt": 1}},
		{[]string{"httpAuthSecurityScheme", "httpAuthSecuritySceme"}, map[string]int{"a2a.misspelt": 1}},
		{[]string{"supportedInterfaces", "suportedInterfaces", "httpAuthSecurityScheme", "httpAuthSecuritySceme"}, map[string]int{"a2a.misspelt": 1}},
	} {
		body := strings.NewReplacer(c.typos...).Replace(right)
		found, after := linted(t, "agent-card.json", body, client.ParseOptions{Full: true})
		if d := cmp.Diff(c.want, codes(found)); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.typos, d)
		}
		if after != right {
			t.Errorf("%v: mended to %s", c.typos, after)
		}
	}
}

// TestNotMended: what takes a decision is left alone.
func TestNotMended(t *testing.T) {
	for name, row := range map[string]struct{ file, url, body string }{
		"a name that is taken":     {"agent-card.json", "", samples.AgentCard(`"name": "x", "supportedInterfaces": [{"url": "https://x.example/", "transport": "GRPC", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]`)},
		"several in one text":      {"agent.json", "", awpDocument(`"dependencies": {"a": "b, c"}`)},
		"http of another host":     {"agent", "https://y.example/.well-known/agent", adpDocument("http://x.example")},
		"http at another port":     {"agent", "https://x.example/.well-known/agent", adpDocument("http://x.example:8080")},
		"http of no known host":    {"agent", "", adpDocument("http://x.example")},
		"a schema of another type": {"server-card.json", "", mcpCard(`"inputSchema": {"type": "string", "properties": {}}`)},
		"more than commas":         {"agent-card.json", "", `{"a": [1,], b: 2}`},
		"two commas":               {"agent-card.json", "", `{"a": [1,,]}`},
		"nothing but a comma":      {"agent-card.json", "", `{"a": [,]}`},
	} {
		if _, after := linted(t, row.file, row.body, client.ParseOptions{URL: row.url}); after != row.body {
			t.Errorf("%s: mended to %s", name, after)
		}
	}
}

// TestMendingLaw: for every document of the corpus, the mended text is still JSON if it was before,
// has the same format, has fewer findings of the mended codes and no new error, and no further
// mending applies.
func TestMendingLaw(t *testing.T) {
	testkit.Large(t)
	gone := map[string]int{}
	root := golden.Corpus(t)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == root {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, after := linted(t, path, string(body), client.ParseOptions{})
		if after == string(body) {
			return nil
		}
		if _, err := (&parse.Input{Body: []byte(after)}).JSON(); err != nil && textpos.New(body).At("").Exists() {
			t.Errorf("%s is no JSON any more: %v", path, err)
		}
		left, again := linted(t, path, after, client.ParseOptions{})
		had, has := codes(found), codes(left)
		for _, code := range slices.Sorted(maps.Keys(had)) {
			gone[code] += max(0, had[code]-has[code])
		}
		for _, f := range left {
			if f.Severity == wayfind.SeverityError && has[f.Code] > had[f.Code] {
				t.Errorf("%s: %s at %s is new: %s", path, f.Code, f.Pointer, f.Message)
			}
		}
		if again != after {
			t.Errorf("%s is mended again", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range slices.Sorted(maps.Keys(gone)) {
		if gone[code] > 0 {
			t.Logf("%s: %d", code, gone[code])
		}
	}
	if len(gone) == 0 {
		t.Error("nothing was mended")
	}
}
