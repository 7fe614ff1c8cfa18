package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// trap records changes of the globals of a program.
type trap struct {
	mu   sync.Mutex
	uses []string
}

func (tr *trap) note(format string, args ...any) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.uses = append(tr.uses, fmt.Sprintf(format, args...))
}

func (tr *trap) used() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.uses)
}

// The parts of a program that others put their hands on.
type (
	trapTransport struct{ *trap }
	trapJar       struct{ *trap }
	trapLog       struct{ *trap }
)

func (tr trapTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	tr.note("transport: %s", r.URL)
	return nil, errors.New("trapped")
}
func (tr trapJar) SetCookies(u *url.URL, c []*http.Cookie) { tr.note("jar: %s sets %v", u, c) }
func (tr trapJar) Cookies(u *url.URL) []*http.Cookie {
	tr.note("jar: cookies for %s", u)
	return []*http.Cookie{{Name: "trap", Value: "sprung"}}
}
func (tr trapLog) Enabled(context.Context, slog.Level) bool { return true }
func (tr trapLog) Handle(_ context.Context, r slog.Record) error {
	tr.note("slog: %s", r.Message)
	return nil
}
func (tr trapLog) WithAttrs([]slog.Attr) slog.Handler { return tr }
func (tr trapLog) WithGroup(string) slog.Handler      { return tr }
func (tr trapLog) Write(p []byte) (int, error)        { tr.note("log: %s", p); return len(p), nil }

// setTraps replaces every global that the standard library lets a program
// replace and that a request could use, for the time of a test, which is the
// only one to run.
func setTraps(t *testing.T) (*trap, *url.URL) {
	tr := &trap{}
	transport, httpClient := http.DefaultTransport, *http.DefaultClient
	resolver, logger, output, flags := net.DefaultResolver, slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		http.DefaultTransport, *http.DefaultClient = transport, httpClient
		net.DefaultResolver = resolver
		slog.SetDefault(logger)
		log.SetOutput(output)
		log.SetFlags(flags)
	})
	http.DefaultTransport = trapTransport{tr}
	*http.DefaultClient = http.Client{
		Transport: trapTransport{tr}, Jar: trapJar{tr},
		CheckRedirect: func(*http.Request, []*http.Request) error { tr.note("CheckRedirect"); return errors.New("trapped") },
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		tr.note("resolver: %s %s", network, address)
		return nil, errors.New("trapped")
	}}
	slog.SetDefault(slog.New(trapLog{tr}))
	log.SetOutput(trapLog{tr})
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { tr.note("proxy: %s %s", r.Method, r.URL) }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("SSLKEYLOGFILE", filepath.Join(t.TempDir(), "keys"))
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	return tr, u
}

// TestGlobalsOfTheProgramAreNotUsed: nothing that the host program sets for itself
// is used, over real sockets with the dialer that everybody gets.
func TestGlobalsOfTheProgramAreNotUsed(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		switch {
		case len(r.Header["Cookie"])+len(r.Header["Authorization"])+len(r.Header["Proxy-Authorization"]) > 0:
			t.Errorf("asked with %v", r.Header)
			fallthrough
		case r.URL.Path == wellKnown:
			http.Redirect(w, r, "/moved", http.StatusFound)
		case r.URL.Path == "/moved":
			_, _ = io.WriteString(w, manifest("example.com", "/a"))
		case r.URL.Path == "/a":
			_, _ = io.WriteString(w, detail("a", "/api"))
		default:
			http.NotFound(w, r)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	opts := clienttest.FromServer(t, server)
	opts.Network.Dial = nil // the default: names go past DNS by ConnectTo
	tr, _ := setTraps(t)
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		site, err := c.Refresh(t.Context(), "example.com")
		if err != nil || len(site.Services) == 0 {
			t.Fatalf("%v, %+v", err, site)
		}
		if _, err := c.Describe(t.Context(), site, "adp:a"); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Resolve(t.Context(), "example.org"); !errors.Is(err, wayfind.ErrUnreachable) {
		t.Errorf("a name that does not exist: %v", err)
	}
	resp, err := c.HTTP("https://example.com").Get("https://example.com/a")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if uses := tr.used(); len(uses) > 0 {
		t.Errorf("used: %q", uses)
	}
	if _, err := os.Stat(os.Getenv("SSLKEYLOGFILE")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("TLS keys were written: %v", err)
	}
}

// TestTrapsCatch: the traps above work, so that their silence means something.
func TestTrapsCatch(t *testing.T) {
	tr, proxy := setTraps(t)
	_, _ = http.DefaultClient.Do((&http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: "a.example"}, Header: http.Header{}}))
	_, _ = net.DefaultResolver.LookupNetIP(t.Context(), "ip", "a.example.")
	slog.Info("said")
	log.Print("printed")
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	defer transport.CloseIdleConnections()
	if req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example", nil); err == nil {
		if resp, err := transport.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
		}
	}
	for _, want := range []string{"transport: http://a.example", "jar: cookies for http://a.example", "resolver: udp ", "slog: said", "log: ", "proxy: GET http://a.example"} {
		if !slices.ContainsFunc(tr.used(), func(s string) bool { return len(s) >= len(want) && s[:len(want)] == want }) {
			t.Errorf("no trap says %q: %q", want, tr.used())
		}
	}
}
