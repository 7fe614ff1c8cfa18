package chromium

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shop is a site of a test. It records its calls.
type shop struct {
	// flags are the flags with which the command finds the site as example.com.
	flags []string

	mu       sync.Mutex
	calls    []request
	document string
}

// serve replaces the served document.
func (s *shop) serve(document string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.document = document
}

type request struct {
	Line, Body string
	Header     http.Header
}

const shopPlugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://example.com/openapi.json"},
	"logo_url": "https://example.com/logo.png", "contact_email": "a@example.com", "legal_info_url": "https://example.com/legal"}`

// openShop serves an OpenAPI document, and answers below /api/.
func openShop(t *testing.T, document string, api http.HandlerFunc) *shop {
	t.Helper()
	s := &shop{document: document}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/.well-known/ai-plugin.json":
			_, _ = io.WriteString(w, shopPlugin)
		case r.URL.Path == "/openapi.json":
			s.mu.Lock()
			defer s.mu.Unlock()
			_, _ = io.WriteString(w, s.document)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			body, _ := io.ReadAll(r.Body)
			s.mu.Lock()
			s.calls = append(s.calls, request{r.Method + " " + r.URL.RequestURI(), string(body), r.Header})
			s.mu.Unlock()
			api(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s.flags = []string{"example.com", "--cacert", authority, "--allow-cidr", "127.0.0.0/8", "--connect-to", "example.com:443:" + server.Listener.Addr().String()}
	return s
}

// made returns the calls so far.
func (s *shop) made() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.calls...)
}

// done answers any call.
func done(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"done": true}`) }

// api returns a document with operations. Each operation is "method path id more".
func api(more string, operations ...string) string {
	return `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://example.com"}]` + more + `, "paths": {` + strings.Join(operations, ",") + `}}`
}

func operation(method, path, id, more string) string {
	return fmt.Sprintf(`%q: {%q: {"operationId": %q, "description": "Does %s.", "responses": {"200": {"description": "ok"}}%s}}`, path, method, id, id, more)
}

// takes returns a member with the schema of a body.
func takes(schema string) string {
	return `, "requestBody": {"required": true, "content": {"application/json": {"schema": ` + schema + `}}}`
}

const features = `{"type": "object", "required": ["text", "count", "address", "way"], "properties": {
	"text": {"type": "string", "description": "Any words.", "maxLength": 20},
	"size": {"enum": ["S", "M", 3]},
	"count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
	"price": {"type": "number"},
	"gift": {"type": "boolean"},
	"maybe": {"type": ["string", "null"]},
	"address": {"type": "object", "required": ["street"], "properties": {"street": {"type": "string"}, "city": {"type": "string", "default": "Rome"}}},
	"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
	"lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
	"way": {"oneOf": [
		{"title": "By card", "type": "object", "required": ["kind", "number"], "properties": {"kind": {"const": "card"}, "number": {"type": "string"}}},
		{"title": "In cash", "type": "object", "required": ["kind"], "properties": {"kind": {"const": "cash"}, "coins": {"type": "integer"}}}]},
	"notes": {"type": "object", "additionalProperties": {"type": "integer"}}}}`

const lines = `, "components": {"schemas": {"Line": {"type": "object", "required": ["item"], "properties": {"item": {"type": "string"}}}}}`

// called opens the view Call.
func called(t *testing.T, flags ...string) (ctx context.Context) {
	t.Helper()
	ctx = tab(t, inspect(t, flags...))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("4"))
	shows(t, ctx, "#about[data-tool]", "Capability")
	return ctx
}

// arguments returns the content of the JSON editor.
func arguments(t *testing.T, ctx context.Context) string {
	t.Helper()
	return value[string](t, ctx, `document.querySelector("#arguments").value`)
}

// sameJSON reports whether two texts contain the same value.
func sameJSON(t *testing.T, got, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Errorf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}

// pick chooses an option of a select by its text.
func pick(t *testing.T, ctx context.Context, selector, text string) {
	t.Helper()
	found := value[bool](t, ctx, fmt.Sprintf(`(() => {
		const field = document.querySelector(%q);
		const option = [...field?.options ?? []].find((o) => o.text === %q || o.text.endsWith(": " + %q));
		if (!option) return false;
		field.focus();
		field.value = option.value;
		field.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`, selector, text, text))
	if !found {
		t.Fatalf("%s has no option %q", selector, text)
	}
}

// pickTool chooses a tool, and waits for its form.
func pickTool(t *testing.T, ctx context.Context, tool string) {
	t.Helper()
	value[any](t, ctx, `document.querySelector("#about").removeAttribute("data-tool")`)
	pick(t, ctx, "#tool", tool)
	shows(t, ctx, `#about[data-tool="`+tool+`"]`, "Authentication")
}

// Each feature of a schema has a control, and the form and its JSON text agree.
func TestFormOfEachFeature(t *testing.T) {
	s := openShop(t, api(lines, operation("post", "/api/all", "all", takes(features))), done)
	ctx := called(t, s.flags...)
	if got := arguments(t, ctx); !sameJSON(t, got, `{"count": 2, "address": {}, "way": {"kind": "card"}}`) {
		t.Errorf("the form begins with %s", got)
	}
	shows(t, ctx, "#form", "Any words.")
	shows(t, ctx, "#form", "whole number, required, 1 to 9, default 2")
	type_ := func(id, text string) { do(t, ctx, chromedp.SendKeys(`[id="arg/`+id+`"]`, text)) }
	click := func(id string) { do(t, ctx, chromedp.Click(`[id="arg/`+id+`"]`)) }
	type_("text", "two words")
	pick(t, ctx, `[id="arg/size"]`, "3")
	type_("count", kb.Backspace+"7")
	type_("price", "12345678901234567890.25")
	pick(t, ctx, `[id="arg/gift"]`, "true")
	click("maybe-add")
	type_("maybe", "yes")
	type_("address/street", "Via Roma")
	type_("address/city", "Turin")
	click("tags-add")
	click("tags-add-item")
	type_("tags/0", "new")
	click("tags-add-item")
	type_("tags/1", "red")
	if value[bool](t, ctx, `document.getElementById("arg/tags-add-item") !== null`) {
		t.Error("a full list takes another item")
	}
	click("lines-add")
	click("lines-add-item")
	type_("lines/0/item", "lamp")
	pick(t, ctx, `[id="arg/way-form"]`, "In cash")
	type_("way/coins", "3")
	click("notes-add")
	type_("notes-another", "a/b~c")
	do(t, ctx, chromedp.Click(`[id="arg/notes-another"] + button`))
	type_("notes/a~1b~0c", kb.Backspace+"5")
	picture(t, ctx, "form")
	want := `{"text": "two words", "size": 3, "count": 7, "price": 12345678901234567890.25, "gift": true, "maybe": "yes", "address": {"street": "Via Roma", "city": "Turin"},
		"tags": ["new", "red"], "lines": [{"item": "lamp"}], "way": {"kind": "cash", "coins": 3}, "notes": {"a/b~c": 5}}`
	if got := arguments(t, ctx); !sameJSON(t, got, want) || !strings.Contains(got, "12345678901234567890.25") {
		t.Errorf("the form says %s", got)
	}
	do(t, ctx, chromedp.SetValue("#arguments", `{"text": "", "count": 1, "address": {"street": "s"}, "way": {"kind": "card", "number": "1"}, "tags": ["x"], "more": [1]}`),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#arguments").dispatchEvent(new Event("input"))`))
	for id, want := range map[string]string{"address/street": "s", "way/number": "1", "tags/0": "x", "count": "1"} {
		if got := value[string](t, ctx, fmt.Sprintf(`document.getElementById("arg/%s")?.value ?? "none"`, id)); got != want {
			t.Errorf("after an edit of the JSON, the form has %q at %s, want %q", got, id, want)
		}
	}
	click("tags-remove")
	if got := arguments(t, ctx); strings.Contains(got, "tags") || !strings.Contains(got, "more") {
		t.Errorf("after a list was removed: %s", got)
	}
	do(t, ctx, chromedp.SendKeys("#arguments", "}"))
	shows(t, ctx, "#arguments-error", "JSON")
}

// A call is previewed, confirmed in a dialog, made once, and shown as the model sees it.
func TestCall(t *testing.T) {
	s := openShop(t, api("", operation("post", "/api/order", "order", takes(`{"type": "object", "required": ["what"], "properties": {"what": {"type": "string"}}}`))), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Own", "<b>\u202e")
		_, _ = io.WriteString(w, `{"order": "<img src=x onerror=alert(1)>"}`)
	})
	ctx := called(t, s.flags...)
	do(t, ctx, chromedp.SendKeys(`[id="arg/what"]`, "lamp"), chromedp.Click("#preview"))
	shows(t, ctx, "#line", "POST https://example.com/api/order")
	shows(t, ctx, "#decision", "it changes something")
	shows(t, ctx, "#request", `{"what":"lamp"}`)
	do(t, ctx, chromedp.Click("#copies summary"))
	shows(t, ctx, "#curl", "curl --globoff")
	shows(t, ctx, "#go", `caller.Call(ctx, box, "order"`)
	pick(t, ctx, "#call-vendor", "anthropic")
	shows(t, ctx, "#vendor-call", `"tool_use"`)
	picture(t, ctx, "preview")
	do(t, ctx, chromedp.Click("#send"))
	shows(t, ctx, "#confirm[open]", "Send this request?")
	picture(t, ctx, "confirm")
	if focus := value[string](t, ctx, `document.activeElement.id`); focus != "confirm-no" {
		t.Errorf("the dialog begins at %q", focus)
	}
	do(t, ctx, chromedp.Click("#confirm-no"))
	if made := s.made(); len(made) != 0 {
		t.Fatalf("without a yes, %v was sent", made)
	}
	do(t, ctx, chromedp.Click("#send"), chromedp.Click("#confirm-yes"))
	shows(t, ctx, "#outcome h2", "The call was made")
	shows(t, ctx, "#prompt", "onerror")
	shows(t, ctx, "#came", "200 OK")
	shows(t, ctx, "#came", `<b>\u202e`)
	picture(t, ctx, "result")
	made := s.made()
	if len(made) != 1 || made[0].Line != "POST /api/order" || made[0].Body != `{"what":"lamp"}` {
		t.Errorf("sent %+v", made)
	}
	do(t, ctx, chromedp.Click("#send"), chromedp.Click("#confirm-yes"))
	shows(t, ctx, "#outcome h2", "confirmation required")
	shows(t, ctx, "#cause", "the ticket was used")
	do(t, ctx, chromedp.SendKeys(`[id="arg/what"]`, "s"))
	shows(t, ctx, "#request", "The arguments have changed")
	if len(s.made()) != 1 {
		t.Errorf("sent %+v", s.made())
	}
}

// A call that only reads is sent without a question. For a call that is refused the page shows
// the reason.
func TestCallsWithoutAQuestionAndRefused(t *testing.T) {
	s := openShop(t, api(`, "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}`,
		operation("get", "/api/read", "a_read", `, "parameters": [{"name": "n", "in": "query", "required": true, "schema": {"type": "integer"}}]`),
		operation("get", "/api/far", "b_far", `, "servers": [{"url": "https://elsewhere.example"}]`),
		operation("get", "/api/key", "c_key", `, "security": [{"key": []}]`)), done)
	ctx := called(t, s.flags...)
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#request h2", "invalid arguments")
	shows(t, ctx, "#cause", "want the property n")
	do(t, ctx, chromedp.SendKeys(`[id="arg/n"]`, "5"), chromedp.Click("#preview"))
	shows(t, ctx, "#decision", "without a question")
	do(t, ctx, chromedp.Click("#send"))
	shows(t, ctx, "#outcome h2", "The call was made")
	if made := s.made(); len(made) != 1 || made[0].Line != "GET /api/read?n=5" {
		t.Errorf("sent %+v", made)
	}
	pickTool(t, ctx, "b_far")
	shows(t, ctx, "#about", "elsewhere.example")
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#request h2", "refused")
	shows(t, ctx, "#cause", "--approve elsewhere.example:call")
	pickTool(t, ctx, "c_key")
	shows(t, ctx, "#about", "--credential key=env:NAME")
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#request h2", "credential missing")
	shows(t, ctx, "#request", "•••")
	shows(t, ctx, "#request", "without the credential it is not sent")
}

// A credential of the command line is shown as dots, before and after the call.
func TestCallWithACredential(t *testing.T) {
	s := openShop(t, api(`, "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}`,
		operation("get", "/api/key", "secured", `, "security": [{"key": []}]`)), func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"yours": %q}`, r.Header.Get("X-Key"))
	})
	t.Setenv("SHOP_KEY", "s3cret-of-the-shop")
	ctx := called(t, append(s.flags, "--credential", "key=env:SHOP_KEY")...)
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#request", "•••")
	shows(t, ctx, "#decision", "it sends a credential where none was sent before")
	do(t, ctx, chromedp.Click("#send"), chromedp.Click("#confirm-yes"))
	shows(t, ctx, "#came", `{"yours": "•••"}`)
	if made := s.made(); len(made) != 1 || made[0].Header.Get("X-Key") != "s3cret-of-the-shop" {
		t.Errorf("sent %+v", made)
	}
	if value[bool](t, ctx, `document.documentElement.innerText.includes("s3cret")`) {
		t.Error("the page shows the credential")
	}
}

// The whole call is made with the keyboard.
func TestCallByKeys(t *testing.T) {
	s := openShop(t, api("", operation("post", "/api/order", "order", takes(`{"type": "object", "required": ["what"], "properties": {"what": {"type": "string"}}}`))), done)
	ctx := called(t, s.flags...)
	tabTo := func(id string) {
		t.Helper()
		for range 24 { // a document with more levels is refused
			if value[string](t, ctx, `document.activeElement.id`) == id {
				return
			}
			do(t, ctx, chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("the key Tab does not lead to %s", id)
	}
	tabTo("arg/what")
	do(t, ctx, chromedp.KeyEvent("lamp"))
	tabTo("preview")
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	shows(t, ctx, "#line", "POST")
	tabTo("send")
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	shows(t, ctx, "#confirm[open]", "Send this request?")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	if len(s.made()) != 0 {
		t.Fatal("Escape has sent the request")
	}
	tabTo("send")
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	tabTo("confirm-yes")
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	shows(t, ctx, "#outcome h2", "The call was made")
	if made := s.made(); len(made) != 1 || made[0].Body != `{"what":"lamp"}` {
		t.Errorf("sent %+v", made)
	}
}

// The page waits for work that continues after the call.
func TestCallThatGoesOn(t *testing.T) {
	s := openShop(t, api("", operation("post", "/api/long", "long", "")), func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Location", "https://example.com/api/state")
			w.WriteHeader(http.StatusAccepted)
			return
		}
		_, _ = io.WriteString(w, `{"status": "finished at last"}`)
	})
	ctx := called(t, s.flags...)
	do(t, ctx, chromedp.Click("#preview"))
	do(t, ctx, chromedp.Click("#send"), chromedp.Click("#confirm-yes"))
	shows(t, ctx, "#outcome", "The work goes on.")
	do(t, ctx, chromedp.Click("#wait"))
	shows(t, ctx, "#came", "finished at last")
}

// A hostile schema has no effect on the page, which remains responsive.
func TestHostileSchema(t *testing.T) {
	var many strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&many, `"p%d": {"type": "null"}, `, n)
	}
	deep := `{"type": "string"}`
	for range 24 { // a document with more levels is refused
		deep = `{"type": "object", "required": ["a"], "properties": {"a": ` + deep + `}}`
	}
	names := `{"type": "object", "required": ["__proto__", "<img src=x onerror=alert(1)>"], "properties": {
		"__proto__": {"type": "object", "required": ["polluted"], "properties": {"polluted": {"type": "string", "default": "yes"}}},
		"constructor": {"type": "string"}, "view": {"type": "string"}, "": {"type": "string"}, "a/b~c%41": {"type": "string"},
		"<img src=x onerror=alert(1)>": {"type": "string", "description": "</textarea><script>alert(2)</script>\u202e", "default": "<script>alert(3)</script>"},
		"choice": {"enum": ["</option><script>alert(4)</script>", {"__proto__": 1}, null]},
		"style": {"type": "array", "items": {"type": "string", "title": "\"><svg onload=alert(5)>"}}}}`
	s := openShop(t, api("",
		operation("post", "/api/many", "a_many", takes(`{"type": "object", "properties": {`+strings.TrimSuffix(many.String(), ", ")+`}}`)),
		operation("post", "/api/deep", "b_deep", takes(deep)),
		operation("post", "/api/names", "c_names", takes(names))), done)
	ctx := tab(t, inspect(t, s.flags...))
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`window.alert = () => { throw new Error("a script of the site runs") }`))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("4"))
	shows(t, ctx, "#view", "Preview the request")
	tools := value[[]string](t, ctx, `[...document.querySelector("#tool").options].map((o) => o.value)`)
	t.Logf("tools %q", tools)
	for _, tool := range tools {
		pickTool(t, ctx, tool)
		if n := value[int](t, ctx, `document.querySelectorAll("#view *").length`); n > 3000 {
			t.Errorf("%s: %d elements", tool, n)
		}
		do(t, ctx, chromedp.Click("#preview"))
		shows(t, ctx, "#request h2", "request")
	}
	if got := value[string](t, ctx, `String({}.polluted) + document.querySelectorAll("#view img, #view script, #view svg, #view [onerror]").length`); got != "undefined0" {
		t.Errorf("the page was changed: %s", got)
	}
	if got := arguments(t, ctx); !strings.Contains(got, `"__proto__"`) || !strings.Contains(got, "polluted") {
		t.Errorf("arguments %s", got)
	}
	do(t, ctx, chromedp.SetValue("#arguments", strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#arguments").dispatchEvent(new Event("input"))`))
	shows(t, ctx, "#tool option", "c_names")
}

// A window that is 400 pixels wide shows a form, a request, the question and a result without
// horizontal scrolling.
func TestCallIsNarrow(t *testing.T) {
	s := openShop(t, api(lines, operation("post", "/api/all", "all", takes(features))), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("long", 100))
		_, _ = io.WriteString(w, `{"long": "`+strings.Repeat("long", 1000)+`"}`)
	})
	ctx := tab(t, inspect(t, s.flags...))
	do(t, ctx, chromedp.EmulateViewport(400, 800))
	shows(t, ctx, "#state", "answered")
	narrow := func(state string) {
		t.Helper()
		if wide := value[int](t, ctx, `document.documentElement.scrollWidth`); wide > 400 {
			t.Errorf("%s is %d pixels wide", state, wide)
		}
	}
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, "#tools-sum", "token")
	do(t, ctx, chromedp.SendKeys("#query", "all"+kb.Enter))
	shows(t, ctx, "#choice", "Kept")
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true })`))
	shows(t, ctx, "#vendors", "bedrock")
	picture(t, ctx, "tools-narrow")
	narrow("the view Tools")
	do(t, ctx, chromedp.Click("#to-call"))
	shows(t, ctx, "#about", "Capability")
	do(t, ctx, chromedp.SetValue("#arguments", `{"text": "t", "count": 1, "address": {"street": "s"}, "way": {"kind": "card", "number": "1"}, "lines": [{"item": "x"}]}`),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#arguments").dispatchEvent(new Event("input"))`), chromedp.Click("#preview"))
	shows(t, ctx, "#line", "POST")
	narrow("the request")
	do(t, ctx, chromedp.Click("#send"))
	narrow("the question")
	do(t, ctx, chromedp.Click("#confirm-yes"))
	shows(t, ctx, "#outcome h2", "The call was made")
	picture(t, ctx, "call-narrow")
	narrow("the result")
}

// The tools of the demo's sites have forms and previews, in each protocol.
func TestCallsOfTheDemo(t *testing.T) {
	for _, test := range []struct{ site, tool, arguments, shows string }{
		{"ledger.example", "balance", `{"account": "7"}`, "jsonrpc"},
		{"bookings.example", "book_table", `{}`, ""},
		{"translate.example", "Translator", `{"message": "hello"}`, "hello"},
		{"everything.example", "order_product", `{}`, ""},
	} {
		ctx := called(t, test.site)
		pickTool(t, ctx, test.tool)
		do(t, ctx, chromedp.SetValue("#arguments", test.arguments),
			chromedp.Evaluate[chromedp.Void](`document.querySelector("#arguments").dispatchEvent(new Event("input"))`), chromedp.Click("#preview"))
		shows(t, ctx, "#request h2", "request")
		t.Logf("%s: %s", test.tool, value[string](t, ctx, `document.querySelector("#request").innerText`))
	}
}

// A tool of a live MCP server is called.
func TestCallOfMCP(t *testing.T) {
	ctx := called(t, "assistant.example", "--live")
	pickTool(t, ctx, "find_books")
	shows(t, ctx, "#about", "find_books")
	do(t, ctx, chromedp.SendKeys(`[id="arg/query"]`, "tides"), chromedp.Click("#preview"))
	shows(t, ctx, "#decision", "nothing bears that out")
	do(t, ctx, chromedp.Click("#send"), chromedp.Click("#confirm-yes"))
	shows(t, ctx, "#prompt", "Tides and Currents")
}
