package openapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The value of a server variable has no dot segments and no empty ones. The called URL therefore
// stays below the URL of the server.
func TestAServerVariableStaysInItsSegment(t *testing.T) {
	for _, value := range []string{"..", "../admin", "v1/../../admin", "a//b", "a/%2e%2e/b"} {
		in := one(t, object{"operationId": "o", "responses": object{}}, object{"servers": []any{
			object{"url": "https://shop.example/api/{v}", "variables": object{"v": object{"default": value}}}}})
		r := read(t, in)
		_, c := detailOf(t, in)
		var urls []string
		if c.Invocation != nil {
			urls = append(urls, c.Invocation.URL, c.Invocation.Template)
		}
		for _, f := range r.Services[0].Interfaces {
			urls = append(urls, f.URL)
		}
		for _, u := range urls {
			if u != "" && (!strings.HasPrefix(u, "https://shop.example/api/") || strings.Contains(u, "/"+value)) {
				t.Errorf("%q is expanded to %s", value, u)
			}
		}
	}
}

// The servers of an operation or a path replace the outer ones, even if all of them are
// unusable. There is then no place to call the operation, and a diagnostic reports that.
func TestUnusableServersDoNotFallBackToTheOuterOnes(t *testing.T) {
	for _, bad := range []string{
		`[{"url": "///evil.example"}]`, `[{"url": "https://shop.example@evil.example"}]`, `[{"url": "\\\\evil.example"}]`, `[{"url": "https://shop.example%2eevil.example"}]`,
		`[{"url": "ftp://shop.example"}]`, `[{"url": "https://shop.example:{port}"}]`, `[{}]`, `["https://evil.example"]`, `{"url": "https://evil.example"}`, `"https://evil.example"`,
	} {
		for _, level := range []string{"operation", "path"} {
			operation, item := object{"responses": object{"200": object{}}}, object{}
			item["get"] = operation
			at := map[string]object{"operation": operation, "path": item}[level]
			lists := map[string]string{bad: "", `[]`: "https://shop.example/a", `null`: "https://shop.example/a", `[{"url": "https://own.example"}]`: "https://own.example/a"}
			if more, isList := strings.CutPrefix(bad, "["); isList {
				lists[`[{"url": "https://own.example"}, `+more] = "https://own.example/a"
			}
			for servers, want := range lists {
				at["servers"] = json.RawMessage(servers)
				r := read(t, made(t, object{"servers": list{object{"url": "https://shop.example"}}, "paths": object{"/a": item}}))
				got := ""
				if v := r.Services[0].Capabilities[0].Invocation; v != nil {
					got = v.URL
				}
				if text := fmt.Sprint(r.Diagnostics); got != want || (strings.Contains(text, "no server can be called") || strings.Contains(text, "none of the servers of its own can be read")) != (want == "") {
					t.Errorf("%s, %s: called at %q, told: %s", level, servers, got, text)
				}
			}
		}
	}
}
