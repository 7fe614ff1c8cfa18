package call_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// An answer with a status of success that is not the answer of the tool is marked, for the
// model and for the program.
func TestAnAnswerThatIsNotTheToolsIsMarked(t *testing.T) {
	const page, login = `<!doctype html><html><body><p>Welcome</p></body></html>`, `<html><body><form><input name=u><INPUT TYPE="Password"></form></body></html>`
	content := func(types ...string) string {
		return `, "responses": {"200": {"description": "ok", "content": {"` + strings.Join(types, `": {}, "`) + `": {}}}}`
	}
	for _, tt := range []struct {
		name, declared, media, body string
		status                      int
		code, note                  string
	}{
		{"what was declared", content("application/json"), "application/json", `{"a":1}`, 200, "", ""},
		{"another kind of JSON", content("application/json"), "application/hal+json; charset=utf-8", `{"a":1}`, 200, "", ""},
		{"any type", content("*/*"), "text/html", page, 200, "", ""},
		{"any text", content("text/*"), "text/html", page, 200, "", ""},
		{"a page that was declared", content("text/html"), "text/html", page, 200, "", ""},
		{"nothing is declared", "", "text/plain", "hello", 200, "", ""},
		{"no content", content("application/json"), "", "", 204, "", ""},
		{"a page in place of JSON", content("application/json"), "text/html", page, 200, "answer.undeclared", "does not declare"},
		{"text in place of JSON", content("application/json"), "text/plain", "hello", 200, "answer.undeclared", "does not declare"},
		{"a page, and nothing is declared", "", "text/html", page, 200, "answer.undeclared", "does not declare"},
		{"a page under the name of JSON", content("application/json"), "application/json", page, 200, "answer.malformed", "not what its media type says"},
		{"a login page", content("application/json"), "text/html", login, 200, "answer.login_page", "asks for a password"},
		{"a login page that was declared", content("text/html"), "text/html", login, 200, "answer.login_page", "asks for a password"},
		{"a login page under the name of JSON", content("application/json"), "application/json", " \n" + login, 200, "answer.login_page", "asks for a password"},
		{"a part", content("application/json"), "application/json", `{"a":1}`, 206, "answer.partial", "a part of a longer one"},
	} {
		bubble(t, func(t *testing.T) {
			doc := document("", `"/api/read": {"get": {"operationId": "read", "summary": "Reads."`+tt.declared+`}}`)
			if tt.declared == "" {
				doc = document("", operation("get", "/api/read", "read", ""))
			}
			s := newShop(t, doc, func(w http.ResponseWriter, _ *http.Request) {
				if tt.media != "" {
					w.Header().Set("Content-Type", tt.media)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			res, err := s.caller(nil).Call(t.Context(), s.box, "read", nil)
			wantCode(t, res, err, call.Code{})
			var found strings.Builder
			for _, d := range res.Program.Diagnostics {
				found.WriteString(d.Code + " ")
			}
			if (found.String() == "") != (tt.code == "") || !strings.Contains(found.String(), tt.code) || (res.Model.Note == "") != (tt.note == "") || !strings.Contains(res.Model.Prompt(), tt.note) {
				t.Errorf("%s: %q, %q", tt.name, found.String(), res.Model.Note)
			}
		})
	}
}
