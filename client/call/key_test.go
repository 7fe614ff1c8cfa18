package call_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A key inside of the body is set by this package, even if the whole body is one argument.
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

// A GET that does more than read is sent again with the key that its document declares, and
// never without one.
func TestAKeyOfASafeMethodIsSent(t *testing.T) {
	key := func(in string) string {
		return `, "parameters": [{"name": "Idempotency-Key", "in": "` + in + `", "required": true, "schema": {"type": "string"}}]`
	}
	const pays = `, "x-openai-isConsequential": true`
	for name, tt := range map[string]struct {
		more            string
		requests, asked int
		keyed           bool
		want            call.Code
	}{
		"a key in the header":  {key("header") + pays, 2, 1, true, made},
		"a key in the query":   {key("query") + pays, 2, 1, true, made},
		"a key of a read":      {key("header"), 2, 0, true, made},
		"a read without a key": {"", 2, 0, false, made},
		"no key":               {pays, 1, 1, false, call.OutcomeUnknown},
	} {
		bubble(t, func(t *testing.T) {
			tries := 0
			s := newShop(t, document("", operation("get", "/api/pay", "pay", tt.more)), func(w http.ResponseWriter, r *http.Request) {
				if tries++; tries == 1 {
					panic(http.ErrAbortHandler)
				}
				okay(w, r)
			})
			y := &yes{verdict: call.AllowOnce}
			res, err := s.caller(&call.Options{Confirm: y.confirm}).Call(t.Context(), s.box, "pay", nil)
			wantCode(t, res, err, tt.want)
			key := res.Program.Key
			if y.count() != tt.asked || tries != tt.requests || (key != "") != tt.keyed {
				t.Errorf("%s: %d questions, %d requests, key %q", name, y.count(), tries, key)
			}
			for _, r := range s.calls() {
				_, query, _ := strings.Cut(r.target, "?Idempotency-Key=")
				if r.method != http.MethodGet || r.body != "" || r.header.Get("Idempotency-Key")+query != key {
					t.Errorf("%s: %s %s %v, told %q", name, r.method, r.target, r.header, key)
				}
			}
		})
	}
}

// A key that belongs in a body does not add a body to a GET. The call has no key.
func TestAGETGetsNoBodyForAKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const doc = `{"awp_version": "0.2", "domain": "shop.example", "intent": "x", "auth": {"type": "none"}, "actions": [{"id": "pay", "description": "x", "auth_required": false,
			"inputs": {}, "outputs": {}, "endpoint": "/api/pay", "method": "GET", "reversible": false, "idempotency": {"supported": true, "key_field": "once"}}]}`
		net, sniff := clienttest.New(t), &sniffer{}
		net.Host("shop.example", sniff.watch("shop.example", clienttest.Pages{"/agent.json": doc}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		c := net.Client()
		box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
		if err != nil || box.Len() != 1 {
			t.Fatal(err, box.Skipped())
		}
		caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		if err != nil {
			t.Fatal(err)
		}
		res, err := caller.Call(t.Context(), box, box.Tools()[0].Name, nil)
		wantCode(t, res, err, call.OutcomeUnknown)
		if got := sniff.calls(); len(got) != 1 || got[0].body != "" || got[0].method != http.MethodGet || res.Program.Key != "" {
			t.Errorf("key %q, %+v", res.Program.Key, got)
		}
	})
}

// A request with a key is sent again as long as the service has promised to know the key.
func TestNothingIsSentAgainAfterTheWindowOfItsKey(t *testing.T) {
	for window, want := range map[string]int{"10s": 1, "1m": 2, "24h": 2} {
		bubble(t, func(t *testing.T) {
			tries := 0
			s := newShop(t, shopDocument, nil)
			box := loadAWP(t, s, `{"id": "pay", "description": "Pays", "endpoint": "/api/pay", "method": "POST", "auth_required": false,
				"inputs": {"reason": {"type": "string", "required": true}}, "idempotency": {"supported": true, "key_field": "request_id", "window": "`+window+`"}}`, func(w http.ResponseWriter, r *http.Request) {
				if tries++; tries == 1 {
					time.Sleep(11 * time.Second)
					panic(http.ErrAbortHandler)
				}
				okay(w, r)
			})
			c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
			res, err := c.Call(t.Context(), box, box.Tools()[0].Name, []byte(`{"reason":"x"}`))
			code := made
			if want == 1 {
				code = call.OutcomeUnknown
			}
			if wantCode(t, res, err, code); tries != want {
				t.Errorf("a window of %s: %d requests, want %d", window, tries, want)
			}
		})
	}
}
