package openrpc_test

import (
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// TestADescriptionWithoutMethodsIsFound checks that a document with an empty list of methods
// (OpenRPC 1.3.2, OpenRPC Object) is found, with its title and version.
func TestADescriptionWithoutMethodsIsFound(t *testing.T) {
	r, err := client.Parse(t.Context(), []byte(`{"openrpc": "1.3.2", "info": {"title": "Orders", "version": "2.1"}, "methods": []}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != wayfind.VerdictFound || len(r.Site.Services) != 1 || r.Site.Services[0].Name != "Orders" || r.Site.Services[0].Version != "2.1" {
		t.Errorf("%s (%s), services %+v", r.Verdict, r.Reason, r.Site.Services)
	}
	for _, d := range r.Diagnostics {
		if d.Severity == wayfind.SeverityError {
			t.Errorf("%s: %s", d.Code, d.Message)
		}
	}
}
