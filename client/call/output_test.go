package call_test

import (
	"net/http"
	"testing"
)

// An answer is validated with the schema of its media type, and JSON is preferred in the
// request. A media type without a schema accepts any answer.
func TestAnAnswerIsJudgedByTheSchemaOfItsMediaType(t *testing.T) {
	const responses = `"responses": {"200": {"description": "ok", "content": {
		"text/event-stream": {"schema": {"type": "array", "items": {"type": "object", "properties": {"data": {"type": "integer"}}}}},
		"application/vnd.page+json": {"schema": {"type": "object", "required": ["page"]}},
		"application/json": {"schema": {"type": "object", "required": ["total"]}},
		"application/*": {"schema": {"type": "object", "required": ["other"]}},
		"application/hal+json": {}}}}`
	rows := []struct {
		media, body string
		fits        bool
	}{
		{"application/json", `{"total": 1}`, true}, {"application/json; charset=utf-8", `{"page": 1}`, false},
		{"application/vnd.page+json", `{"page": 1}`, true}, {"application/vnd.page+json", `{"total": 1}`, false},
		{"application/hal+json", `{"x": 1}`, true},
		{"application/vnd.new+json", `{"other": 1}`, true}, {"application/vnd.new+json", `{"total": 1}`, false},
	}
	for _, tt := range rows {
		bubble(t, func(t *testing.T) {
			var accept string
			s := newShop(t, document("", `"/api/list": {"get": {"operationId": "list", `+responses+`}}`), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				accept = r.Header.Get("Accept")
				answers(tt.media, tt.body)(w, r)
			}))
			res, err := s.caller(nil).Call(t.Context(), s.box, "list", nil)
			if wantCode(t, res, err, made); (len(res.Program.Diagnostics) == 0) != tt.fits {
				t.Errorf("%s %s: %+v", tt.media, tt.body, res.Program.Diagnostics)
			}
			if want := "application/json, application/vnd.page+json;q=0.8, application/hal+json;q=0.8, text/event-stream;q=0.8, */*;q=0.5"; accept != want {
				t.Errorf("Accept %q, want %q", accept, want)
			}
		})
	}
}
