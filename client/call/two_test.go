package call_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// places has an argument in each place of plain HTTP, and a choice of two schemes.
const places = `, "security": [{"one": []}, {"two": []}], "parameters": [
	{"name": "path", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "query", "in": "query", "schema": {"type": "string"}},
	{"name": "X-Header", "in": "header", "schema": {"type": "string"}}, {"name": "cookie", "in": "cookie", "schema": {"type": "string"}}],
	"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"body": {"type": "string"}}}}}}`

// twoDocument has two of everything.
var twoDocument = document(`, "components": {"securitySchemes": {
	"one": {"type": "apiKey", "in": "header", "name": "X-One"}, "two": {"type": "apiKey", "in": "header", "name": "X-Two"}}}`,
	operation("post", "/api/pay/{path}", "pay", places), operation("post", "/api/give/{path}", "give", places))

// use is one call, described by everything that an agreement to it depends on.
type use struct {
	who, tool, site, scheme           string
	path, query, header, cookie, body string
	// text is the text of the definition instead of the site's text.
	text string
}

func (u *use) args() []byte {
	return fmt.Appendf(nil, `{"path":%q,"query":%q,"X-Header":%q,"cookie":%q,"body":%q}`, u.path, u.query, u.header, u.cookie, u.body)
}

// pair is a world with two sites that have the same document. A call without a key is
// their last choice.
type pair struct {
	*shop
	boxes map[string]*tools.Box
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{shop: newShop(t, twoDocument, nil), boxes: map[string]*tools.Box{}}
	p.net.Host("other.example", p.watch("other.example", clienttest.Pages{"/openapi.json": twoDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", "other.example")}, okay))
	other, err := tools.Load(t.Context(), p.client, []string{"other.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const last = `[{"scheme":"two"}]`
	for site, box := range map[string]*tools.Box{"shop.example": p.box, "other.example": other} {
		p.boxes[site] = edited(t, box, last, last+`,[{"scheme":"none"}]`)
	}
	return p
}

// boxOf returns the Box of a use. If reading is true, its tools declare that they change
// nothing.
func (p *pair) boxOf(u *use, reading bool) *tools.Box {
	p.t.Helper()
	key := fmt.Sprint(u.site, u.text, reading)
	if p.boxes[key] == nil {
		box := p.boxes[u.site]
		if u.text != "" {
			box = edited(p.t, box, "Does "+u.tool+".", u.text)
		}
		if reading {
			box = edited(p.t, box, `"readOnly":false`, `"readOnly":true`)
		}
		p.boxes[key] = box
	}
	return p.boxes[key]
}

// caller returns a Caller that has one key at a time: the key for the scheme of the use in the
// context.
func (p *pair) caller(confirm func(context.Context, *call.Question) (call.Answer, error), change ...func(*call.Options)) (c *call.Caller, do func(u *use, reading bool, ticket string) (*call.Result, error)) {
	p.t.Helper()
	type schemeKey struct{}
	o := &call.Options{Confirm: confirm, Principal: principal, Credentials: func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		if q.Name != ctx.Value(schemeKey{}) {
			return nil, nil
		}
		return call.Key("s3cret-"+q.Name+"-of-"+q.Principal, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
	}}
	for _, f := range change {
		f(o)
	}
	c = p.shop.caller(o)
	return c, func(u *use, reading bool, ticket string) (*call.Result, error) {
		ctx, box := context.WithValue(as(p.t, u.who), schemeKey{}, u.scheme), p.boxOf(u, reading)
		if ticket != "" {
			return c.CallConfirmed(ctx, box, u.tool, u.args(), ticket)
		}
		return c.Call(ctx, box, u.tool, u.args())
	}
}

// states returns the kinds of data that a Caller keeps. Each function creates the data with
// one use, and reports whether it covers another one.
func states() map[string]func(t *testing.T, p *pair, made, other *use) bool {
	return map[string]func(t *testing.T, p *pair, made, other *use) bool{
		"ticket": func(t *testing.T, p *pair, made, other *use) bool {
			_, do := p.caller(nil)
			res, err := do(made, false, "")
			wantCode(t, res, err, call.ConfirmationRequired)
			ticket := res.Program.Ticket
			res, err = do(other, false, ticket)
			if err == nil {
				return true
			}
			wantReason(t, "ticket", res, err, call.ConfirmationRequired, "the ticket is for another call")
			if n := len(p.calls()); n != 0 {
				t.Errorf("%d requests", n)
			}
			res, err = do(made, false, ticket)
			wantCode(t, res, err, call.Code{}) // it still covers what it is for
			return false
		},
		"session": func(t *testing.T, p *pair, made, other *use) bool {
			return remembers(t, p, made, other, call.AllowSession)
		},
		"session with a key": func(t *testing.T, p *pair, made, other *use) bool {
			return remembers(t, p, made, other, call.AllowSession)
		},
		"once": func(t *testing.T, p *pair, made, other *use) bool {
			return remembers(t, p, made, other, call.AllowOnce)
		},
		"once with a key": func(t *testing.T, p *pair, made, other *use) bool {
			return remembers(t, p, made, other, call.AllowOnce)
		},
		"disclosed": func(t *testing.T, p *pair, made, other *use) bool {
			y := &yes{verdict: call.AllowOnce}
			_, do := p.caller(y.confirm)
			for _, u := range []*use{made, other} {
				res, err := do(u, false, "")
				wantCode(t, res, err, call.Code{})
			}
			if y.count() != 2 || !slices.Contains(y.asked[0].Reasons, call.ReasonNewCredential) {
				t.Fatalf("asked %d times", y.count())
			}
			return !slices.Contains(y.asked[1].Reasons, call.ReasonNewCredential)
		},
	}
}

// remembers makes a use until a yes to it is remembered, and reports whether the other use
// is made without a question. If there is a key, the first question is about it: a yes that
// is given once is not remembered, and one for the session is. A yes that is given once is
// one to a tool that says that it changes nothing.
func remembers(t *testing.T, p *pair, made, other *use, verdict call.Verdict) bool {
	t.Helper()
	y := &yes{verdict: verdict}
	_, do := p.caller(y.confirm)
	most := 1
	if made.scheme != "" && verdict == call.AllowOnce {
		most = 2
	}
	for i, u := range []*use{made, made, made, other} {
		res, err := do(u, verdict == call.AllowOnce, "")
		wantCode(t, res, err, call.Code{})
		if want := min(i+1, most); i < 3 && y.count() != want {
			t.Fatalf("call %d: asked %d times, want %d", i+1, y.count(), want)
		}
	}
	return y.count() == most
}

// An agreement for one use covers another use only if it does not depend on the difference.
// Each state is created with one use and tried with the other.
func TestTwoOfEverything(t *testing.T) {
	n := 0
	for _, tt := range []struct {
		name    string
		change  func(u *use)
		covered string // by these states, with a key and without
	}{
		{"the same", func(*use) {}, "ticket session once disclosed"},
		{"another principal", func(u *use) { u.who = "bob" }, ""},
		{"another tool", func(u *use) { u.tool = "give" }, "disclosed"},
		{"another site", func(u *use) { u.site = "other.example" }, ""},
		{"another scheme", func(u *use) { u.scheme = "one" }, ""},
		{"another value in the path", func(u *use) { u.path = "1000000" }, "session once disclosed"},
		{"another value in the query", func(u *use) { u.query = "1000000" }, "session once disclosed"},
		{"another value in the header", func(u *use) { u.header = "1000000" }, "session once disclosed"},
		{"another value in the cookie", func(u *use) { u.cookie = "1000000" }, "session once disclosed"},
		{"another value in the body", func(u *use) { u.body = "1000000" }, "session once disclosed"},
		{"another text of the definition", func(u *use) { u.text = "Closes the account." }, "disclosed"},
	} {
		for state, covers := range states() {
			if n++; n%testkit.Stride() != 0 {
				continue
			}
			bubble(t, func(t *testing.T) {
				made := use{who: "alice", tool: "pay", site: "shop.example", scheme: "two", path: "1", query: "1", header: "1", cookie: "1", body: "1"}
				name, keyed := strings.CutSuffix(state, " with a key")
				if !keyed && (name == "session" || name == "once") {
					made.scheme = ""
				}
				other := made
				tt.change(&other)
				if got := covers(t, newPair(t), &made, &other); got != strings.Contains(tt.covered, name) {
					t.Errorf("%s, %s: covered %t", tt.name, state, got)
				}
			})
			if t.Failed() {
				t.Fatal(tt.name, state)
			}
		}
	}
}

// The request of a use depends on its place and its user. Otherwise the table above would
// prove nothing.
func TestTwoUsesAreTwoRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPair(t)
		_, do := p.caller((&yes{verdict: call.AllowOnce}).confirm)
		res, err := do(&use{who: "bob", tool: "give", site: "other.example", scheme: "one", path: "p", query: "q", header: "h", cookie: "c", body: "b"}, false, "")
		wantCode(t, res, err, made)
		got := p.calls()
		if len(got) != 1 || got[0].host != "other.example" || got[0].method != http.MethodPost || got[0].target != "/api/give/p?query=q" || got[0].header.Get("X-Header") != "h" ||
			got[0].header.Get("Cookie") != "cookie=c" || got[0].body != `{"body":"b"}` || got[0].header.Get("X-One") != "s3cret-one-of-bob" {
			t.Errorf("%+v", got)
		}
	})
}

// A user who was forgotten is asked again, for the credential and for the call. Other users
// are not.
func TestForgettingIsOfOneUser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, y := newPair(t), &yes{verdict: call.AllowSession}
		c, do := p.caller(y.confirm)
		for i, tt := range []struct {
			forget string
			asked  int
		}{{"", 1}, {"", 1}, {"bob", 1}, {"alice", 2}, {"", 2}, {"bob", 2}} {
			if tt.forget != "" {
				c.Forget(tt.forget)
			}
			res, err := do(&use{who: "alice", tool: "pay", site: "shop.example", scheme: "two", path: "1"}, false, "")
			wantCode(t, res, err, made)
			if y.count() != tt.asked {
				t.Fatalf("call %d: asked %d times, want %d", i+1, y.count(), tt.asked)
			}
		}
		for _, q := range y.asked {
			if !slices.Contains(q.Reasons, call.ReasonNewCredential) || !slices.Contains(q.Reasons, call.ReasonUnknown) && !slices.Contains(q.Reasons, call.ReasonChanges) {
				t.Errorf("%v", q.Reasons)
			}
		}
	})
}
