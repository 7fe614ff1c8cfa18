package clienttest_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

const shop = "shop.example"

// shopManifest is an ADP manifest, which leads to no other document.
const shopManifest = `{"spec_version": "1.0", "name": "Shop", "description": "Sells things.", "base_url": "https://shop.example",
	"auth": {"type": "none"}, "capabilities": [{"name": "list_offers", "description": "List offers.", "detail_url": "/offers.json"}]}`

const agentPath = "/.well-known/agent"

// asFS is a recording as a test has it in its testdata.
func asFS(r *client.Recording) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, content := range r.Files() {
		fsys[name] = &fstest.MapFile{Data: content}
	}
	return fsys
}

// unlike are the path that cannot exist, another one in each Client, and a
// secret.
var unlike = regexp.MustCompile(`wayfind-[0-9a-f]{8}|s3cret|REDACTED`)

// sameSites compares whole Sites except for times, texts of errors, and the parts of URLs that a
// recording removes.
func sameSites() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreTypes(time.Time{}),
		cmpopts.IgnoreFields(wayfind.Probe{}, "Error"),
		cmp.Comparer(func(a, b string) bool {
			return unlike.ReplaceAllString(a, "") == unlike.ReplaceAllString(b, "")
		}),
	}
}

// cause returns the parts of an error that are not its text.
func cause(err error) string {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%s %v %s", e.Op, e.Kind, e.Code)
}

// pausing: all requests of a wave are under way before the first answer arrives, so that the same
// requests are held because of it each time.
const pausing = 10 * time.Millisecond

// hostile are worlds in which shop.example is resolved.
func hostile() map[string]func(*clienttest.Internet) {
	return map[string]func(*clienttest.Internet){
		"documents": func(n *clienttest.Internet) {
			n.Host(shop, clienttest.Pages{agentPath: shopManifest, "/agents.md": "# Agents\n\nhello", "/llms.txt": "# Shop\n\n> Things\n"})
		},
		"nothing": func(n *clienttest.Internet) { n.Host(shop, nil) },
		"redirects": func(n *clienttest.Internet) {
			n.Host(shop, nil).Handle(agentPath, clienttest.Redirect(301, "/a?token=s3cret")).
				Handle("/a", clienttest.Redirect(302, "https://www.shop.example/b")).
				Handle("/agents.md", clienttest.Redirect(307, "http://shop.example/agents.md")).
				Handle("/agent.json", clienttest.Redirect(308, "/agent.json"))
			n.Host("www.shop.example", clienttest.Pages{"/b": shopManifest})
		},
		"another site":  func(n *clienttest.Internet) { elsewhere(n, "other.example") },
		"gzip":          func(n *clienttest.Internet) { n.Host(shop, nil).Handle(agentPath, gzipped(shopManifest)) },
		"broken gzip":   func(n *clienttest.Internet) { n.Host(shop, nil).Handle(agentPath, gzipped(shopManifest[:1])[:15]) },
		"brotli":        func(n *clienttest.Internet) { page(n, 200, "{}", "Content-Encoding", "br") },
		"throttled":     func(n *clienttest.Internet) { page(n, 429, "", "Retry-After", "120") },
		"throttled for": func(n *clienttest.Internet) { n.Host(shop, throttledByDate{}) },
		"unavailable":   func(n *clienttest.Internet) { page(n, 503, "") },
		"firewall": func(n *clienttest.Internet) {
			page(n, 403, "<html>no</html>", "Server", "cloudflare", "Content-Type", "text/html")
		},
		"visitor known": func(n *clienttest.Internet) { page(n, 403, "<html>", "X-Iinfo", "1-2-3", "Content-Type", "text/html") },
		"protected":     func(n *clienttest.Internet) { page(n, 401, "", "Www-Authenticate", "Bearer") },
		"partial":       func(n *clienttest.Internet) { page(n, 206, shopManifest) },
		"no status":     func(n *clienttest.Internet) { page(n, 700, shopManifest) },
		"no content":    func(n *clienttest.Internet) { page(n, 204, "") },
		"no type":       func(n *clienttest.Internet) { n.Host(shop, nil).Handle(agentPath, untyped(shopManifest)) },
		"uncached":      func(n *clienttest.Internet) { page(n, 200, shopManifest, "Cache-Control", "no-store") },
		"soft 404":      func(n *clienttest.Internet) { n.Host(shop, clienttest.Page{Body: "hello"}) },
		"one for all":   func(n *clienttest.Internet) { n.Host(shop, clienttest.Page{Body: shopManifest}) },
		"web page":      func(n *clienttest.Internet) { n.Host(shop, clienttest.Page{Body: "<html>welcome</html>"}) },
		"too large":     func(n *clienttest.Internet) { page(n, 200, strings.Repeat(" ", 9<<20)) },

		"no such name":    func(n *clienttest.Internet) { n.DNS(shop, clienttest.NXDomain().After(pausing)) },
		"DNS fails":       func(n *clienttest.Internet) { n.DNS(shop, clienttest.ServFail().After(pausing)) },
		"DNS is silent":   func(n *clienttest.Internet) { n.DNS(shop, clienttest.NoAnswer()) },
		"private address": func(n *clienttest.Internet) { n.DNS(shop, clienttest.Addrs(netip.MustParseAddr("127.0.0.1"))) },
		"refused":         func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.Refuse()) },
		"black hole":      func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.BlackHole()) },
		"reset":           func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.AtHandshake(clienttest.Reset)) },
		"silent":          func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.AtHandshake(clienttest.Stall)) },
		"expired":         func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.ExpiredCert()) },
		"another name":    func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.WrongNameCert()) },
		"self-signed":     func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.SelfSignedCert()) },
		"unknown issuer":  func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.UnknownCACert()) },
		"not yet":         func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.FutureCert()) },
		"plain HTTP":      func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.PlainHTTP()) },
		"old TLS":         func(n *clienttest.Internet) { n.Host(shop, nil).FailConn(clienttest.OldTLS()) },

		"body cut off":     func(n *clienttest.Internet) { failing(n, clienttest.AtBody(20, clienttest.Close)) },
		"body reset":       func(n *clienttest.Internet) { failing(n, clienttest.AtBody(20, clienttest.Reset)) },
		"body stalls":      func(n *clienttest.Internet) { failing(n, clienttest.AtBody(20, clienttest.Stall)) },
		"no answer":        func(n *clienttest.Internet) { failing(n, clienttest.AtHeaders(clienttest.Close)) },
		"answer reset":     func(n *clienttest.Internet) { failing(n, clienttest.AtHeaders(clienttest.Reset)) },
		"answer stalls":    func(n *clienttest.Internet) { failing(n, clienttest.AtHeaders(clienttest.Stall)) },
		"too many headers": func(n *clienttest.Internet) { page(n, 200, "{}", "X-Padding", strings.Repeat("x", 70<<10)) },
		"nonsense":         func(n *clienttest.Internet) { failing(n, nonsense) },
	}
}

// page answers at one place.
func page(n *clienttest.Internet, status int, body string, fields ...string) {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	n.Host(shop, clienttest.Pages{"/agents.md": "# Agents"}).Handle(agentPath, clienttest.Page{Status: status, Body: body, Header: h})
}

// failing has one place that fails, on connections of their own.
func failing(n *clienttest.Internet, f clienttest.Fault) {
	n.Host(shop, clienttest.Pages{agentPath: shopManifest, "/agents.md": "# Agents"}).Protocols("http/1.1").Fail(agentPath, f)
}

func elsewhere(n *clienttest.Internet, other string) {
	n.Host(shop, nil).Handle(agentPath, clienttest.Redirect(302, "https://"+other+agentPath))
	n.Host(other, clienttest.Pages{agentPath: strings.ReplaceAll(shopManifest, shop, other)})
}

// gzipped is a document that is sent compressed.
type gzippedPage []byte

func gzipped(text string) gzippedPage {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func (p gzippedPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(p)
}

// untyped is a document without a media type.
type untyped string

func (p untyped) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = nil
	_, _ = w.Write([]byte(p))
}

// throttledByDate returns the time after which to come again.
type throttledByDate struct{}

func (throttledByDate) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", time.Now().Add(5*time.Minute).UTC().Format(http.TimeFormat))
	w.WriteHeader(http.StatusServiceUnavailable)
}

// nonsense answers something that is no HTTP.
func nonsense(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte("hello\r\n\r\n"))
		_ = conn.Close()
	})
}

// A replay returns the recorded Site, including its failures.
func TestReplay_SameSite(t *testing.T) {
	for name, build := range hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var recording client.Recording
				internet := clienttest.New(t)
				internet.Latency(pausing)
				build(internet)
				c := internet.Client(func(o *client.Options) { o.Lab.Record = recording.Add })
				want, wantErr := c.Resolve(t.Context(), shop)
				time.Sleep(time.Hour)

				again := clienttest.Replay(t, asFS(&recording))
				got, err := again.Client().Resolve(t.Context(), shop)
				if diff := cmp.Diff(want, got, sameSites()); diff != "" {
					t.Errorf("the Site of the replay (-recorded +replayed):\n%s\n%s", diff, recording.Files()["index.txt"])
				}
				if cause(err) != cause(wantErr) {
					t.Errorf("the error of the replay is %v, recorded was %v", err, wantErr)
				}
			})
		})
	}
}

// If the site only answers that nothing has changed, the whole document is recorded: a replay needs
// no cache.
func TestReplay_RevalidatedIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := disk.Open(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		internet := clienttest.New(t)
		host := internet.Host(shop, nil).Handle(agentPath, clienttest.Page{Body: shopManifest, Header: http.Header{"Etag": {`"1"`}, "Cache-Control": {"max-age=60"}}})
		opts := internet.Options()
		opts.Store = store
		resolve := func() *wayfind.Site {
			t.Helper()
			c, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			site, err := c.Resolve(t.Context(), shop)
			if err != nil {
				t.Fatal(err)
			}
			return site
		}
		resolve()
		time.Sleep(time.Hour)
		var recording client.Recording
		opts.Lab.Record = recording.Add
		before := len(host.Requests())
		want := resolve()
		conditional := 0
		for _, r := range host.Requests()[before:] {
			if r.Header.Get("If-None-Match") != "" {
				conditional++
			}
		}
		if conditional != 1 {
			t.Errorf("%d conditional requests, want 1", conditional)
		}
		got, err := clienttest.Replay(t, asFS(&recording)).Client().Resolve(t.Context(), shop)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got, sameSites()); diff != "" {
			t.Errorf("the Site of the replay (-recorded +replayed):\n%s", diff)
		}
	})
}

// Lifetimes begin anew: a document that was fresh for an hour is so again in a replay a year later.
func TestReplay_LifetimesBeginAnew(t *testing.T) {
	message := "HTTP/1.1 200 OK\nContent-Type: application/json\nDate: Fri, 01 Jan 1999 00:00:00 GMT\n" +
		"Expires: Fri, 01 Jan 1999 01:00:00 GMT\n\n" + shopManifest
	fsys := fstest.MapFS{
		"index.txt":           {Data: []byte("wayfind recording 1\nhttps://shop.example/.well-known/agent shop.example/a.http\n")},
		"shop.example/a.http": {Data: []byte(message)},
	}
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.Replay(t, fsys)
		began := time.Now()
		site, err := internet.Client().Resolve(t.Context(), shop)
		if err != nil {
			t.Fatal(err)
		}
		if got := site.Source("https://shop.example/.well-known/agent").FreshUntil.Sub(began); got != time.Hour {
			t.Errorf("fresh for %v, want an hour", got)
		}
	})
}

// TestARecordingShowsThatAnAnswerSetCookies records a site, and the replay of the recording.
func TestARecordingShowsThatAnAnswerSetCookies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := func(n *clienttest.Internet) *client.Recording {
			var recording client.Recording
			opts := n.Options()
			opts.Lab.Record = recording.Add
			c, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.Resolve(t.Context(), shop); err != nil {
				t.Fatal(err)
			}
			for _, x := range recording.Exchanges() {
				want := []string(nil)
				if x.URL == "https://shop.example"+agentPath {
					want = []string{"REDACTED"}
				}
				if diff := cmp.Diff(want, x.Header.Values("Set-Cookie"), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("Set-Cookie of %s (-want +got):\n%s", x.URL, diff)
				}
			}
			return &recording
		}
		n := clienttest.New(t)
		n.Host(shop, clienttest.Pages{"/llms.txt": "# Shop\n\n> Things\n"}).Handle(agentPath, clienttest.Page{
			Body: shopManifest, Header: http.Header{"Content-Type": {"application/json"}, "Set-Cookie": {"session=s3cret", "b=s3cret"}, "Cache-Control": {"max-age=60"}},
		})
		first := shown(n)
		again := shown(clienttest.Replay(t, asFS(first)))
		if diff := cmp.Diff(first.Files(), again.Files()); diff != "" {
			t.Errorf("the recording of the replay (-recorded +replayed):\n%s", diff)
		}
	})
}

// A recording that cannot be read is an error that names the place.
func TestReplay_Unreadable(t *testing.T) {
	internet, stop := clienttest.Start()
	defer stop()
	if err := internet.Replay(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	index := func(lines string) fs.FS {
		return fstest.MapFS{"index.txt": {Data: []byte("wayfind recording 1\n" + lines)}}
	}
	if err := internet.Replay(index("https://a.example/ failed dns dns\n")); err != nil {
		t.Error(err)
	}
	if err := internet.Replay(index("https://a.example/x failed dns dns\n")); err == nil || !strings.Contains(err.Error(), "a.example") {
		t.Errorf("a host twice: %v", err)
	}
}
