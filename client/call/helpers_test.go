package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

// operation is one operation of a document of OpenAPI.
func operation(method, path, id, more string) string {
	return fmt.Sprintf(`%q: {%q: {"operationId": %q, "summary": "Does %s.", "responses": {"200": {"description": "ok"}}%s}}`, path, method, id, id, more)
}

const jsonBody = `, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"reason": {"type": "string"}, "amount": {"type": "number"}}, "required": ["reason"]}}}}`

// document is an OpenAPI document with operations; more are members of its root.
func document(more string, operations ...string) string {
	return `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}` + more + `, "paths": {` + strings.Join(operations, ", ") + `}}`
}

// seen is one request as a host got it.
type seen struct {
	host, method, target, body string
	header                     http.Header
}

// sniffer sees everything that reaches any host.
type sniffer struct {
	mu   sync.Mutex
	list []seen
}

// calls returns all requests except the requests of discovery.
func (s *sniffer) calls() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// watch answers and records calls below /api, and serves the pages for all other requests.
func (s *sniffer) watch(host string, pages clienttest.Pages, api http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := pages[r.URL.Path]; ok && r.Method == http.MethodGet {
			pages.ServeHTTP(w, r)
			return
		}
		if !strings.HasPrefix(r.URL.Path, "/api") {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.list = append(s.list, seen{host, r.Method, r.RequestURI, string(body), r.Header.Clone()})
		s.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		api(w, r)
	})
}

// shop is a world with one site, shop.example.
type shop struct {
	t      *testing.T
	net    *clienttest.Internet
	host   *clienttest.Host
	client *client.Client
	box    *tools.Box
	*sniffer
}

func okay(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"ok":true}`)
}

// newShop returns a shop that an OpenAPI document describes.
func newShop(t *testing.T, doc string, api http.HandlerFunc, change ...func(*client.Options)) *shop {
	t.Helper()
	s := &shop{t: t, net: clienttest.New(t), sniffer: &sniffer{}}
	if api == nil {
		api = okay
	}
	s.host = s.net.Host("shop.example", s.watch("shop.example", clienttest.Pages{"/openapi.json": doc, "/.well-known/ai-plugin.json": plugin}, api))
	s.client = s.net.Client(change...)
	s.load()
	return s
}

const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

// load reads the site again.
func (s *shop) load() {
	s.t.Helper()
	box, err := tools.Load(s.t.Context(), s.client, []string{"shop.example"}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if box.Len() == 0 {
		s.t.Fatalf("no tools: %+v", box.Skipped())
	}
	s.box = box
}

func (s *shop) caller(opts *call.Options) *call.Caller {
	s.t.Helper()
	c, err := call.New(s.client, opts)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// savedEffect is the effect of a tool in a saved Box.
var savedEffect = regexp.MustCompile(`"effect":\{[^{}]*\},|,"effect":\{[^{}]*\}`)

// edited returns a Box with a changed text in its table: the same tools with another
// definition.
func edited(t *testing.T, box *tools.Box, old, new string) *tools.Box {
	t.Helper()
	raw, err := box.Save()
	if err != nil || !strings.Contains(string(raw), old) {
		t.Fatalf("no %s in %s, %v", old, raw, err)
	}
	saved := savedEffect.ReplaceAllString(strings.ReplaceAll(string(raw), old, new), "") // it is derived again
	again, err := tools.Open([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// userKey is the context key of the user.
type userKey struct{}

// as returns the context of a user, for principal.
func as(t *testing.T, user string) context.Context {
	return context.WithValue(t.Context(), userKey{}, user)
}

// principal returns the user that as has set.
func principal(ctx context.Context) string {
	user, _ := ctx.Value(userKey{}).(string)
	return user
}

func bubble(t *testing.T, f func(*testing.T)) { t.Helper(); synctest.Test(t, f) }

// made is the zero Code, of a call that was made.
var made call.Code

// wantCode checks the code of an error and of its Result.
func wantCode(t *testing.T, res *call.Result, err error, want call.Code) {
	t.Helper()
	if res == nil {
		t.Fatalf("no result; %v", err)
	}
	e, _ := errors.AsType[*call.Error](err)
	switch {
	case want == made && err != nil:
		t.Errorf("%v; the model is told %q", err, res.Model.Text)
	case want != made && (e == nil || e.Code != want || res.Model.Code != want):
		t.Errorf("%v (%q), want %s", err, res.Model.Code, want)
	}
}

// wantReason checks an error by its code, and by words in its detail or its cause, because a
// refusal for another reason proves nothing.
func wantReason(t *testing.T, name string, res *call.Result, err error, want call.Code, words string) {
	t.Helper()
	wantCode(t, res, err, want)
	if want != made && (words == "" || !strings.Contains(fmt.Sprint(err), words)) {
		t.Errorf("%s: %v, want %q", name, err, words)
	}
}

// hooks counts the calls of a caller's hooks, by their names.
type hooks struct {
	mu    sync.Mutex
	times map[string]int
}

func (h *hooks) count(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.times == nil {
		h.times = map[string]int{}
	}
	h.times[name]++
}

// wantAsked checks that the named hooks were called, each as often as it is named, and no
// other hook.
func (h *hooks) wantAsked(t *testing.T, name string, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	times := map[string]int{}
	for _, hook := range want {
		times[hook]++
	}
	if !maps.Equal(h.times, times) {
		t.Errorf("%s: asked %v, want %v", name, h.times, times)
	}
	h.times = nil
}

// counted returns options whose hooks count and then call the hooks of given.
func (h *hooks) counted(given *call.Options) *call.Options {
	o := *given
	if f := given.Confirm; f != nil {
		o.Confirm = func(ctx context.Context, q *call.Question) (call.Answer, error) { h.count("confirm"); return f(ctx, q) }
	}
	if f := given.Credentials; f != nil {
		o.Credentials = func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			h.count("credentials")
			return f(ctx, q)
		}
	}
	if f := given.Approve; f != nil {
		o.Approve = func(ctx context.Context, q security.ApprovalRequest) error { h.count("approve"); return f(ctx, q) }
	}
	if f := given.Input; f != nil {
		o.Input = func(ctx context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
			h.count("input")
			return f(ctx, q)
		}
	}
	return &o
}

// yes agrees once, and counts.
type yes struct {
	mu      sync.Mutex
	asked   []*call.Question
	verdict call.Verdict
}

func (y *yes) confirm(_ context.Context, q *call.Question) (call.Answer, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.asked = append(y.asked, q)
	return call.Answer{Verdict: y.verdict}, nil
}

func (y *yes) count() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return len(y.asked)
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
