package call_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/tools"
)

// A member that a body requires and does not describe can be given, whatever definition the
// model was shown. If a closed body does not allow a required member, the operation is not a
// tool.
func TestAMemberThatIsRequiredAndNotDescribedCanBeGiven(t *testing.T) {
	const body = `, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"event": {"type": "string"},
		"inner": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]}}, "required": ["event", "team_id"]$more}}}}`
	bubble(t, func(t *testing.T) {
		s := newShop(t, document("", operation("put", "/api/hooks", "putHook", strings.Replace(body, "$more", "", 1)),
			operation("put", "/api/closed", "putClosed", strings.Replace(body, "$more", `, "additionalProperties": false`, 1))), nil)
		if skipped := s.box.Skipped(); len(skipped) != 1 || skipped[0].Code != "never" || s.box.Len() != 1 {
			t.Fatalf("%d tools, %+v", s.box.Len(), skipped)
		}
		const want = `{"event":"x","team_id":"7","inner":{"a":"y","b":2}}`
		for _, v := range tools.Vendors() {
			for _, strict := range []bool{false, true} {
				raw, p, err := s.box.Define(v, "putHook", strict)
				if err != nil || strings.Count(string(raw), `"team_id"`) != 1 || strings.Count(string(raw), `"b"`) != 2 || p.Strict {
					t.Errorf("%v: %s, %v", v, raw, err)
				}
				preview, err := s.caller(nil).With(tools.Form{Vendor: v, Strict: strict}).DryRun(t.Context(), s.box, "putHook", []byte(want))
				if err != nil || string(preview.Request.Body) != want {
					t.Errorf("%v: %+v, %v", v, preview, err)
				}
			}
		}
	})
}
