package inspect_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

// planted is a live token, in the form of its issuer.
const planted = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

// chatty serves a site whose answers have cookies and secrets in them.
func chatty(t *testing.T) *clienttest.Internet {
	t.Helper()
	internet := clienttest.New(t)
	host := internet.Host("shop.example", clienttest.Pages{place: manifest})
	host.Handle("/agents.md", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "sid=0123456789abcdef")
		w.Header().Set("X-Shop-Token", "short")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "There is no page here. token: "+planted+strings.Repeat(" x", 2000))
	}))
	host.Handle("/llms.txt", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "# Shop\n\n> <b>It sells things.</b>\n"+strings.Repeat("é", 4000))
		_ = z.Close()
	}))
	return internet
}

// exchangeOf returns the message of the newest exchange with a URL.
func exchangeOf(t *testing.T, i *inspect.Inspector, url string) *inspect.Message {
	t.Helper()
	p := part(t, i, client.EventExchange, url)
	return i.Message(p.ID, url)
}

func value(fields []inspect.Field, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

func TestEachRequestHasItsHeaderAndTheBeginningOfEachBody(t *testing.T) {
	i := inspector(t, chatty(t), nil)
	i.Ask(t.Context(), false)

	m := exchangeOf(t, i, "https://shop.example"+place)
	if m.Note != "" || m.Request.Method != "GET" || value(m.Request.Header, "User-Agent") == "" ||
		m.Status != "200 OK" || value(m.Header, "Content-Type") == "" || m.Body.Text != manifest || m.Body.Cut || m.Proto == "" || m.Remote == "" {
		t.Errorf("a document: %+v\n%+v", m, m.Request)
	}
	if want := "'https://shop.example" + place + "'"; !strings.HasPrefix(m.Curl, "curl ") || !strings.HasSuffix(m.Curl, want) || strings.Contains(m.Curl, "Accept-Encoding") {
		t.Errorf("curl: %s", m.Curl)
	}

	m = exchangeOf(t, i, "https://shop.example/agents.md")
	if m.Status != "404 Not Found" || value(m.Header, "Set-Cookie") != "REDACTED" || value(m.Header, "X-Shop-Token") != "REDACTED" {
		t.Errorf("a failed answer: %+v", m)
	}
	if m.Body == nil || !m.Body.Cut || len(m.Body.Text) != 1024 || strings.Contains(m.Body.Text, "ghp_") || !strings.HasPrefix(m.Body.Text, "There is no page here. token: [redacted: ") {
		t.Errorf("the body of a failed answer: %+v", m.Body)
	}

	m = exchangeOf(t, i, "https://shop.example/llms.txt")
	if value(m.Header, "Content-Encoding") != "gzip" || !strings.HasPrefix(m.Body.Text, "# Shop\n\n> <b>") || !m.Body.Cut || m.Body.Binary || strings.Contains(m.Body.Text, "\ufffd") {
		t.Errorf("a body in gzip: %+v", m)
	}
}

func TestAnAnswerFromAStoreHasItsStoredFields(t *testing.T) {
	internet := chatty(t)
	dir := t.TempDir()
	inspector(t, internet, openStore(t, dir)).Ask(t.Context(), false)
	watch, documents := inspect.NewWatch(), new(inspect.Documents)
	c := internet.Client(func(o *client.Options) {
		o.Observe, o.Store, o.Lab.Record = watch.Observe, openStore(t, dir), documents.Add
	})
	i, err := inspect.New(inspect.Options{Target: "shop.example", Client: c, Watch: watch, Documents: documents})
	if err != nil {
		t.Fatal(err)
	}
	i.Ask(t.Context(), false)
	m := i.Message(0, "https://shop.example"+place)
	if m.Request != nil || m.Status != "200 OK" || m.Body == nil || m.Body.Text != manifest || !strings.Contains(m.Note, "No request was needed") {
		t.Errorf("%+v", m)
	}
	raw, err := i.HAR()
	if err != nil || !bytes.Contains(raw, []byte(`"_fromCache": "disk"`)) || !bytes.Contains(raw, []byte(`"beforeRequest"`)) {
		t.Errorf("the HAR file of stored answers: %v\n%.2000s", err, raw)
	}
	if m := i.Message(0, "https://shop.example/nothing"); m.Note == "" || m.Status != "" {
		t.Errorf("a place without an answer: %+v", m)
	}
	if m := i.Message(1_000, ""); m.Note == "" || m.Request != nil {
		t.Errorf("a part that does not exist: %+v", m)
	}
}

// required are the members that HAR 1.2 demands, by the place of the object.
var required = map[string][]string{
	"log":                                 {"version", "creator", "entries"},
	"log.creator":                         {"name", "version"},
	"log.pages[]":                         {"startedDateTime", "id", "title", "pageTimings"},
	"log.entries[]":                       {"startedDateTime", "time", "request", "response", "cache", "timings"},
	"log.entries[].request":               {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"},
	"log.entries[].response":              {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"},
	"log.entries[].timings":               {"send", "wait", "receive"},
	"log.entries[].response.content":      {"size", "mimeType"},
	"log.entries[].request.headers[]":     {"name", "value"},
	"log.entries[].response.headers[]":    {"name", "value"},
	"log.entries[].request.postData":      {"mimeType"},
	"log.entries[].cache.beforeRequest":   {"lastAccess", "eTag", "hitCount"},
	"log.entries[].request.queryString[]": {"name", "value"},
}

// checkHAR reports the members that HAR 1.2 demands and that a file lacks.
func checkHAR(t *testing.T, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			checkHAR(t, at+"[]", item)
		}
	case map[string]any:
		for _, name := range required[at] {
			if _, there := v[name]; !there {
				t.Errorf("%s has no %s: %v", at, name, v)
			}
		}
		for name, member := range v {
			checkHAR(t, strings.TrimPrefix(at+"."+name, "."), member)
		}
	}
}

func TestAHARFileIsWrittenAndReadAgain(t *testing.T) {
	i := inspector(t, chatty(t), nil)
	i.Ask(t.Context(), false)
	raw, err := i.HAR()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte("ghp_")) || bytes.Contains(raw, []byte("0123456789abcdef")) {
		t.Errorf("a secret is in %s", raw)
	}
	var file map[string]any
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	checkHAR(t, "", file)
	entries := file["log"].(map[string]any)["entries"].([]any)
	if n := len(parts(i, client.EventExchange)); len(entries) != n || n == 0 {
		t.Errorf("%d entries of %d exchanges", len(entries), n)
	}
	for _, e := range entries {
		e := e.(map[string]any)
		sum := 0.0
		for name, ms := range e["timings"].(map[string]any) {
			if name != "ssl" {
				sum += max(ms.(float64), 0)
			}
		}
		if took := e["time"].(float64); took < 0 || took-sum > 0.001 || sum-took > 0.001 {
			t.Errorf("the time %v is not the sum %v of the timings", took, sum)
		}
	}

	watch, err := inspect.ReadHAR(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := inspect.New(inspect.Options{Target: "wayfind.har", Log: true, Watch: watch})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"https://shop.example" + place, "https://shop.example/agents.md", "https://shop.example/llms.txt"} {
		was, is := exchangeOf(t, i, url), exchangeOf(t, again, url)
		if was.Status != is.Status || was.Curl != is.Curl || was.Body.Text != is.Body.Text || was.Body.Cut != is.Body.Cut || was.Proto != is.Proto || fmt.Sprint(was.Header) != fmt.Sprint(is.Header) {
			t.Errorf("%s: %+v\nis read as %+v", url, was, is)
		}
	}
	second, err := again.HAR()
	if err != nil {
		t.Fatal(err)
	}
	checkHAR(t, "", second)
	if err := again.Ask(t.Context(), true); err == nil {
		t.Error("a log was asked")
	}
}

func TestAHARFileOfABrowserLosesItsSecrets(t *testing.T) {
	const foreign = `{"log":{"version":"1.2","creator":{"name":"Browser","version":"1"},"pages":[{"startedDateTime":"2026-01-02T15:04:05.000+02:00","id":"page_1","title":"https://shop.example/","pageTimings":{}}],"entries":[
	{"pageref":"page_1","startedDateTime":"2026-01-02T13:04:05.100Z","time":12.5,"request":{"method":"POST","url":"https://user:pw@shop.example/login?access_token=abc","httpVersion":"h2","cookies":[{"name":"sid","value":"cookie-value"}],
	 "headers":[{"name":":authority","value":"shop.example"},{"name":"authorization","value":"Bearer credential-1"},{"name":"cookie","value":"sid=cookie-value"},{"name":"accept","value":"*/*"}],"queryString":[],"headersSize":-1,"bodySize":5,
	 "postData":{"mimeType":"application/x-www-form-urlencoded","text":"user=me&password=hunter2"}},
	 "response":{"status":302,"statusText":"","httpVersion":"h2","cookies":[],"headers":[{"name":"set-cookie","value":"sid=other-cookie"},{"name":"content-type","value":"application/json"}],
	 "content":{"size":60,"mimeType":"application/json","text":"eyJwYXNzd29yZCI6Imh1bnRlcjMiLCJlY2hvIjoiY3JlZGVudGlhbC0xIn0=","encoding":"base64"},"redirectURL":"/next","headersSize":-1,"bodySize":60},
	 "cache":{},"timings":{"blocked":1,"dns":-1,"connect":-1,"send":0.5,"wait":10,"receive":1,"ssl":-1},"_initiator":{"type":"other"}},
	{"startedDateTime":"2026-01-02T13:04:05.200Z","time":0,"request":{"method":"GET","url":"https://shop.example/next","httpVersion":"","cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},
	 "response":{"status":0,"statusText":"","httpVersion":"","cookies":[],"headers":[],"content":{"size":0,"mimeType":"x-unknown"},"redirectURL":"","headersSize":-1,"bodySize":-1,"_error":"net::ERR_FAILED"},"cache":{},"timings":{"send":0,"wait":0,"receive":0}}]}}`
	watch, err := inspect.ReadHAR([]byte(foreign))
	if err != nil {
		t.Fatal(err)
	}
	i, err := inspect.New(inspect.Options{Target: "x.har", Log: true, Watch: watch})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := i.HAR()
	if err != nil {
		t.Fatal(err)
	}
	all, _, _ := watch.Since(0)
	var told strings.Builder
	fmt.Fprintf(&told, "%+v %s", all, raw)
	for _, p := range all {
		m, _ := json.Marshal(i.Message(p.ID, ""))
		told.WriteString(string(m))
	}
	for _, secret := range []string{"abc", "credential-1", "cookie-value", "other-cookie", "hunter2", "hunter3", "user:pw"} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("%q is shown in %s", secret, told.String())
		}
	}
	if p := part(t, i, client.EventRequest, "https://shop.example/next"); p.RedirectedFrom == "" || p.Error != "net::ERR_FAILED" {
		t.Errorf("the redirect: %+v", p)
	}
	for name, text := range map[string]string{"no JSON": "x", "no log": `{"a":1}`, "another version": `{"log":{"version":"2.0","entries":[]}}`, "no entry": `{"log":{"version":"1.2","entries":[]}}`} {
		if _, err := inspect.ReadHAR([]byte(text)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
