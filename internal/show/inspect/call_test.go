package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/schema"
)

// counter answers calls and keeps them.
type counter struct {
	mu    sync.Mutex
	calls []string
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"did": %q, "key": %q}`, r.Method, r.Header.Get("X-Key"))
}

func (c *counter) made() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

// vault has one key.
func vault(o *call.Options) {
	o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		if q.Name != "key" {
			return nil, nil
		}
		return call.Key("s3cret", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
	}
}

// elsewhere approves the other site.
func elsewhere(o *call.Options) {
	o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
		if !strings.HasPrefix(r.Endpoint, "https://elsewhere.example/") {
			return errors.New("no")
		}
		return nil
	}
}

// previewed is the preview of a call.
func previewed(t *testing.T, i *Inspector, tool, arguments string) *Preview {
	t.Helper()
	p, err := i.Preview(t.Context(), CallInput{Tool: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPreviewSendsNothing(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP, vault, elsewhere)
	load(t, i)
	read := previewed(t, i, "listOrders", `{"customer id":"7"}`)
	if read.Refusal != nil || read.Decision != call.Run || read.Ticket != "" || read.Request.URL != "https://shop.example/api/orders?customer%20id=7" || !strings.Contains(read.Curl, "curl") {
		t.Errorf("%+v", read)
	}
	write := previewed(t, i, "newOrder", `{"what":"lamp"}`)
	if write.Decision != call.AskSession || write.Ticket == "" || len(write.Reasons) == 0 || write.Until.IsZero() || write.Request.Body.Text != `{"what":"lamp"}` {
		t.Errorf("%+v", write)
	}
	key := previewed(t, i, "secured", `{}`)
	if at := slices.IndexFunc(key.Request.Header, func(f Field) bool { return f.Name == "X-Key" }); at < 0 || key.Request.Header[at].Value != call.Hidden || len(key.Request.Credentials) != 1 {
		t.Errorf("%+v", key.Request)
	}
	wrong := previewed(t, i, "newOrder", `{"what":7}`)
	if wrong.Refusal == nil || wrong.Refusal.Code != call.InvalidArguments || wrong.Request != nil || !strings.Contains(wrong.Refusal.Cause, "/what") {
		t.Errorf("%+v", wrong.Refusal)
	}
	for _, p := range []*Preview{read, write, key, wrong} {
		raw, err := json.Marshal(p)
		if err != nil || strings.Contains(string(raw), "s3cret") {
			t.Errorf("%s, %v", raw, err)
		}
	}
	if made := calls.made(); len(made) > 0 {
		t.Errorf("previews sent %q", made)
	}
}

// A call that a person must agree to is made with the ticket of its preview, once, and
// with no other arguments.
func TestSendNeedsTheTicket(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP)
	load(t, i)
	in := CallInput{Tool: "newOrder", Arguments: `{"what":"lamp"}`}
	send := func(in CallInput) *Outcome {
		t.Helper()
		o, err := i.Send(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := send(in); o.Refusal == nil || o.Refusal.Code != call.ConfirmationRequired || len(calls.made()) > 0 {
		t.Errorf("without a ticket: %+v", o.Refusal)
	}
	in.Ticket = previewed(t, i, in.Tool, in.Arguments).Ticket
	other := in
	other.Arguments = `{"what":"two lamps"}`
	if o := send(other); o.Refusal == nil || len(calls.made()) > 0 {
		t.Errorf("with the ticket of another call: %+v", o.Refusal)
	}
	o := send(in)
	if o.Refusal != nil || o.Status != 200 || o.By != "ticket" || o.Attempts != 1 || !strings.Contains(o.Prompt, "did") || o.Body.Text != `{"did": "POST", "key": ""}` || o.Phrase != "OK" {
		t.Errorf("%+v", o)
	}
	if o := send(in); o.Refusal == nil || !strings.Contains(o.Refusal.Cause, "used") {
		t.Errorf("with a ticket that was used: %+v", o.Refusal)
	}
	if made := calls.made(); len(made) != 1 {
		t.Errorf("sent %q", made)
	}
	if o := send(CallInput{Tool: "listOrders", Arguments: `{"customer id":"7"}`}); o.Refusal != nil || o.By != "" {
		t.Errorf("a call that reads: %+v", o.Refusal)
	}
}

// A call of a recording is written and not made.
func TestCallOfARecording(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP)
	i.Replayed = true
	load(t, i)
	if p := previewed(t, i, "listOrders", `{"customer id":"7"}`); p.Unsendable == "" || p.Request == nil {
		t.Errorf("%+v", p)
	}
	if _, err := i.Send(t.Context(), CallInput{Tool: "listOrders", Arguments: `{"customer id":"7"}`}); !errors.Is(err, errReplayed) || len(calls.made()) > 0 {
		t.Errorf("%v, %q", err, calls.made())
	}
}

// A request whose credential is not there is shown with dots in its place, and not sent.
func TestPreviewWithoutTheCredential(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP)
	own := &call.Options{}
	vault(own)
	i.Placeholder = own.Credentials
	i, err := New(i.Options)
	if err != nil {
		t.Fatal(err)
	}
	i.Ask(t.Context(), false)
	load(t, i)
	p := previewed(t, i, "secured", `{}`)
	if p.Refusal == nil || p.Refusal.Code != call.CredentialMissing || p.Request == nil || p.Ticket != "" || p.Unsendable == "" || !slices.Contains(p.Request.Header, Field{"X-Key", call.Hidden}) {
		t.Errorf("%+v", p)
	}
	if o, err := i.Send(t.Context(), CallInput{Tool: "secured", Arguments: `{}`}); err != nil || o.Refusal == nil || o.Refusal.Code != call.CredentialMissing || len(calls.made()) > 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// An endpoint of another site is refused with the reason, and a missing credential with
// the flag that gives it.
func TestRefusals(t *testing.T) {
	i := inspected(t, nil)
	load(t, i)
	if p := previewed(t, i, "far", `{}`); p.Refusal == nil || p.Refusal.Code != call.Refused {
		t.Errorf("%+v", p.Refusal)
	}
	if p := previewed(t, i, "secured", `{}`); p.Refusal == nil || p.Refusal.Code != call.CredentialMissing {
		t.Errorf("%+v", p.Refusal)
	}
	form, err := i.Form("secured")
	if err != nil || len(form.Needs) != 1 || form.Needs[0].Flag != "--credential key=env:NAME" || form.Auth != "API key in header X-Key" {
		t.Errorf("%+v, %v", form, err)
	}
	if form.Effects == "" {
		t.Error("nothing is said of the effects")
	}
	hostile := needs(&wayfind.Auth{Schemes: map[string]wayfind.Scheme{"x; touch '$HOME'\n#": {Kind: wayfind.SchemeAPIKey}}})
	if want := `--credential 'x; touch '\''$HOME'\''\n#=env:NAME'`; hostile[0].Flag != want {
		t.Errorf("the flag is %s, want %s", hostile[0].Flag, want)
	}
	if _, err := i.Wait(t.Context(), "1"); !errors.Is(err, errNoWork) {
		t.Error(err)
	}
	if _, err := i.Form("none"); err == nil {
		t.Error("there is a form of no tool")
	}
}

// Whom an endpoint of another site is shown to decides about it, once, and a no is a
// refusal: nothing is sent there.
func TestARefusedEndpointGetsNothing(t *testing.T) {
	var calls counter
	var asked []string
	i := inspected(t, calls.ServeHTTP, vault, func(o *call.Options) {
		o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
			asked = append(asked, r.Endpoint)
			return errors.New("not there")
		}
	})
	load(t, i)
	o, err := i.Send(t.Context(), CallInput{Tool: "far", Arguments: `{}`})
	if err != nil || o.Refusal == nil || o.Refusal.Code != call.Refused || o.Attempts != 0 || o.Status != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if len(asked) != 1 || !strings.HasPrefix(asked[0], "https://elsewhere.example/") || len(calls.made()) != 0 {
		t.Errorf("asked about %q, sent %q", asked, calls.made())
	}
}

// The bodies of answers are shown as text, cut with a word, or by their bytes.
func TestBodies(t *testing.T) {
	for _, test := range []struct {
		name, body   string
		cut, binary  bool
		has, without string
	}{
		{name: "text", body: "a\x1b[31m\u202eb", has: `a\x1b[31m\u202eb`, without: "\x1b"},
		{name: "lines", body: "a\r\n\tb\n", has: "a\n\tb\n", without: "\r"},
		{name: "long", body: strings.Repeat("é", maxBody), cut: true, has: "éé", without: "\uFFFD\uFFFD"},
		{name: "bytes", body: "\x00\xff\xfe", binary: true, has: "00 ff fe"},
	} {
		if got := bodyOf([]byte(test.body)); got.Cut != test.cut || got.Binary != test.binary || got.Bytes != len(test.body) || !strings.Contains(got.Text, test.has) || test.without != "" && strings.Contains(got.Text, test.without) {
			t.Errorf("%s: %+.100v", test.name, got)
		}
	}
	if bodyOf(nil) != nil {
		t.Error("no body has a text")
	}
}

// Each vendor's call is turned back into the arguments by its projection.
func TestVendorCalls(t *testing.T) {
	i := inspected(t, nil)
	load(t, i)
	const arguments = `{"customer id":"7","limit":5}`
	list := i.vendorCalls("listOrders", arguments)
	if len(list) != len(tools.Vendors()) {
		t.Fatalf("%+v", list)
	}
	for _, c := range list {
		if c.Why != "" || !json.Valid([]byte(c.JSON)) || !strings.Contains(c.JSON, "listOrders") {
			t.Errorf("%+v", c)
		}
		renamed := len(i.tools.box.Render(c.Vendor, nil).Projections["listOrders"].Names) > 0
		if renamed == strings.Contains(c.JSON, "customer id") {
			t.Errorf("%s: %s", c.Vendor, c.JSON)
		}
	}
	if list := i.vendorCalls("listOrders", `{"customer id":12345678901234567890.5}`); strings.Contains(list[0].JSON, "e+") {
		t.Errorf("%+v", list[0])
	}
	if list := i.vendorCalls("listOrders", `{`); list[0].Why == "" {
		t.Errorf("%+v", list[0])
	}
	s, err := schema.Check([]byte(`{"type":"object","properties":{"a b":{"type":"object","properties":{"c d":{"type":"integer"}}}}}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.For(schema.Anthropic)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := shownArguments(p, `{"a b":{"c d":1}}`)
	if err != nil || strings.Contains(string(shown), "a b") {
		t.Errorf("%s, %v", shown, err)
	}
}

// The Go code of a call compiles with any texts of the site and of the user. The short form only
// parses it.
func TestGoCodeCompiles(t *testing.T) {
	i := inspected(t, nil, vault, elsewhere)
	load(t, i)
	dir := t.TempDir()
	n := 0
	compiled := func(code string) {
		if !testkit.Long() {
			if _, err := parser.ParseFile(token.NewFileSet(), "main.go", code, parser.SkipObjectResolution); err != nil {
				t.Errorf("%v\n%s", err, code)
			}
			return
		}
		n++
		name := filepath.Join(dir, fmt.Sprintf("call%d", n), "main.go")
		if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(code), 0o600)); err != nil {
			t.Fatal(err)
		}
		t.Log(code)
		testkit.RunGo(t, golden.Root(t), "vet", name)
	}
	compiled(previewed(t, i, "newOrder", "{\"what\":\"`\\\" */ // \\n \u202e\"}").Go)
	secured, far := previewed(t, i, "secured", `{}`).Go, previewed(t, i, "far", `{}`)
	if far.Refusal != nil || !strings.Contains(far.Go, "https://elsewhere.example/") || !strings.Contains(secured, `call.Key(os.Getenv("CREDENTIAL_1"), to)`) {
		t.Errorf("%+v\n%s", far.Refusal, secured)
	}
	compiled(secured)
	compiled(far.Go)
	yes := true
	tool := &tools.Tool{Name: "x", Service: &wayfind.Service{}, Capability: &wayfind.Capability{
		Invocation: &wayfind.Invocation{Protocol: "mcp"}, Effects: &wayfind.Effects{ReadOnly: &yes},
		Auth: &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"cert\"`\n": {Kind: wayfind.SchemeMTLS}, "basic": {Kind: wayfind.SchemeHTTP, HTTPScheme: "Basic"}, "oauth": {Kind: wayfind.SchemeOAuth2}}},
	}}
	placed := []call.Placed{{Scheme: "cert\"`\n", Origin: "https://a.example", Proof: call.ProofPerson}, {Scheme: "basic", Origin: "https://a.example"}, {Scheme: "oauth", Origin: "https://a.example"}}
	whole, err := goCode("a.example", tool, `{}`, &call.Preview{Request: &call.Request{URL: "https://b.example/x?k=•••", Credentials: placed}, Reasons: []call.Reason{call.ReasonOtherSite}})
	if err != nil {
		t.Fatal(err)
	}
	compiled(whole)
	tool.Capability.Invocation.Protocol = "jsonrpc"
	if whole, err = goCode("a.example", tool, `{}`, &call.Preview{Request: &call.Request{URL: "https://a.example/"}}); err != nil {
		t.Fatal(err)
	}
	compiled(whole)
}
