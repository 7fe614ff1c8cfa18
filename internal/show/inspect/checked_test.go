package inspect

import (
	"context"
	"crypto/rand"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

const (
	launch = "QWERTYUIOPASDFGHJKLZXCVBNM"
	home   = "127.0.0.1:4711"
)

// attack is a request that must not get in. The checks in by are those that stop it: with
// these switched off, it hits.
type attack struct {
	name   string
	method string // GET
	path   string // of the page, with the token
	host   string // home
	header http.Header
	by     []string
}

func (a attack) request() *http.Request {
	r := httptest.NewRequest(orElse(a.method, http.MethodGet), "http://"+home+"/", strings.NewReader(`{"refresh":true}`))
	r.Host = orElse(a.host, home)
	if a.host == "(none)" {
		r.Host = ""
	}
	u, err := url.Parse("http://" + home + orElse(a.path, "/"+launch+"/ask"))
	if err != nil {
		panic(err)
	}
	r.URL.Path, r.URL.RawPath, r.URL.RawQuery = u.Path, u.RawPath, u.RawQuery
	r.Header = a.header.Clone()
	return r
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func field(pairs ...string) http.Header {
	h := http.Header{}
	for n := 0; n < len(pairs); n += 2 {
		h.Add(pairs[n], pairs[n+1])
	}
	return h
}

func attacks() []attack {
	list := []attack{
		{name: "rebinding with an Origin", host: "evil.example:4711", header: field("Origin", "http://evil.example:4711"), by: []string{"host"}},
		{name: "rebinding without an Origin", host: "evil.example:4711", by: []string{"host"}},
		{name: "rebinding, from the page itself", host: "evil.example:4711", header: field("Sec-Fetch-Site", "same-origin"), by: []string{"host"}},
		{name: "a script of another page, with its Origin", header: field("Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"), by: []string{"origin", "site"}},
		{name: "a script of another page in an old browser", header: field("Origin", "https://evil.example"), by: []string{"origin"}},
		{name: "a form of another page", method: http.MethodPost, header: field("Origin", "https://evil.example", "Content-Type", "application/x-www-form-urlencoded"), by: []string{"origin"}},
		{name: "a form of a page without an origin", method: http.MethodPost, header: field("Origin", "null", "Content-Type", "text/plain"), by: []string{"origin"}},
		{name: "a page of another port", header: field("Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-site"), by: []string{"origin", "site"}},
		{name: "the same host with TLS", header: field("Origin", "https://"+home), by: []string{"origin"}},
		{name: "an Origin that begins like ours", header: field("Origin", "http://"+home+".evil.example"), by: []string{"origin"}},
		{name: "an Origin with a user", header: field("Origin", "http://evil@"+home), by: []string{"origin"}},
		{name: "two Origins", header: field("Origin", "http://"+home, "Origin", "https://evil.example"), by: []string{"origin"}},
		{name: "an empty Origin", header: field("Origin", ""), by: []string{"origin"}},
		{name: "a script element, an image, a frame, a link of another page", header: field("Sec-Fetch-Site", "cross-site"), by: []string{"site"}},
		{name: "the same of a page of another port", header: field("Sec-Fetch-Site", "same-site"), by: []string{"site"}},
		{name: "two words about the site", header: field("Sec-Fetch-Site", "none", "Sec-Fetch-Site", "cross-site"), by: []string{"site"}},
		{name: "a path that leads to a redirect", path: "/" + launch + "//evil.example/..", by: []string{"path"}},
		{name: "an escaped path that leads to a redirect", path: "/" + launch + "/%2e%2e/%2F%2Fevil.example", by: []string{"path"}},
	}
	for _, host := range []string{"(none)", "0.0.0.0:4711", "[::]:4711", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:127.0.0.1", "127.0.0.1@evil.example",
		"2130706433:4711", "0x7f.1:4711", "127.1:4711", "192.168.0.5:4711", "[fe80::1]:4711", "localhost.:4711", "[::ffff:192.168.0.5]:4711", "]127.0.0.1[", "127.0.0.1:x", "localhost:", " localhost"} {
		list = append(list, attack{name: "the host " + host, host: host, by: []string{"host"}})
	}
	return append(list, guesses()...)
}

// guesses are requests without the token in their path.
func guesses() []attack {
	var list []attack
	for name, path := range map[string]string{
		"no token": "/ask", "the root": "/", "an empty token": "//ask", "a token alone": "/" + launch, "another token": "/" + rand.Text() + "/ask",
		"a token in small letters": "/" + strings.ToLower(launch) + "/ask", "half a token": "/" + launch[:13] + "/ask", "a longer token": "/" + launch + "A/ask",
		"a token in the query": "/ask?token=" + launch, "a token deeper": "/x/" + launch + "/ask",
	} {
		list = append(list, attack{name: name, path: path, by: []string{"token", "path"}})
	}
	return append(list,
		attack{name: "a token in a cookie", path: "/ask", header: field("Cookie", "token="+launch), by: []string{"token"}},
		attack{name: "a token in a header", path: "/ask", header: field("Authorization", "Bearer "+launch, "X-Token", launch), by: []string{"token"}},
		attack{name: "a token in the Referer", path: "/ask", header: field("Referer", "http://"+home+"/"+launch+"/"), by: []string{"token"}})
}

// reached counts the requests that get past the checks.
func reached(without []string, a attack) (hits int, answer *http.Response) {
	all := slices.DeleteFunc(checks(launch), func(c check) bool { return slices.Contains(without, c.name) })
	w := httptest.NewRecorder()
	checked(launch, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { hits++ }), all).ServeHTTP(w, a.request())
	return hits, w.Result()
}

func TestDoorRefuses(t *testing.T) {
	_, first := reached(nil, attack{path: "/"})
	for _, a := range attacks() {
		hits, got := reached(nil, a)
		body, _ := io.ReadAll(got.Body)
		if hits != 0 || got.StatusCode != http.StatusForbidden || len(body) != 0 {
			t.Errorf("%s: %d hits, status %d, %d bytes", a.name, hits, got.StatusCode, len(body))
		}
		for name := range got.Header {
			if !slices.Equal(got.Header[name], first.Header[name]) || len(got.Header) != len(first.Header) {
				t.Errorf("%s: the answer tells more than another: %s: %q", a.name, name, got.Header[name])
			}
		}
		if hits, _ := reached(a.by, a); hits != 1 {
			t.Errorf("%s: without the checks %q it hits %d times, so this test shows nothing", a.name, a.by, hits)
		}
		for _, c := range checks(launch) {
			if slices.Contains(a.by, c.name) {
				continue
			}
			if hits, _ := reached([]string{c.name}, a); hits != 0 {
				t.Errorf("%s hits without the check %q alone, which is not among those that stop it", a.name, c.name)
			}
		}
	}
}

func TestDoorLetsIn(t *testing.T) {
	for _, host := range []string{home, "localhost:4711", "[::1]:4711", "127.0.0.1", "[::1]", "127.0.0.5:80"} {
		for name, header := range map[string]http.Header{
			"a program": {}, "the page": field("Origin", "http://"+host, "Sec-Fetch-Site", "same-origin"), "the user": field("Sec-Fetch-Site", "none"),
			"a GET of the page": field("Sec-Fetch-Site", "same-origin"),
		} {
			for _, path := range []string{"/" + launch + "/", "/" + launch + "/app/app.js", "/" + launch + "/waterfall?x=//"} {
				if hits, _ := reached(nil, attack{host: host, header: header, path: path}); hits != 1 {
					t.Errorf("%s at %s is refused %s", name, host, path)
				}
			}
		}
	}
}

// serve serves an Inspector of a site, and returns the address of its page and the
// number of requests that the site got.
func serve(t *testing.T) (address string, asked func() int) {
	t.Helper()
	address, _, asked = serveTo(t)
	return address, asked
}

// serveTo is serve, with the address for the command line of a browser.
func serveTo(t *testing.T, change ...func(*Options)) (address, once string, asked func() int) {
	t.Helper()
	internet := clienttest.New(t)
	site := internet.Host("shop.example", clienttest.Pages{})
	watch := NewWatch()
	c := internet.Client(func(o *client.Options) { o.Observe = watch.Observe })
	o := Options{Target: "shop.example", Client: c, Watch: watch, Documents: new(Documents)}
	for _, f := range change {
		f(&o)
	}
	i, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan string, 2), make(chan error, 1)
	go func() { done <- i.Serve(ctx, 0, func(address, once string) { ready <- address; ready <- once }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return <-ready, <-ready, func() int { return len(site.Requests()) }
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send sends a request as a program that is no browser, and returns the answer and its
// text.
func send(t *testing.T, method, address, kind, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := noRedirects.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// The address on a browser's command line leads to the page once, and only those whom
// the page would let in.
func TestTicket(t *testing.T) {
	var twice atomic.Int32
	address, once, _ := serveTo(t, func(o *Options) { o.OpenedTwice = func() { twice.Add(1) } })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(once, u.Path) {
		t.Fatalf("%q has the token", once)
	}
	refused := func(name, method, at string, change func(*http.Request)) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		resp, err := noRedirects.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %s, to %q", name, resp.Status, resp.Header.Get("Location"))
		}
	}
	nothing := func(*http.Request) {}
	refused("a rebound name", http.MethodGet, once, func(r *http.Request) { r.Host = "evil.example" })
	refused("a link of another page", http.MethodGet, once, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	refused("a script of another page", http.MethodGet, once, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") })
	refused("a POST", http.MethodPost, once, nothing)
	refused("a HEAD", http.MethodHead, once, nothing)
	refused("a part of the page", http.MethodGet, once+"waterfall", nothing)
	if resp, text := send(t, http.MethodGet, once, "", ""); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != u.Path || text != "" {
		t.Errorf("the first time: %s, to %q: %q", resp.Status, resp.Header.Get("Location"), text)
	}
	if n := twice.Load(); n != 0 {
		t.Errorf("the first time was told as the second, %d times", n)
	}
	refused("the second time", http.MethodGet, once, nothing)
	refused("the third time", http.MethodGet, once, nothing)
	if n := twice.Load(); n != 1 {
		t.Errorf("that the ticket was used twice was told %d times", n)
	}
	if resp, _ := send(t, http.MethodGet, address, "", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("the page itself: %s", resp.Status)
	}
}

// strict lists the permissions of the page: to load its own scripts and styles, to ask its own
// server, and nothing else. A policy that allows an inline script, or a string as markup, would run
// text that one missed escape lets through.
const strict = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Nothing is served without the token, and no answer has it.
func TestServed(t *testing.T) {
	address, asked := serve(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.Trim(u.Path, "/")
	if len(token) < 26 {
		t.Errorf("the token has %d characters", len(token))
	}
	names, err := fs.Glob(pageFiles, "page/*.*")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	paths := []string{"", "waterfall", "nothing"}
	for _, name := range names {
		paths = append(paths, "app/"+filepath.Base(name))
	}
	for _, path := range paths {
		resp, text := send(t, http.MethodGet, address+path, "", "")
		if resp.StatusCode >= 300 != (path == "nothing" || path == "app/index.html") {
			t.Errorf("%q: %s", path, resp.Status)
		}
		var header strings.Builder
		_ = resp.Header.Write(&header)
		if strings.Contains(text+header.String(), token) {
			t.Errorf("%q: the answer has the token", path)
		}
		if got := resp.Header.Values("Content-Security-Policy"); !slices.Equal(got, []string{strict}) || resp.Header.Get("Set-Cookie") != "" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%q: %q", path, resp.Header)
		}
		if resp, text := send(t, http.MethodGet, u.Scheme+"://"+u.Host+"/"+path, "", ""); resp.StatusCode != http.StatusForbidden || text != "" {
			t.Errorf("%q without the token: %s %q", path, resp.Status, text)
		}
	}
	// A request that a form can send is no input, and a GET changes nothing.
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		if resp, _ := send(t, http.MethodPost, address+"ask", kind, `{"refresh":true}`); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("a body of the type %q: %s", kind, resp.Status)
		}
	}
	if resp, _ := send(t, http.MethodGet, address+"ask", "", ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET ask: %s", resp.Status)
	}
	if n := asked(); n != 0 {
		t.Errorf("the site got %d requests", n)
	}
	if resp, _ := send(t, http.MethodPost, address+"ask", "application/json", `{"refresh":true}`); resp.StatusCode != http.StatusOK {
		t.Errorf("POST ask: %s", resp.Status)
	}
}

// The server listens on 127.0.0.1 and not on a wildcard, which another loopback address
// would reach.
func TestServedOnLoopbackOnly(t *testing.T) {
	address, _ := serve(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if u.Hostname() != "127.0.0.1" {
		t.Errorf("it is served at %s", u.Host)
	}
	other, err := net.Listen("tcp4", "127.0.0.2:0")
	if err != nil {
		t.Skip("this machine has one loopback address only:", err)
	}
	defer other.Close()
	_, port, err := net.SplitHostPort(other.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for port, want := range map[string]bool{u.Port(): false, port: true} {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.2", port))
		if reached := err == nil; reached != want {
			t.Errorf("127.0.0.2:%s is reached: %t, want %t", port, reached, want)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

// The page has no way to make markup, to run a text, or to lead elsewhere.
func TestPageIsInert(t *testing.T) {
	banned := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\b|new Function|setTimeout\(\s*["'` + "`" + `]|window\.open|location\s*=|location\.(assign|replace|href)|\.(href|src|srcdoc|action)\s*=|localStorage|sessionStorage|document\.cookie|https?://[a-z]|import\(|WebSocket|sendBeacon|postMessage`)
	names, err := fs.Glob(pageFiles, "page/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(pageFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			line = strings.ReplaceAll(line, `location.assign("har")`, "") // a constant of its own server
			if found := banned.FindString(line); found != "" && !strings.Contains(line, "www.w3.org/2000/svg") {
				t.Errorf("%s:%d: %s", name, n+1, found)
			}
		}
	}
	for _, bad := range []string{`x.innerHTML = y`, `location = url`, `a.href = url`, `setTimeout("x")`, `fetch("https://a")`} {
		if !banned.MatchString(bad) {
			t.Errorf("%s would pass", bad)
		}
	}
}

// The package can start no program and open no file.
func TestPackageRunsNothing(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); slices.Contains([]string{"os", "os/exec", "syscall", "plugin", "io/ioutil"}, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
