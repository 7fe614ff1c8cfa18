package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server under development is linted over http: one document, and all that it has.
func TestLintReadsAServerUnderDevelopment(t *testing.T) {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for place, body := range map[string]string{
		"/.well-known/api-catalog": `{"linkset": [{"anchor": "BASE/", "service-desc": [{"href": "BASE/docs/openapi.json", "type": "application/json"}]}]}`,
		"/docs/openapi.json":       openAPI(`"servers": [{"url": "BASE"}], "components": {"schemas": {"Pet": {"type": "object"}}}`),
		"/bad/openapi.json":        strings.Replace(openAPI(`"servers": [{"url": "BASE"}]`), `{"description": "ok"}`, `{"$ref": "#/components/responses/None"}`, 1),
	} {
		mux.HandleFunc(place, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.ReplaceAll(body, "BASE", srv.URL)))
		})
	}
	status, out, errs := ran(t, "lint", "--dev", srv.URL+"/bad/openapi.json")
	if status != exitNothing || !strings.Contains(out, "openapi.ref_dangling at /paths/~1a/get/responses/200/$ref") {
		t.Errorf("%d\n%s%s", status, out, errs)
	}
	_, out, errs = ran(t, "lint", "--dev", srv.URL)
	for _, place := range []string{"/.well-known/api-catalog: apicatalog, found", "/docs/openapi.json: openapi 3.1.0, found"} {
		if !strings.Contains(out, srv.URL+place) {
			t.Errorf("%s is missing\n%s%s", place, out, errs)
		}
	}
	if status, _, errs = ran(t, "lint", srv.URL+"/bad/openapi.json"); status != exitUsage || !strings.Contains(errs, "add --dev") {
		t.Errorf("without --dev: %d, %s", status, errs)
	}
}
