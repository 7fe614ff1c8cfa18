package call_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

var shopDocument = document("",
	`"/api/orders": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "ok"}}, "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}]},
		"post": {"operationId": "newOrder", "responses": {"200": {"description": "ok"}}`+jsonBody+`}}`,
	operation("delete", "/api/orders/{id}", "dropOrder", `, "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]`),
	operation("put", "/api/state", "setState", jsonBody),
	operation("get", "/api/gone", "goneThing", ""),
)

// A call that only reads runs without a question. Without Confirm no other call runs.
func TestPlainReading(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		c := s.caller(nil)
		res, err := c.Call(t.Context(), s.box, "listOrders", []byte(`{"q":"a b&c=1"}`))
		wantCode(t, res, err, made)
		if string(res.Model.JSON) != `{"ok":true}` || res.Program.Status != 200 || res.Program.Decision != call.Run || res.Program.Attempts != 1 {
			t.Errorf("%+v", res)
		}
		for tool, args := range map[string]string{"newOrder": `{"reason":"x"}`, "dropOrder": `{"id":"7"}`, "setState": `{"reason":"x"}`} {
			res, err := c.Call(t.Context(), s.box, tool, []byte(args))
			wantCode(t, res, err, call.ConfirmationRequired)
			if res.Program.Ticket == "" || res.Program.Question == nil || res.Model.Again {
				t.Errorf("%s: %+v", tool, res)
			}
		}
		got := s.calls()
		if len(got) != 1 || got[0].target != "/api/orders?q=a%20b%26c%3D1" || !strings.HasPrefix(got[0].header.Get("User-Agent"), "wayfind/") {
			t.Errorf("sent %+v", got)
		}
	})
}

// Each kind of bad input has its own code, and nothing is sent.
func TestBadInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm})
		for _, tt := range []struct {
			tool, args string
			want       call.Code
			why        string // that the model is told
		}{
			{"nothing", `{}`, call.NotFoundTool, "There is no tool of this name; look for one that there is."},
			{"drop_an_order", `{"id":"7"}`, call.NotFoundTool, " The nearest names are dropOrder"},
			{"dropOrder", `{"id":".."}`, call.InvalidArguments, "(path_dot_segment)"},
			{"dropOrder", `{"id":"."}`, call.InvalidArguments, "(path_dot_segment)"},
			{"dropOrder", `{"id":"%2e"}`, call.InvalidArguments, "(path_dot_segment)"},
			{"dropOrder", `{"id":"%2e%2e/%2e%2e"}`, call.InvalidArguments, "(path_dot_segment)"},
			{"dropOrder", `{"id":""}`, call.InvalidArguments, "/id: want at least 1 characters (minLength)"},
			{"dropOrder", `{"id":"a\u0000b"}`, call.InvalidArguments, "(control_character)"},
			{"dropOrder", `{"id":"a%0d%0ab"}`, call.InvalidArguments, "(control_character)"},
			{"dropOrder", `{"id":"\ud800"}`, call.InvalidArguments, "(not_unicode)"},
			{"dropOrder", `{"id":"\xff"}`, call.InvalidArguments, "(arguments_syntax)"},
			{"dropOrder", "{\"id\":\"\xff\"}", call.InvalidArguments, "(not_unicode)"},
			{"dropOrder", `{}`, call.InvalidArguments, "want the property id"},
			{"dropOrder", `{"id":"7","id":"8"}`, call.InvalidArguments, "(arguments_duplicate)"},
			{"dropOrder", `{"id":"7"} {}`, call.InvalidArguments, "(arguments_trailing)"},
			{"dropOrder", `{"id":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, call.InvalidArguments, "(arguments_depth)"},
			{"dropOrder", `["7"]`, call.InvalidArguments, "(arguments_object)"},
			{"newOrder", `{"reason":1}`, call.InvalidArguments, "/reason: want string (type)"},
			{"newOrder", `{"reason":"` + strings.Repeat("x", 10<<20) + `"}`, call.InvalidArguments, "(arguments_size)"},
			{"newOrder", `nonsense`, call.InvalidArguments, "(arguments_syntax)"},
		} {
			res, err := c.Call(t.Context(), s.box, tt.tool, []byte(tt.args))
			wantCode(t, res, err, tt.want)
			if len(res.Model.Text) > 600 || res.Model.Text == "" || !strings.Contains(res.Model.Text, tt.why) {
				t.Errorf("%s: the model is told %.700q", tt.tool, res.Model.Text)
			}
		}
		if got := s.calls(); len(got) != 0 || y.count() != 0 {
			t.Errorf("%d asked, sent %+v", y.count(), got)
		}
	})
}

// The request that a person agreed to is the request that is sent, once.
func TestConfirmed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		y := &yes{verdict: call.AllowSession}
		c := s.caller(&call.Options{Confirm: y.confirm})
		for range 3 {
			res, err := c.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x","amount":1.10}`))
			wantCode(t, res, err, made)
		}
		if y.count() != 1 || !y.asked[0].Session || string(y.asked[0].Request.Body) != `{"reason":"x","amount":1.10}` {
			t.Errorf("asked %d times: %+v", y.count(), y.asked)
		}
		for range 2 { // a DELETE is asked about each time
			res, err := c.Call(t.Context(), s.box, "dropOrder", []byte(`{"id":"7"}`))
			wantCode(t, res, err, made)
		}
		if y.count() != 3 || y.asked[1].Session || !slices.Contains(y.asked[1].Reasons, call.ReasonDestructive) {
			t.Errorf("asked %d times", y.count())
		}
		c.Forget("")
		res, err := c.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
		wantCode(t, res, err, made)
		if y.count() != 4 || len(s.calls()) != 6 {
			t.Errorf("asked %d times, sent %d", y.count(), len(s.calls()))
		}
		no := s.caller(&call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Why: "too much\u202e money"}, nil
		}})
		res, err = no.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
		wantCode(t, res, err, call.Denied)
		if !strings.Contains(res.Model.Text, "too much money") || len(s.calls()) != 6 {
			t.Errorf("%q", res.Model.Text)
		}
	})
}

// A ticket is valid for one principal, one definition and one request, and can be used once.
func TestTickets(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		who := "alice"
		opts := &call.Options{Principal: func(context.Context) string { return who }}
		c := s.caller(opts)
		ticket := func(args string) string {
			t.Helper()
			res, err := c.Call(t.Context(), s.box, "newOrder", []byte(args))
			wantCode(t, res, err, call.ConfirmationRequired)
			return res.Program.Ticket
		}
		refused := func(name, words, tool, args, ticket string) {
			t.Helper()
			res, err := c.CallConfirmed(t.Context(), s.box, tool, []byte(args), ticket)
			if wantReason(t, name, res, err, call.ConfirmationRequired, words); t.Failed() {
				t.Fatal(name)
			}
		}
		good := ticket(`{"reason":"x"}`)
		refused("other arguments", "for another call", "newOrder", `{"reason":"y"}`, good)
		refused("another tool", "for another call", "setState", `{"reason":"x"}`, good)
		refused("changed", "none of ours", "newOrder", `{"reason":"x"}`, "A"+good[1:])
		refused("cut", "none of ours", "newOrder", `{"reason":"x"}`, good[:len(good)-2])
		refused("empty", "none of ours", "newOrder", `{"reason":"x"}`, "")
		refused("a read's", "for another call", "listOrders", `{}`, good)
		who = "bob"
		refused("another user", "for another call", "newOrder", `{"reason":"x"}`, good)
		who = "alice"
		other := s.caller(opts)
		foreign, err := other.CallConfirmed(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`), good)
		wantReason(t, "another process", foreign, err, call.ConfirmationRequired, "none of ours")
		if n := len(s.calls()); n != 0 {
			t.Fatalf("%d requests", n)
		}
		res, err := c.CallConfirmed(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`), good)
		wantCode(t, res, err, made)
		refused("used", "was used", "newOrder", `{"reason":"x"}`, good)
		late := ticket(`{"reason":"x"}`)
		time.Sleep(call.TicketLifetime)
		refused("expired", "has expired", "newOrder", `{"reason":"x"}`, late)
		preview, err := c.DryRun(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
		if err != nil || preview.Decision != call.AskSession || preview.Ticket == "" {
			t.Fatal(preview, err)
		}
		res, err = c.CallConfirmed(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`), preview.Ticket)
		wantCode(t, res, err, made)
		if n := len(s.calls()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

// An agreement for the session remains valid for a definition that is equal or safer, and for
// no other.
func TestSessionAndChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		text := document("", operation("post", "/api/orders", "newOrder", jsonBody))
		s := newShop(t, text, nil)
		y := &yes{verdict: call.AllowSession}
		c := s.caller(&call.Options{Confirm: y.confirm})
		ask := func(doc string, want int) {
			t.Helper()
			n := newShop(t, doc, nil)
			n.sniffer = s.sniffer
			res, err := c.Call(t.Context(), n.box, "newOrder", []byte(`{"reason":"x"}`))
			wantCode(t, res, err, made)
			if y.count() != want {
				t.Errorf("asked %d times, want %d", y.count(), want)
			}
		}
		ask(text, 1)
		ask(text, 1)
		ask(strings.ReplaceAll(text, "Does newOrder.", "Closes the account for ever."), 2)
		ask(strings.ReplaceAll(text, "/api/orders", "/api/refunds"), 3)
		ask(text, 4) // the yes is for the newer definition now
	})
}

// Servers on other sites need approval, in addition to a person's agreement.
func TestOtherSites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		doc := document(`, "servers": [{"url": "https://bank.example.net"}]`, operation("get", "/api/x", "readBank", ""), operation("post", "/api/y", "payBank", jsonBody))
		s := newShop(t, doc, nil)
		s.net.Host("bank.example.net", s.watch("bank.example.net", nil, okay))
		y := &yes{verdict: call.AllowSession}
		c := s.caller(&call.Options{Confirm: y.confirm})
		res, err := c.Call(t.Context(), s.box, "readBank", nil)
		wantCode(t, res, err, call.Refused)
		var approvals []string
		c = s.caller(&call.Options{Confirm: y.confirm, Approve: approving(&approvals)})
		for range 2 {
			res, err = c.Call(t.Context(), s.box, "readBank", nil)
			wantCode(t, res, err, made)
		}
		if y.count() != 2 || !slices.Contains(y.asked[0].Reasons, call.ReasonOtherSite) || y.asked[0].Request.URL != "https://bank.example.net/api/x" {
			t.Errorf("%+v", y.asked)
		}
		if !slices.Equal(approvals, []string{"call https://bank.example.net/api/x", "call https://bank.example.net/api/x"}) {
			t.Errorf("%q", approvals)
		}
	})
}

// robots.txt is about crawling: if the Client enforces robots.txt, a call that it disallows is
// a reason to ask, and is not refused.
func TestRobotsAreAReason(t *testing.T) {
	bubble(t, func(t *testing.T) {
		doc := document("", operation("get", "/api/x", "read", ""))
		for mode, want := range map[client.RobotsMode]int{client.RobotsReport: 0, client.RobotsEnforce: 1} {
			s := newShop(t, doc, nil, func(o *client.Options) { o.Robots.Mode = mode })
			s.host.Handle("/robots.txt", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				_, _ = w.Write([]byte("User-agent: *\nDisallow: /api/\n"))
			}))
			s.client = s.net.Client(func(o *client.Options) { o.Robots.Mode = mode })
			s.load()
			y := &yes{verdict: call.AllowOnce}
			res, err := s.caller(&call.Options{Confirm: y.confirm}).Call(t.Context(), s.box, "read", nil)
			wantCode(t, res, err, made)
			if y.count() != want || want == 1 && !slices.Contains(y.asked[0].Reasons, call.ReasonRobots) {
				t.Errorf("mode %v: asked %d times", mode, y.count())
			}
		}
	})
}

// Names that a model was shown are changed back to the publisher's names.
func TestRenamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, document("", operation("get", "/api/x", "read", `, "parameters": [{"name": "customer id", "in": "query", "schema": {"type": "string"}}]`)), nil)
		defs := s.box.Render(tools.Gemini, nil)
		res, err := s.caller(nil).With(defs.Form).Call(t.Context(), s.box, "read", []byte(`{"customer_id":"7"}`))
		wantCode(t, res, err, made)
		if got := s.calls(); len(got) != 1 || got[0].target != "/api/x?customer%20id=7" {
			t.Errorf("%+v", got)
		}
	})
}

// Parameters that were read from prose are a reason to ask, whatever the method, because the
// reading may be wrong.
func TestParametersReadFromProse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		net, sniff := clienttest.New(t), &sniffer{}
		doc := `{"aiendpoint": "1.0", "service": {"name": "Shop", "description": "Sells.", "language": ["en"]}, "auth": {"type": "none"}, "capabilities": [
			{"id": "sure", "description": "Finds", "endpoint": "/api/sure", "method": "GET", "params": {"q": "string, required"}},
			{"id": "guess", "description": "Finds", "endpoint": "/api/guess", "method": "GET", "params": {"q": "whatever you are looking for"}}]}`
		net.Host("shop.example", sniff.watch("shop.example", clienttest.Pages{"/.well-known/ai": doc}, okay))
		c := net.Client()
		box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
		if err != nil || box.Len() != 2 {
			t.Fatal(err, box.Skipped())
		}
		for _, tool := range box.Tools() {
			y := &yes{verdict: call.AllowOnce}
			caller, err := call.New(c, &call.Options{Confirm: y.confirm})
			if err != nil {
				t.Fatal(err)
			}
			res, err := caller.Call(t.Context(), box, tool.Name, []byte(`{"q":"x"}`))
			wantCode(t, res, err, made)
			want := map[string][]call.Reason{"guess": {call.ReasonGuessed}}[tool.Capability.ID]
			if !slices.Equal(res.Program.Reasons, want) || y.count() != len(want) {
				t.Errorf("%s: asked %d times, %v", tool.Name, y.count(), res.Program.Reasons)
			}
		}
	})
}

// Only its own tools may call a server under development. A tool of another site that leads
// there is refused before any hook is called.
func TestServersUnderDevelopmentStayWithTheirOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		h := &hooks{}
		c := s.caller(h.counted(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Approve: approving(new([]string))}))
		for _, at := range []string{"http://localhost:8080", "http://127.0.0.1:8080", "https://localhost:8443", "http://[::1]:8080"} {
			box := edited(t, s.box, `"url":"https://shop.example/api/orders"`, `"url":"`+at+`/api/orders"`)
			_, err := c.DryRun(t.Context(), box, "listOrders", nil)
			if e, ok := errors.AsType[*call.Error](err); !ok || e.Code != call.Refused || !strings.Contains(err.Error(), "where it would go is refused") {
				t.Errorf("%s: %v", at, err)
			}
			res, err := c.Call(t.Context(), box, "listOrders", nil)
			wantReason(t, at, res, err, call.Refused, "where it would go is refused")
			h.wantAsked(t, at)
		}
	})
}
