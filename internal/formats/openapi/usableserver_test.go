package openapi_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// A call goes to the first server that can be used: one with https and a public name. If there is
// none, it is the first server, and a document under development decides itself.
func TestTheFirstUsableServerIsCalled(t *testing.T) {
	const public = "https://api.shop.example"
	for _, c := range []struct{ at, servers, want string }{
		{"https://shop.example/openapi.json", "http://api.shop.example https://api.shop.example", public},
		{"https://shop.example/openapi.json", "http://localhost:3000 https://api.shop.example https://eu.shop.example", public},
		{"https://shop.example/openapi.json", "https://10.0.0.1/v1 https://staging.internal https://api.shop.example:8443 https://api.shop.example", public},
		{"https://shop.example/openapi.json", "https://api.shop.example http://localhost:3000", public},
		{"https://shop.example/openapi.json", "http://api.shop.example http://localhost:3000", "http://api.shop.example"},
		{"https://shop.example/openapi.json", "http://api.shop.example /v1", "https://shop.example/v1"},
		{"http://localhost:3000/openapi.json", "http://localhost:3000 https://api.shop.example", "http://localhost:3000"},
		{"http://localhost:3000/openapi.json", "/v1 https://api.shop.example", "http://localhost:3000/v1"},
		{"https://api.internal/openapi.json", "https://api.internal https://api.shop.example", "https://api.internal"},
		{"", "http://localhost:3000 https://api.shop.example", public},
	} {
		servers := `"servers": [{"url": "` + strings.ReplaceAll(c.servers, " ", `"}, {"url": "`) + `"}]`
		for level, doc := range map[string]string{
			"root":      `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, ` + servers + `, "paths": {"/a": {"get": {"operationId": "a"}}}}`,
			"path":      `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {` + servers + `, "get": {"operationId": "a"}}}}`,
			"operation": `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a", ` + servers + `}}}}`,
		} {
			in := &parse.Input{Body: []byte(doc)}
			if c.at != "" {
				in = formattest.Input(t, c.at, "application/json", []byte(doc))
			}
			reading := formattest.Read(t, openapi.Format(), in)
			if call := reading.Services[0].Capabilities[0].Invocation; call == nil || call.URL != c.want+"/a" {
				t.Errorf("%s: %s of %s: %+v, want %s/a", c.at, c.servers, level, call, c.want)
			}
			if n := len(strings.Fields(c.servers)); level == "root" && c.at != "" && len(reading.Services[0].Interfaces) != n {
				t.Errorf("%d interfaces of %d servers", len(reading.Services[0].Interfaces), n)
			}
		}
	}
}
