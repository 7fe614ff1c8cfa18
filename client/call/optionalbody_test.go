package call_test

import (
	"fmt"
	"testing"
)

// A call without arguments for a body that the document does not require has neither a body
// nor a content type.
func TestACallWithoutArgumentsForAnOptionalBodyHasNone(t *testing.T) {
	const members = `{"schema": {"type": "object", "properties": {"note": {"type": "string"}}}}`
	bubble(t, func(t *testing.T) {
		for _, kind := range []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"} {
			for _, required := range []bool{true, false} {
				s := newShop(t, document("", operation("put", "/api/pay", "pay", fmt.Sprintf(`, "requestBody": {"required": %t, "content": {%q: %s}}`, required, kind, members))), nil)
				none, err := s.caller(nil).DryRun(t.Context(), s.box, "pay", []byte(`{}`))
				if err != nil {
					t.Fatal(err)
				}
				if r := none.Request; (r.Body != nil) != required || (r.Header.Get("Content-Type") != "") != required {
					t.Errorf("%s, required %t: %q, %v", kind, required, r.Body, r.Header)
				}
				if some, err := s.caller(nil).DryRun(t.Context(), s.box, "pay", []byte(`{"note":"x"}`)); err != nil || len(some.Request.Body) == 0 {
					t.Errorf("%s, required %t: %+v, %v", kind, required, some, err)
				}
			}
		}
	})
}
