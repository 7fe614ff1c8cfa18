package oauth_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/allocs"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/oauth"
)

// repeat is a JSON array of n texts that a layout makes of numbers.
func repeat(n int, layout string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(layout, "N", fmt.Sprint(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// hostile returns documents of about n bytes that try to cost more than that.
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

// Memory, and what comes out, grow no faster than the document.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("growth is measured without -short")
	}
	work := func(body string) (allocated, size float64) {
		in := at(t, "", body)
		var r *parse.Reading
		var err error
		allocated = allocs.Bytes(func() {
			oauth.Format().Match(in)
			r, err = oauth.Format().Parse(in)
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return allocated, float64(len(text))
	}
	const small, large = 8 << 10, 64 << 10
	bodies := hostile(small)
	for name, big := range hostile(large) {
		low, less := work(bodies[name])
		high, more := work(big)
		factor := math.Log(float64(len(big)) / float64(len(bodies[name])))
		if growth := math.Log(high/low) / factor; growth > 1.2 || high > 300*float64(len(big)) {
			t.Errorf("%s: %.0f bytes allocated for %d, %.0f for %d: exponent %.2f", name, low, len(bodies[name]), high, len(big), growth)
		}
		if growth := math.Log(more/less) / factor; growth > 1.2 {
			t.Errorf("%s: %.0f bytes come out of %d, %.0f of %d: exponent %.2f", name, less, len(bodies[name]), more, len(big), growth)
		}
	}
}

// Every list of a document ends somewhere.
func TestListsAreBounded(t *testing.T) {
	bodies := hostile(64 << 10)
	lengths := func(name string) []int {
		r, err := oauth.Format().Parse(at(t, "", bodies[name]))
		if err != nil {
			t.Fatal(err)
		}
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
