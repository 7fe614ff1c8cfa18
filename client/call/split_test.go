package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// splits are characters that a reader does not see, or sees as another one, in the middle of a text.
func splits(text string) map[string]string {
	list := map[string]string{"each": strings.Join(strings.Split(text, ""), "\u200b"), "kelvin": strings.Replace(text, "K", "\u212a", 1)}
	for _, c := range []string{"\u200b", "\u00ad", "\u202e", "\U000e0041", "\x00", "\ufe0f", "\ufeff", "\u2060", "\u034f", "\x1b", "\x07", "\r", "\t", "\x7f", "\u0085", "\u3164", "\u0301\u0301\u0301\u0301\u0301\u0301", "\xff", "\u200d"} {
		list[fmt.Sprintf("%+q", c)] = text[:9] + c + text[9:]
	}
	return list
}

// A site that repeats a credential with invisible characters in it does not get it shown: cleaning
// would put the credential together again.
func TestASplitCredentialIsHidden(t *testing.T) {
	testkit.Large(t)
	const own = "vQ9zKx7LmP2wRvYb"
	doc := document(schemes, `"/api/x": {"post": {"operationId": "x", "summary": "Does it.", "security": [{"head": []}], "responses": {"200": {"description": "ok"}},
		"requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}}}`)
	for name, split := range splits(own) {
		quoted, _ := json.Marshal(split)
		for kind, body := range map[string]string{
			"application/json": `{"e":` + string(quoted) + `}`, "application/x.name+json": `{` + string(quoted) + `:1}`, "text/plain": split,
			"text/html": "<p>" + split + "</p><p>" + own[:4] + "<b>" + own[4:] + "</b></p>", "text/event-stream": "data: " + split + "\n\n",
			"text/plain; charset=latin1": own[:5] + "\xad" + own[5:], "application/problem+json": `{"title":` + string(quoted) + `,"detail":` + string(quoted) + `}`,
		} {
			bubble(t, func(t *testing.T) {
				s := newShop(t, doc, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", kind)
					if kind == "application/problem+json" {
						w.WriteHeader(http.StatusBadRequest)
					}
					_, _ = w.Write([]byte(body))
				})
				var heard []*call.Event
				var last *call.Record
				c := s.caller(&call.Options{
					Confirm: (&yes{verdict: call.AllowOnce}).confirm, Audit: func(r *call.Record) { last = r }, AuditArguments: true,
					Event: func(_ context.Context, e *call.Event) { heard = append(heard, e) },
					Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
						return call.Key(own, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
					},
				})
				res, err := c.Call(t.Context(), s.box, "x", []byte(`{"body":{"a":`+string(quoted)+`}}`))
				part := res.Part("", 0, 0)
				if shown := fmt.Sprint(mustJSON(t, res.Model), res.Model.Prompt(), mustJSON(t, part), part.Prompt(), err, mustJSON(t, heard), mustJSON(t, last)); strings.Contains(shown, own) {
					t.Errorf("%s as %s: %s", name, kind, shown)
				}
			})
		}
	}
}

// A credential that a site repeats in any spelling, with a character in it that no reader sees, is in
// nothing that a model, a program or a record gets, whatever the kind of the answer. However the site answers,
// one yes is one request.
func TestNoSpellingOfACredentialIsShown(t *testing.T) {
	const own = "vQ9zKx7LmP2wRvYbN7c"
	doc := document(schemes, `"/api/x": {"post": {"operationId": "x", "summary": "Does it.", "security": [{"head": []}], "responses": {"200": {"description": "ok"}},
		"requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}}}`)
	calls, made := 0, 0
	bubble(t, func(t *testing.T) {
		var kind, said string
		var effects atomic.Int64
		s := newShop(t, doc, func(w http.ResponseWriter, _ *http.Request) {
			effects.Add(1)
			quoted, _ := json.Marshal(said)
			media, body := kind, said
			switch kind {
			case "application/json":
				body = `{"e":` + string(quoted) + `}`
			case "application/x.name+json":
				body = `{` + string(quoted) + `:1}`
			case "text/html":
				body = "<p>" + said + "</p>"
			case "text/event-stream":
				body = "data: " + strings.NewReplacer("\n", "\ndata: ", "\r", "\rdata: ").Replace(said) + "\n\n"
			case "application/problem+json":
				body = `{"title":` + string(quoted) + `,"detail":` + string(quoted) + `}`
			case "image/png":
				body = "\x89PNG\r\n" + said
			case "a header":
				media, body = "text/plain", "x"
				w.Header().Set("X-Echo", strings.Map(func(r rune) rune {
					if r < ' ' || r == 0x7F {
						return ' '
					}
					return r
				}, said))
			}
			w.Header().Set("Content-Type", media)
			switch n := effects.Load() % 7; {
			case kind == "application/problem+json":
				w.WriteHeader(http.StatusBadRequest)
			case n < 5:
				w.WriteHeader([]int{200, 502, 500, 504, 408}[n])
			case n == 5:
				w.Header().Set("Content-Length", "1000000") // it breaks off
			}
			_, _ = w.Write([]byte(body))
		})
		var heard []*call.Event
		var last *call.Record
		c := s.caller(&call.Options{
			Confirm: (&yes{verdict: call.AllowOnce}).confirm, Audit: func(r *call.Record) { last = r },
			Event: func(_ context.Context, e *call.Event) { heard = append(heard, e) },
			Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Key(own, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			},
		})
		for name, spelling := range testkit.Spellings(own) {
			for split, text := range testkit.Splits(spelling) {
				for _, kind = range []string{"application/json", "application/x.name+json", "text/plain", "text/html", "text/event-stream", "application/problem+json", "image/png", "a header"} {
					if calls++; calls%19 != 0 && os.Getenv("WAYFIND_LONG") == "" {
						continue
					}
					made++
					said, heard = text, nil
					res, err := c.Call(t.Context(), s.box, "x", []byte(`{"body":{}}`))
					part := res.Part("", 0, 0)
					if shown := fmt.Sprint(mustJSON(t, res.Model), res.Model.Prompt(), mustJSON(t, res.Model.Problem), mustJSON(t, part), part.Prompt(), string(res.Program.Body), res.Program.Header,
						res.Model.Parts, err, mustJSON(t, heard), mustJSON(t, last)); strings.Contains(shown, own) || strings.Contains(shown, text) || strings.Contains(shown, spelling) {
						t.Errorf("%s with %s as %s: %.600s", name, split, kind, shown)
					}
					if n := effects.Load(); n > int64(made) {
						t.Fatalf("%s with %s as %s: %d effects of %d calls, %v", name, split, kind, n, made, err)
					}
				}
			}
		}
		t.Logf("%d effects", effects.Load())
	})
	t.Logf("%d calls, of %d", made, calls)
}

// A secret that a record recognizes by its form is recognized without its invisible characters.
func TestARecordHasNoSplitSecret(t *testing.T) {
	const token = "ghp_Jt7Qm2xZ9bLr4Vw8Ky1Np6Hs3Dc5Fg0TaUeB"
	bubble(t, func(t *testing.T) {
		s := newShop(t, document("", operation("post", "/api/x", "x", jsonBody)), nil)
		var last *call.Record
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Audit: func(r *call.Record) { last = r }, AuditArguments: true})
		for name, split := range splits(token) {
			quoted, _ := json.Marshal(split)
			_, _ = c.Call(t.Context(), s.box, "x", []byte(`{"body":{"reason":`+string(quoted)+`}}`))
			if strings.Contains(mustJSON(t, last), token) {
				t.Errorf("%s: %s", name, last.Arguments)
			}
		}
	})
}
