package call_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// A key that the body has is filled by us, also if the whole body is one argument.
func TestAKeyInsideOfABodyIsOurs(t *testing.T) {
	for name, more := range map[string]string{"members": "", "one argument": `, "additionalProperties": true`} {
		bubble(t, func(t *testing.T) {
			tries := 0
			s := newShop(t, document("", operation("post", "/api/keyed", "keyed", `, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object",
				"properties": {"reason": {"type": "string"}, "Idempotency-Key": {"type": "string"}}, "required": ["reason", "Idempotency-Key"]`+more+`}}}}`)), func(w http.ResponseWriter, r *http.Request) {
				if tries++; tries == 1 {
					panic(http.ErrAbortHandler)
				}
				okay(w, r)
			})
			tool, err := s.box.Tool("keyed")
			if err != nil {
				t.Fatal(err)
			}
			if schema, err := tool.Schema.JSON(); err != nil || strings.Contains(string(schema), "Idempotency") {
				t.Errorf("%s: the model is told of it: %s, %v", name, schema, err)
			}
			args, mine := `{"reason":"x"}`, `{"reason":"x","Idempotency-Key":"mine"}`
			if more != "" {
				args, mine = `{"body":`+args+`}`, `{"body":`+mine+`}`
			}
			c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
			res, err := c.Call(t.Context(), s.box, "keyed", []byte(args))
			wantCode(t, res, err, made)
			got := s.calls()
			if key := res.Program.Key; len(got) != 2 || got[0].body != got[1].body || key == "" || strings.ReplaceAll(got[0].body, key, "KEY") != `{"Idempotency-Key":"KEY","reason":"x"}` {
				t.Errorf("%s: key %q, %+v", name, res.Program.Key, got)
			}
			res, err = c.Call(t.Context(), s.box, "keyed", []byte(mine))
			if wantCode(t, res, err, call.InvalidArguments); len(s.calls()) != 2 {
				t.Errorf("%s: a key of the model was sent", name)
			}
		})
	}
}
