package call_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// Each call has one record, whatever its outcome. The record contains the arguments only if
// the option is set, and digests can be compared only within one Caller.
func TestAudit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		audited := func(arguments bool) (*call.Caller, *[]*call.Record) {
			var list []*call.Record
			return s.caller(&call.Options{
				Confirm: (&yes{verdict: call.AllowOnce}).confirm, Audit: func(r *call.Record) { list = append(list, r) }, AuditArguments: arguments,
			}), &list
		}
		c, records := audited(false)
		const token = "ghp_Jt7Qm2xZ9bLr4Vw8Ky1Np6Hs3Dc5Fg0TaUeB"
		calls := []struct{ tool, args string }{
			{"listOrders", `{"q":"private"}`}, {"newOrder", `{"reason":"private"}`}, {"newOrder", `{"reason":"private"}`}, {"dropOrder", `{"id":".."}`}, {"nothing", `{}`},
		}
		for _, k := range calls {
			_, _ = c.Call(t.Context(), s.box, k.tool, []byte(k.args))
		}
		if len(*records) != len(calls) {
			t.Fatalf("%d records of %d calls", len(*records), len(calls))
		}
		if strings.Contains(mustJSON(t, *records), "private") {
			t.Errorf("arguments: %s", mustJSON(t, *records))
		}
		list := *records
		first, second, third, bad, none := list[0], list[1], list[2], list[3], list[4]
		if first.Method != "GET" || first.Origin != "https://shop.example" || first.Status != 200 || first.Attempts != 1 || first.Bytes == 0 || first.Decision != call.Run || first.By != "" ||
			first.Domain != "shop.example" || first.Key == "" || first.Definition == "" || first.Time.IsZero() || first.Duration < 0 || first.Duration > time.Minute {
			t.Errorf("%+v", first)
		}
		if second.By != "person" || second.Decision != call.AskSession || second.Call != third.Call || second.Call == first.Call || second.Definition != third.Definition {
			t.Errorf("%+v\n%+v", second, third)
		}
		if bad.Code != call.InvalidArguments || bad.Attempts != 0 || none.Code != call.NotFoundTool || none.Tool != "nothing" {
			t.Errorf("%+v\n%+v", bad, none)
		}
		for i, r := range list {
			want := ""
			if i > 0 {
				sum := sha256.Sum256([]byte(mustJSON(t, list[i-1])))
				want = hex.EncodeToString(sum[:])
			}
			if r.Previous != want {
				t.Errorf("record %d is not tied to the one before", i)
			}
		}
		other, more := audited(true)
		_, _ = other.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"private `+token+`"}`))
		_, _ = other.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"private"}`))
		if args := string((*more)[0].Arguments); !strings.Contains(args, "private") || strings.Contains(args, token) {
			t.Errorf("%s", args)
		}
		if (*more)[1].Call == second.Call {
			t.Error("two processes have one digest")
		}
	})
}

// A record contains no secret of the arguments, whether it is recognized by its form or by its
// name, and no credential of the call, whether or not it was sent.
func TestARecordHasNoSecret(t *testing.T) {
	const own = "vQ9zKx7LmP2wRvYb"
	bubble(t, func(t *testing.T) {
		doc := document(schemes, `"/api/x": {"post": {"operationId": "x", "summary": "Does it.", "security": [{"head": []}], "responses": {"200": {"description": "ok"}},
			"requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}}}`)
		s := newShop(t, doc, nil)
		for _, verdict := range []call.Verdict{call.AllowOnce, call.Deny} {
			var last *call.Record
			c := s.caller(&call.Options{
				Confirm: (&yes{verdict: verdict}).confirm, Audit: func(r *call.Record) { last = r }, AuditArguments: true,
				Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					return call.Key(own, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
				},
			})
			for args, secret := range map[string]string{
				`{"password":"kT7pQz9LmW2x"}`: "kT7p", `{"user":{"passwd":"hunter2"}}`: "hunter2", `{"client_secret":"Zq8x short"}`: "Zq8x", `{"card":{"apiKey":"xyz"}}`: "xyz",
				`{"pin":123456}`: "123456", `{"one_time":{"otp":["111222"]}}`: "111222", `{"credentials":{"a":{"b":"plain words"}}}`: "plain", `{"authorization":"Basic YTpi"}`: "YTpi",
				`{"note":"` + own + `"}`: own, `{"` + own + `":1}`: own, `{"note":"` + url.QueryEscape(own) + `"}`: own, `{"note":"\u0076Q9zKx7LmP2wRvYb"}`: "Q9zKx", `{"note":"Passwort: hund 77"}`: "hund", `{"n":"{\"a\":\"{\\\"mot_de_passe\\\":\\\"hund\\\"}\"}"}`: "hund", `{"list":[{"name":"密码","value":"hund"}]}`: "hund", `{"note":"curl -u me:hund x"}`: "hund",
				`{"note":"<пароль>hund</пароль>"}`: "hund", `{"signature":"hund"}`: "hund", `{"note":"ghp_Jt7Qm2xZ9bLr4Vw8Ky1Np6Hs3Dc5Fg0TaUeB"}`: "ghp_",
			} {
				last = nil
				_, _ = c.Call(t.Context(), s.box, "x", []byte(`{"body":`+args+`}`))
				if last == nil || last.Arguments == nil || !json.Valid(last.Arguments) || strings.Contains(mustJSON(t, last), secret) {
					t.Errorf("%s: %s", args, mustJSON(t, last))
				}
			}
			for _, args := range []string{`{"next_page_token":"abc","token_type":"x","amount":12,"n":null,"yes":true,"list":["a"],"pinned":"b"}`} {
				_, _ = c.Call(t.Context(), s.box, "x", []byte(`{"body":`+args+`}`))
				if string(last.Arguments) != `{"body":`+args+`}` {
					t.Errorf("%s", last.Arguments)
				}
			}
			_, _ = c.Call(t.Context(), s.box, "ghp_Jt7Qm2xZ9bLr4Vw8Ky1Np6Hs3Dc5Fg0TaUeB", nil)
			if strings.Contains(last.Tool, "ghp_") {
				t.Errorf("%q", last.Tool)
			}
		}
	})
}

// A record has the address of the operation as the site describes it, and no value of an argument in it.
func TestARecordHasTheAddressOfTheOperation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		parameters := `"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "q", "in": "query", "schema": {"type": "string"}}]`
		s := newShop(t, document("", `"/api/accounts/{id}": {"get": {"operationId": "account", "summary": "Reads it.", "responses": {"200": {"description": "ok"}}, `+parameters+`}}`), nil)
		var last *call.Record
		c := s.caller(&call.Options{Audit: func(r *call.Record) { last = r }})
		_, _ = c.Call(t.Context(), s.box, "account", []byte(`{"id":"4711","q":"private"}`))
		if last == nil || last.Method != "GET" || last.URL != "https://shop.example/api/accounts/{id}" || last.Status != 200 {
			t.Errorf("%+v", last)
		}
		_, _ = c.Call(t.Context(), s.box, "nothing", nil)
		if last.URL != "" {
			t.Errorf("%+v", last)
		}
	})
}
