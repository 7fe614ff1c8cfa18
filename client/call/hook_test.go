package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

// watched returns a change of the options that counts the events of calls.
func watched(begun, ended *int) func(*client.Options) {
	return func(o *client.Options) {
		o.Observe = func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
			if e.Kind != client.EventCall {
				return ctx, nil
			}
			*begun++
			return ctx, func(client.Event) { *ended++ }
		}
	}
}

// A hook that panics ends the call like a hook that fails: with an error, a Result, a record
// and the end of its event. A request that was sent before may have been carried out.
func TestAPanicOfAHookEndsTheCall(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(o *call.Options)
		tool   string
		want   call.Code
	}{
		"Principal": {func(o *call.Options) { o.Principal = func(context.Context) string { panic("ouch") } }, "head", call.Refused},
		"Credentials": {func(o *call.Options) {
			o.Credentials = func(context.Context, *call.CredentialRequest) (*call.Grant, error) { panic("ouch") }
		}, "head", call.CredentialMissing},
		"Confirm": {func(o *call.Options) {
			o.Confirm = func(context.Context, *call.Question) (call.Answer, error) { panic("ouch") }
		}, "head", call.ConfirmationRequired},
		"Spend":  {func(o *call.Options) { o.Spend = func(context.Context, string, time.Time) error { panic("ouch") } }, "head", call.Denied},
		"Pinned": {func(o *call.Options) { o.Pinned = func(context.Context, *tools.Tool) bool { panic("ouch") } }, "head", call.CredentialMissing},
		"Approve": {func(o *call.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { panic("ouch") }
		}, "elsewhere", call.Refused},
		"Event":             {func(o *call.Options) { o.Event = func(context.Context, *call.Event) { panic("ouch") } }, "stream", call.Refused},
		"Event of a change": {func(o *call.Options) { o.Event = func(context.Context, *call.Event) { panic("ouch") } }, "streamed", call.OutcomeUnknown},
		"Audit":             {func(o *call.Options) { o.Audit = func(*call.Record) { panic("ouch") } }, "head", made},
	} {
		bubble(t, func(t *testing.T) {
			begun, ended, records := 0, 0, 0
			doc := document(schemes, secured("head", `{"head": []}`), operation("get", "/api/stream", "stream", ""), operation("post", "/api/streamed", "streamed", ""),
				operation("get", "/api/elsewhere", "elsewhere", `, "servers": [{"url": "https://bank.example.net"}]`))
			s := newShop(t, doc, func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "stream") {
					stream("data: 1\n\n")(w, r)
					return
				}
				okay(w, r)
			}, watched(&begun, &ended))
			o := &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: vault(secrets()), Audit: func(r *call.Record) {
				if records++; r.Code != tt.want {
					t.Errorf("%s: the record has %s", name, r.Code)
				}
			}}
			tt.change(o)
			res, err := s.caller(o).Call(t.Context(), s.box, tt.tool, nil)
			wantCode(t, res, err, tt.want)
			if begun != 1 || ended != 1 || records != 1 && name != "Audit" || tt.want != made && !strings.Contains(fmt.Sprint(err), "ouch") {
				t.Errorf("%s: %d events begun, %d ended, %d records: %v", name, begun, ended, records, err)
			}
			if strings.Contains(res.Model.Prompt(), "ouch") {
				t.Errorf("%s: the model is told %q", name, res.Model.Prompt())
			}
		})
	}
}

// stuck is a store that panics.
type stuck struct{ store }

func (*stuck) Update(context.Context, call.TokenKey, func([]byte) ([]byte, error)) error {
	panic("ouch")
}

// The same is true for the hooks of a login.
func TestAPanicOfALoginEndsTheCall(t *testing.T) {
	for name, tt := range map[string]struct {
		config *call.OAuthConfig
		tokens call.TokenStore
	}{
		"Device": {&call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { panic("ouch") }}, nil},
		"Open":   {&call.OAuthConfig{Grant: call.AuthorizationCode, ClientID: "app", Open: func(context.Context, string) error { panic("ouch") }}, nil},
		"Update": {&call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app"}, &stuck{}},
	} {
		do := func(t *testing.T) {
			m, records := newRealm(t), 0
			c := m.caller(tt.config, func(o *call.Options) { o.Tokens, o.Audit = tt.tokens, func(*call.Record) { records++ } })
			for range 2 { // the first leaves nothing held
				res, err := c.Call(t.Context(), m.box, "read", nil)
				wantReason(t, name, res, err, call.CredentialMissing, "ouch")
			}
			if records != 2 || len(m.calls()) != 0 {
				t.Errorf("%s: %d records, %d requests", name, records, len(m.calls()))
			}
		}
		if name == "Open" { // which listens on this machine
			do(t)
			continue
		}
		bubble(t, do)
	}
}

// A credential that is too large for any server is refused with its own code, and no person is
// asked.
func TestACredentialThatIsTooLargeHasItsOwnCode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		y := &yes{verdict: call.AllowOnce}
		for tool, grant := range map[string]func(string, ...call.Binding) *call.Grant{"head": call.Key, "query": call.Key, "bearer": call.Bearer, "basic": func(v string, b ...call.Binding) *call.Grant { return call.Basic("a", v, b...) }} {
			for size, want := range map[int]call.Code{64<<10 + 1: call.CredentialTooLarge, 1 << 20: call.CredentialTooLarge, 1000: made} {
				c := s.caller(&call.Options{Confirm: y.confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					return grant(strings.Repeat("x", size), call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
				}})
				before, asked := len(s.calls()), y.count()
				res, err := c.Call(t.Context(), s.box, tool, nil)
				wantCode(t, res, err, want)
				if want != made && (len(s.calls()) != before || y.count() != asked) {
					t.Errorf("%s of %d bytes: %d requests, %d questions", tool, size, len(s.calls())-before, y.count()-asked)
				}
			}
		}
	})
}

// If a tool asks for a secret, its question is marked before the hook gets it.
func TestAQuestionForASecretIsMarked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ask := ""
		x, e := newEra(t, `"2026-07-28"`, false)
		e.work = func(w http.ResponseWriter, m rpc) {
			result := `{"resultType":"complete","content":[{"type":"text","text":"booked"}]}`
			if !strings.Contains(string(m.Params), "inputResponses") {
				result = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":` + ask + `}}}`
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		}
		var asked *call.InputRequest
		c, _ := x.caller(t, func(o *call.Options) {
			o.Input = func(_ context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
				asked = q
				return &call.InputAnswer{Action: "decline"}, nil
			}
		})
		for params, want := range map[string]bool{
			`{"message":"How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","title":"Number of seats"}}}}`: false,
			`{"message":"Which colour and size?","requestedSchema":{"type":"object","properties":{"size":{"enum":["s","m"]}}}}`:           false,
			`{"message":"Your password, please"}`:                                                                       true,
			`{"message":"Enter the PIN of your card"}`:                                                                  true,
			`{"message":"We need your API key"}`:                                                                        true,
			`{"message":"x","requestedSchema":{"properties":{"api_key":{}}}}`:                                           true,
			`{"message":"x","requestedSchema":{"properties":{"a":{"format":"password"}}}}`:                              true,
			`{"message":"x","requestedSchema":{"properties":{"card":{"properties":{"apiKey":{"type":"string"}}}}}}`:     true,
			`{"message":"x","requestedSchema":{"properties":{"a":{"description":"The access token of your account"}}}}`: true,
			`{"message":"x","requestedSchema":{"allOf":[{"properties":{"otp":{}}}]}}`:                                   true,
		} {
			ask, asked = params, nil
			if !json.Valid([]byte(params)) {
				t.Fatal(params)
			}
			res, err := c.Call(t.Context(), x.box, "book", nil)
			wantCode(t, res, err, made)
			if asked == nil || asked.Secret != want {
				t.Errorf("%s: %+v", params, asked)
			}
		}
	})
}

// An agreement for the session covers the next call of the tool too if only a new credential
// caused the question, and does not if another reason to ask each time remains.
func TestAYesForTheSessionOutlivesTheNewCredential(t *testing.T) {
	for name, tt := range map[string]struct {
		more  string
		offer bool
		asked int
	}{"a change": {"", true, 1}, "what is asked each time": {`, "x-openai-isConsequential": true`, false, 3}} {
		bubble(t, func(t *testing.T) {
			s := newShop(t, document(schemes, operation("post", "/api/pay", "pay", `, "security": [{"head": []}]`+tt.more)), nil)
			y := &yes{verdict: call.AllowSession}
			c := s.caller(&call.Options{Confirm: y.confirm, Credentials: vault(secrets())})
			for range 3 {
				res, err := c.Call(t.Context(), s.box, "pay", nil)
				wantCode(t, res, err, made)
			}
			if y.count() != tt.asked || y.asked[0].Session != tt.offer || y.asked[0].Decision != call.AskEach {
				t.Errorf("%s: asked %d times, offered %t", name, y.count(), y.asked[0].Session)
			}
		})
	}
}
