package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// A description in a file has no host of its own: http stays http in it, and is not called, even if
// another of its servers is at the same host over https. With --dev, its first server is used, over http and
// on this machine, too.
func TestTheServersOfAFile(t *testing.T) {
	const local, plain, public = "http://localhost:18080", "http://api.shop.example/v1", "https://api.shop.example/v2"
	for _, c := range []struct {
		servers []string
		dev     bool
		want    string // the URL of the call, or the reason why there is none
	}{
		{[]string{plain, public}, false, public + "/items"},
		{[]string{plain}, false, `"` + plain + `": it does not use TLS`},
		{[]string{local}, false, `"` + local + `": its host is no public name`},
		{[]string{local, public}, false, public + "/items"},
		{[]string{"//api.shop.example/v2"}, false, public + "/items"},
		{[]string{local}, true, local + "/items"},
		{[]string{"https://localhost:18443"}, true, "https://localhost:18443/items"},
		{[]string{plain}, true, plain + "/items"},
		{[]string{public, local}, true, public + "/items"},
	} {
		name := filepath.Join(t.TempDir(), "api.json")
		body := fmt.Sprintf(`{"openapi": "3.0.1", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "%s"}],
			"paths": {"/items": {"get": {"operationId": "items", "responses": {"200": {"description": "ok"}}}}}}`, strings.Join(c.servers, `"}, {"url": "`))
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := []string{name}
		if c.dev {
			flags = append(flags, "--dev")
		}
		_, site, errs := ran(t, append([]string{"resolve", "--json"}, flags...)...)
		status, out, skipped := ran(t, append([]string{"tools"}, flags...)...)
		if called := !strings.HasPrefix(c.want, `"`); called {
			if status != ui.ExitFound || !strings.Contains(out, `"items"`) || !strings.Contains(site, `"url": "`+c.want+`"`) && !strings.Contains(site, `"url":"`+c.want+`"`) {
				t.Errorf("%q, dev %v: %d\n%s\n%s\n%s\n%s", c.servers, c.dev, status, out, site, errs, skipped)
			}
		} else if status != ui.ExitNothing || !strings.Contains(skipped, c.want) {
			t.Errorf("%q, dev %v: %d\n%s\n%s", c.servers, c.dev, status, out, skipped)
		}
	}
}
