package livemcp_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// A generator writes absolute links. A server under development may link to its own documents
// like any other server, and to no other server.
func TestADevServerLeadsToItsOwnDocumentsByAbsoluteLinks(t *testing.T) {
	const openAPI = `{"openapi": "3.1.0", "info": {"title": "Desk", "version": "1"}, "servers": [{"url": "BASE"}],
		"paths": {"/rings/{id}": {"get": {"operationId": "ring", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}], "responses": {"200": {"description": "ok"}}}}}}`
	for name, row := range map[string]struct{ place, body string }{
		"catalogue": {"/.well-known/api-catalog", `{"linkset": [{"anchor": "BASE/", "service-desc": [{"href": "BASE/docs/openapi.json", "type": "application/json"}, {"href": "OTHER/docs/openapi.json", "type": "application/json"}]}]}`},
		"plugin": {"/.well-known/ai-plugin.json", `{"schema_version": "v1", "name_for_human": "Desk", "name_for_model": "desk", "description_for_human": "Rings.", "description_for_model": "Rings.",
			"auth": {"type": "none"}, "api": {"type": "openapi", "url": "BASE/docs/openapi.json"}, "logo_url": "BASE/l.png", "contact_email": "a@desk.example", "legal_info_url": "BASE/legal"}`},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
			defer other.Close()
			mux := http.NewServeMux()
			srv := httptest.NewServer(mux)
			defer srv.Close()
			for place, body := range map[string]string{row.place: row.body, "/docs/openapi.json": openAPI} {
				mux.HandleFunc(place, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(strings.NewReplacer("BASE", srv.URL, "OTHER", other.URL).Replace(body)))
				})
			}
			site, err := developing(t, srv.URL).Resolve(t.Context(), srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(site.Services, func(s wayfind.Service) bool { return len(s.Capabilities) > 0 })
			if i < 0 {
				t.Fatalf("no capability: %+v", site.Probes)
			}
			if c := site.Services[i].Capabilities[0]; c.Name != "ring" || c.Trust != wayfind.TrustSameOrigin {
				t.Errorf("%s has trust %s", c.Name, c.Trust)
			}
			for _, d := range site.Documents {
				if d.URL == srv.URL+"/docs/openapi.json" && d.Verdict != wayfind.VerdictFound {
					t.Errorf("%s is listed as %q", d.URL, d.Verdict)
				}
			}
			if asked > 0 {
				t.Errorf("another server was asked %d times", asked)
			}
		})
	}
}
