package call_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/schema"
)

const filtered = `, "parameters": [{"name": "filter[id]", "in": "query", "schema": {"type": "string"}}]`

// The arguments that a model writes with the shown names delete the intended object, whatever
// the vendor. If the form of the definitions was not stated, nothing is sent.
func TestAFilterThatWasRenamedArrives(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, document("", operation("delete", "/api/orders", "drop", filtered)), nil)
		agreed := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		for _, v := range tools.Vendors() {
			for what, form := range map[string]tools.Form{
				"rendered": s.box.Render(v, nil).Form, "strict": s.box.Render(v, &tools.RenderOptions{Strict: true}).Form,
				"deferred": s.box.Deferred(v, false).Form, "stated": {Vendor: v},
			} {
				_, p, err := s.box.Define(v, "drop", form.Strict)
				if err != nil {
					t.Fatal(err)
				}
				name := "filter[id]"
				for shown := range p.Names {
					name = shown
				}
				before := len(s.calls())
				res, err := agreed.With(form).Call(t.Context(), s.box, "drop", []byte(`{"`+name+`":"7"}`))
				wantCode(t, res, err, made)
				if got := s.calls()[before:]; len(got) != 1 || got[0].target != "/api/orders?filter%5Bid%5D=7" {
					t.Errorf("%s, %s: %+v", v, what, got)
				}
			}
		}
		before := len(s.calls())
		res, err := agreed.Call(t.Context(), s.box, "drop", []byte(`{"filter_id":"7"}`))
		wantCode(t, res, err, call.InvalidArguments)
		if got := s.calls()[before:]; len(got) != 0 || !strings.Contains(res.Model.Text, `did you mean "filter[id]"?`) || res.Model.Note != "" {
			t.Errorf("%+v, %+v", got, res.Model)
		}
	})
}

// Definitions of an earlier Box are valid as long as the tool is the same.
func TestDefinitionsOfAnEarlierBox(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, document("", operation("get", "/api/orders", "list", filtered)), nil)
		form := s.box.Render(tools.Gemini, nil).Form
		same := edited(t, s.box, "shop.example", "shop.example")
		caller := s.caller(nil).With(form)
		res, err := caller.Call(t.Context(), same, "list", []byte(`{"filter_id":"7"}`))
		wantCode(t, res, err, made)
		changed := edited(t, s.box, "filter[id]", "filter{id}")
		before := len(s.calls())
		res, err = caller.Call(t.Context(), changed, "list", []byte(`{"filter_id":"7"}`))
		wantCode(t, res, err, call.InvalidArguments)
		if len(s.calls()) != before || !strings.Contains(res.Model.Text, "has changed since its definition was shown") {
			t.Errorf("%+v", res.Model)
		}
	})
}

// Callers that With returns share the agreements of people.
func TestFormsShareAgreements(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, document("", operation("post", "/api/x", "add", "")), nil)
		y := &yes{verdict: call.AllowSession}
		caller := s.caller(&call.Options{Confirm: y.confirm})
		for _, v := range tools.Vendors() {
			res, err := caller.With(tools.Form{Vendor: v}).Call(t.Context(), s.box, "add", nil)
			wantCode(t, res, err, made)
		}
		if y.count() != 1 {
			t.Errorf("asked %d times", y.count())
		}
	})
}

// In strict mode a model must write each property. If it writes null for a property that it
// does not need, the null is never sent to a service that would clear the value.
func TestAStrictNullClearsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		body := func(media string) string {
			return `, "requestBody": {"content": {"` + media + `": {"schema": {"type": "object", "properties": {"name": {"type": "string"}, "icon": {"type": ["string", "null"]}}}}}}`
		}
		s := newShop(t, document("", operation("post", "/api/a", "create", body("application/json")), operation("patch", "/api/b", "change", body("application/json")),
			operation("put", "/api/c", "replace", body("application/json")), operation("post", "/api/d", "merge", body("application/merge-patch+json"))), nil)
		defs := s.box.Render(tools.OpenAIResponses, &tools.RenderOptions{Strict: true})
		for name, strict := range map[string]bool{"create": true, "change": false, "replace": false, "merge": false} {
			p := defs.Projections[name]
			if p == nil || p.Strict != strict || (defs.NotStrict[name] == "") != strict {
				t.Fatalf("%s: %+v, %q", name, p, defs.NotStrict[name])
			}
		}
		if !slices.ContainsFunc(defs.Losses["create"], func(l schema.Loss) bool { return l.Code == "absent_becomes_null" }) {
			t.Errorf("%+v", defs.Losses["create"])
		}
		caller := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm}).With(defs.Form)
		for name, want := range map[string]string{"create": `{"name":"x"}`, "change": `{"name":"x","icon":null}`} {
			before := len(s.calls())
			res, err := caller.Call(t.Context(), s.box, name, []byte(`{"name":"x","icon":null}`))
			wantCode(t, res, err, made)
			if got := s.calls()[before:]; len(got) != 1 || got[0].body != want {
				t.Errorf("%s: %+v, want %s", name, got, want)
			}
		}
	})
}

// A value that matches several alternatives of the publisher's schema is sent. A value that
// matches no alternative is an error of the model, which gets the expectation of the nearest
// one.
func TestAlternativesOfArguments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		part := `{"oneOf": [{"type": "object", "required": ["type", "text"], "properties": {"type": {"const": "text"}, "text": {"type": "string"}}},
			{"type": "object", "required": ["type"], "properties": {"type": {"enum": ["text", "note"]}, "text": {"type": "string"}}},
			{"type": "object", "required": ["type", "url"], "properties": {"type": {"const": "image"}, "url": {"type": "string"}}}]}`
		s := newShop(t, document("", operation("post", "/api/x", "add", `, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["part"], "properties": {"part": `+part+`}}}}}`)), nil)
		caller := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		res, err := caller.Call(t.Context(), s.box, "add", []byte(`{"part":{"type":"text","text":"hi"}}`))
		wantCode(t, res, err, made)
		if !slices.Equal(res.Program.Overlaps, []string{"/part"}) || len(s.calls()) != 1 {
			t.Errorf("%q, %+v", res.Program.Overlaps, s.calls())
		}
		res, err = caller.Call(t.Context(), s.box, "add", []byte(`{"part":{"type":"image","text":"hi"}}`))
		wantCode(t, res, err, call.InvalidArguments)
		if !strings.Contains(res.Model.Text, "the nearest, by its type, says: want the property url") || len(s.calls()) != 1 {
			t.Errorf("%q", res.Model.Text)
		}
		res, err = caller.Call(t.Context(), s.box, "add", []byte(`{"part":{"type":"image","url":"u"}}`))
		wantCode(t, res, err, made)
		if res.Program.Overlaps != nil || s.calls()[1].method != http.MethodPost {
			t.Errorf("%q", res.Program.Overlaps)
		}
	})
}
