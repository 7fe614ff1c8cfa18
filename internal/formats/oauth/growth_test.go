package oauth_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
)

// repeat returns a JSON array of n texts of a layout with numbers.
func repeat(n int, layout string) string { return "[" + formattest.Repeat(n, layout) + "]" }

// hostile returns documents of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	const resource = `{"resource": "https://a.example", "authorization_servers": `
	const server = `{"issuer": "https://a.example", "token_endpoint": "https://a.example/t", "response_types_supported": `
	text := strings.Repeat("x", n)
	return map[string]string{
		"servers":        resource + repeat(n/25, `"https://sN.example"`) + "}",
		"same server":    resource + repeat(n/25, `"https://s.example"`) + "}",
		"wrong servers":  resource + repeat(n/3, `7`) + "}",
		"scopes":         resource + repeat(10, `"https://sN.example"`) + `, "scopes_supported": ` + repeat(n/8, `"sN"`) + "}",
		"long servers":   resource + repeat(10, `"https://sN.example/`+text[:n/11]+`"`) + "}",
		"methods":        resource + `[], "bearer_methods_supported": ` + repeat(n/8, `"sN"`) + "}",
		"members":        resource + `[],` + strings.Trim(repeat(n/14, `"mN": 7`), "[]") + "}",
		"empty lists":    resource + `[],` + strings.TrimPrefix(strings.TrimSuffix(repeat(n/14, `"mN": []`), "]"), "[") + "}",
		"signed":         resource + `[], "signed_metadata": "` + text + `.a.b"}`,
		"grants, scopes": server + `["code"], "grant_types_supported": ` + repeat(n/16, `"gN"`) + `, "scopes_supported": ` + repeat(n/16, `"sN"`) + "}",
		"long grants":    server + `["code"], "grant_types_supported": ` + repeat(20, `"`+text[:n/21]+`"`) + "}",
		"responses":      server + repeat(n/16, `"code token"`) + "}",
		"long issuer":    strings.Replace(server, "a.example", "a.example/"+text, 1) + "[]}",
		"long endpoint":  strings.Replace(server, "/t", "/"+text, 1) + "[]}",
	}
}

// Memory and the size of the result grow in proportion to the document.
func TestGrowth(t *testing.T) { formattest.GrowthInFull(t, oauth.Format(), hostile, "", 8<<10, 64<<10) }

// Each list of a document is limited.
func TestListsAreBounded(t *testing.T) {
	bodies := hostile(64 << 10)
	lengths := func(name string) []int {
		r := formattest.Read(t, oauth.Format(), at(t, "", bodies[name]))
		auth := r.Services[0].Auth
		got := []int{len(r.Links), len(auth.Schemes), len(auth.Schemes["oauth2"].Flows)}
		for _, f := range auth.Schemes["oauth2"].Flows {
			got = append(got, len(f.Scopes))
		}
		return got[:min(len(got), 4)]
	}
	for name, want := range map[string][]int{"servers": {10, 10, 0}, "scopes": {10, 10, 1, 1000}, "grants, scopes": {0, 1, 20, 1000}} {
		if diff := cmp.Diff(want, lengths(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
