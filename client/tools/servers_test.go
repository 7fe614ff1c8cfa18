package tools_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// An operation or method is a tool at its first usable server. Without one, Skipped says which
// servers were tried and why none is called, at whichever level they are.
func TestSkippedNamesTheServersThatWereTried(t *testing.T) {
	const two = `[{"url": "http://api.shop.example"}, {"url": "http://localhost:3000"}]`
	reason := `"http://api.shop.example": it does not use TLS; "http://localhost:3000": its host is no public name`
	for servers, want := range map[string]string{
		`[{"url": "http://localhost:3000"}, {"url": "https://api.shop.example"}]`:       "https://api.shop.example",
		`[{"url": "http://shop.example/v1"}]`:                                           "https://shop.example/v1",
		`[{"url": "//api.shop.example/v1"}]`:                                            "https://api.shop.example/v1",
		`[{"url": "https://shop.example{p}", "variables": {"p": {"default": "/a/b"}}}]`: "https://shop.example/a/b",
		two:                               reason,
		`[{"url": "ftp://shop.example"}]`: `no server can be called: "ftp://shop.example": it`,
		`[{"url": "{p}://shop.example"}]`: `its variable "p" has no default`,
		`[{"url": "https://{t}.shop.example"}, {"url": "https://shop.example:8443"}]`: `"https://shop.example:8443": its port is not 443`,
	} {
		operation := func(id, more string) string {
			return fmt.Sprintf(`"get": {"operationId": %q, "responses": {"200": {"description": "ok"}}%s}`, id, more)
		}
		own := `, "servers": ` + servers
		synctest.Test(t, func(t *testing.T) {
			n := clienttest.New(t)
			n.Host("shop.example", clienttest.Pages{
				"/.well-known/ai-plugin.json": plugin,
				"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}` + own + `, "paths": {"/r": {` + operation("root", "") + `},
					"/p": {"servers": ` + servers + `, ` + operation("path", "") + `}, "/o": {` + operation("operation", own) + `}, "/w": {"servers": [{"url": "/"}], ` + operation("works", "") + `}}}`,
				"/llms.txt": "# Shop\n\n## API\n\n- [Methods](https://shop.example/openrpc.json)\n",
				"/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Shop", "version": "1"}` + own + `, "methods": [{"name": "method", "params": [], "result": {"name": "x", "schema": {}}},
					{"name": "own", "params": [], "result": {"name": "x", "schema": {}}` + own + `}]}`,
			})
			box := load(t, n.Client(), []string{"shop.example"}, nil)
			if _, err := box.Tool("works"); err != nil {
				t.Errorf("%s: %v", servers, err)
			}
			for _, name := range []string{"root", "path", "operation", "method", "own"} {
				tool, err := box.Tool(name)
				if strings.HasPrefix(want, "https:") {
					if err != nil || !strings.HasPrefix(tool.Capability.Invocation.URL+servedAt(tool), want) {
						t.Errorf("%s of %s: %+v, %v, want %s", servers, name, tool, err, want)
					}
					continue
				}
				s := skippedFor(box, name)
				if err == nil || s == nil || !strings.Contains(s.Reason, want) || s.Err == nil {
					t.Errorf("%s of %s: %v, skipped %+v, want %s", servers, name, err, s, want)
				}
				if want == reason && s != nil && (s.Code != tools.CodeRefused || !errors.Is(s.Err, wayfind.ErrRefused)) {
					t.Errorf("%s of %s: %s, %v", servers, name, s.Code, s.Err)
				}
			}
		})
	}
}

// servedAt returns the first address of a tool without a URL of its own, with a slash at its end.
func servedAt(t *tools.Tool) string {
	if t.Capability.Invocation.URL != "" {
		return ""
	}
	for _, f := range t.Service.Interfaces {
		if strings.HasPrefix(f.URL, "https://") && !strings.Contains(f.URL, "localhost") {
			return f.URL
		}
	}
	return ""
}

// skippedFor returns the entry for a capability.
func skippedFor(box *tools.Box, name string) *tools.Skipped {
	for _, s := range box.Skipped() {
		if strings.HasSuffix(s.Key, "/"+name) {
			return &s
		}
	}
	return nil
}
