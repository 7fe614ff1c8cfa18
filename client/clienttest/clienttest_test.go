package clienttest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// inBubble runs a test with an Internet of its own inside a bubble, which also
// fails when a goroutine is left over.
func inBubble(t *testing.T, f func(t *testing.T, internet *clienttest.Internet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t, clienttest.New(t))
	})
}

// httpClient does not follow redirects.
func httpClient(internet *clienttest.Internet) *http.Client {
	return &http.Client{
		Transport:     internet.Transport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get fetches a page whole. The error may come from the body.
func get(ctx context.Context, c *http.Client, url string) (*http.Response, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, "", err
	}
	return do(c, req)
}

func do(c *http.Client, req *http.Request) (*http.Response, string, error) {
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// report is a test that records its failures.
type report struct {
	testing.TB
	errs     []string
	cleanups []func()
}

func (r *report) Helper() {}
func (r *report) Error(args ...any) {
	r.errs = append(r.errs, args[0].(error).Error())
}
func (r *report) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *report) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func TestProtocols(t *testing.T) {
	for _, tt := range []struct {
		alpn []string
		want string
	}{
		{[]string{"h2", "http/1.1"}, "HTTP/2.0"},
		{[]string{"http/1.1"}, "HTTP/1.1"},
		{[]string{"h2"}, "HTTP/2.0"},
		{nil, "HTTP/1.1"},
	} {
		t.Run(strings.Join(tt.alpn, ","), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				h := internet.Host("A.example", clienttest.Pages{"/x": "hello"}).Protocols(tt.alpn...)
				c := httpClient(internet)
				for range 3 {
					resp, body, err := get(t.Context(), c, "https://a.example/x?q=1")
					if err != nil || body != "hello" || resp.Proto != tt.want {
						t.Fatalf("%q over %v, %v", body, resp, err)
					}
				}
				var got []clienttest.Request
				for _, r := range h.Requests() {
					r.Header = nil
					got = append(got, r)
				}
				one := clienttest.Request{
					Time: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Host: "a.example",
					Method: "GET", Path: "/x?q=1", Proto: tt.want, Conn: 1,
				}
				if diff := cmp.Diff([]clienttest.Request{one, one, one}, got); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				if h.Dials() != 1 || h.Conns() != 1 || h.Open() != 1 {
					t.Errorf("dials %d, connections %d, open %d", h.Dials(), h.Conns(), h.Open())
				}
				c.CloseIdleConnections()
				synctest.Wait()
				if h.Conns() != 1 || h.Open() != 0 {
					t.Errorf("connections %d, open %d", h.Conns(), h.Open())
				}
			})
		})
	}
}

// A cold request takes three round trips, a warm one takes one.
func TestLatency(t *testing.T) {
	for _, alpn := range []string{"h2", "http/1.1"} {
		t.Run(alpn, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				const rtt = 50 * time.Millisecond
				internet.Latency(rtt)
				h := internet.Host("a.example", clienttest.Pages{"/": "hello"}).Protocols(alpn)
				c := httpClient(internet)
				for _, want := range []time.Duration{3, 1, 1} {
					start := time.Now()
					if _, _, err := get(t.Context(), c, "https://a.example/"); err != nil {
						t.Fatal(err)
					}
					if got := time.Since(start); got != want*rtt {
						t.Errorf("%v, want %d round trips", got, want)
					}
				}
				if got := h.Requests()[0].Time.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); got != 5*rtt/2 {
					t.Errorf("the first request arrived after %v", got)
				}
			})
		})
	}
}

func TestHosts(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		a := internet.Host("a.example", clienttest.Pages{"/": "a"})
		b := internet.Host("b.example", clienttest.Pages{"/": "b"}).At(a.Addrs()...)
		elsewhere := internet.Host("c.example", nil).At(internet.NewAddr6(), internet.NewAddr())
		want := []string{"93.184.216.1", "2606:2800:220:1::1", "93.184.216.4"}
		var got []string
		for _, addr := range append(a.Addrs(), elsewhere.Addrs()...) {
			got = append(got, addr.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
		c := httpClient(internet)
		for url, want := range map[string]string{
			"https://a.example/": "200 OK a",
			"https://b.example/": "200 OK b",
			"https://c.example/": "404 Not Found 404 page not found\n",
		} {
			resp, body, err := get(t.Context(), c, url)
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Status + " " + body; got != want {
				t.Errorf("%s: %q, want %q", url, got, want)
			}
		}
		if a.Conns() != 2 || b.Conns() != 0 {
			t.Errorf("shared address: %d and %d connections", a.Conns(), b.Conns())
		}
		if diff := cmp.Diff([]string{"/"}, b.Paths()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		elsewhere.At(internet.NewAddr())
		a.At(internet.NewAddr()) // b keeps the address they shared
		if _, body, err := get(t.Context(), httpClient(internet), "https://b.example/"); body != "b" || err != nil || b.Conns() != 1 {
			t.Errorf("%q, %v over %d connections", body, err, b.Conns())
		}
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example/", nil)
		req.Host = "c.example" // not at this address
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("wrong host: %s", resp.Status)
		}
	})
}

func TestNothingLeaves(t *testing.T) {
	r := &report{TB: t}
	internet := clienttest.New(r)
	h := internet.Host("a.example", nil)
	_, err := internet.Dial(t.Context(), netip.MustParseAddrPort("192.0.2.77:443"))
	var opErr *net.OpError
	if !errors.As(err, &opErr) || opErr.Op != "dial" {
		t.Errorf("dial: %v", err)
	}
	_, err = internet.Dial(t.Context(), netip.AddrPortFrom(h.Addrs()[0], 80))
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("another port: %v", err)
	}
	internet.Host("a.EXAMPLE.", nil)
	r.end()
	want := []string{
		"clienttest: connection to 192.0.2.77:443: the address is outside of this Internet",
		`clienttest: host "a.example" was added twice`,
	}
	if diff := cmp.Diff(want, r.errs); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if _, err := internet.Dial(t.Context(), netip.AddrPortFrom(h.Addrs()[0], 443)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestWatch(t *testing.T) {
	internet, stop := clienttest.Start()
	kept := internet.Watch(&wayfind.Site{Origin: "https://kept.example"})
	changed := internet.Watch(&wayfind.Site{Origin: "https://changed.example"})
	if internet.Watch(nil) != nil {
		t.Error("nil became a Site")
	}
	changed.Base = "/oops"
	stop()
	stop() // does nothing
	err := internet.Err()
	want := "clienttest: the Site of https://changed.example was changed after it was returned"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s (and nothing about %s)", err, want, kept.Origin)
	}
}

// Stop ends all waiting goroutines. Otherwise the bubble would not return.
func TestStopEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet, stop := clienttest.Start()
		drain := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
		internet.Host("raw.example", nil).Raw(drain)
		internet.Host("tcp.example", nil).RawTCP(drain)
		internet.Host("stall.example", clienttest.Pages{"/": "x"}).Fail("", clienttest.AtHeaders(clienttest.Stall))
		internet.Host("late.example", clienttest.Pages{"/": "x"}).Fail("", clienttest.Delay(time.Hour))
		internet.Host("hole.example", nil).FailConn(clienttest.BlackHole())
		internet.Host("mute.example", nil).FailConn(clienttest.AtAccept(clienttest.Stall))
		internet.Host("cut.example", nil).FailConn(clienttest.AtHandshake(clienttest.Stall))
		internet.DNS("dns.example", clienttest.NoAnswer())
		c := httpClient(internet)
		names := []string{"raw", "tcp", "stall", "late", "hole", "mute", "cut", "dns"}
		errs := make([]error, len(names))
		var wg sync.WaitGroup
		for i, name := range names {
			wg.Go(func() { _, _, errs[i] = get(context.Background(), c, "https://"+name+".example/") })
		}
		synctest.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Errorf("ended before the stop: %v", err)
		}
		stop()
		if err := internet.Err(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		for i, err := range errs {
			if err == nil {
				t.Errorf("%s: no error", names[i])
			}
		}
	})
}

func TestCheckDiscovery(t *testing.T) {
	for _, r := range []struct {
		method, field string
		sound         bool
	}{
		{"GET", "Accept", true}, {"POST", "Accept", false}, {"HEAD", "", false}, {"GET", "Authorization", false},
		{"GET", "Cookie", false}, {"GET", "Proxy-Authorization", false}, {"GET", "Referer", false}, {"GET", "X-Api-Key", false},
		{"GET", "X-Auth-Token", false}, {"GET", "Mcp-Session-Id", false},
	} {
		header := http.Header{}
		if r.field != "" {
			header.Set(r.field, "x")
		}
		if err := clienttest.CheckDiscovery(r.method, header); (err == nil) != r.sound {
			t.Errorf("%s with %q: %v", r.method, r.field, err)
		}
		if err := clienttest.CheckDiscovery(r.method, http.Header{strings.ToLower(r.field): {"x"}}); r.field != "" && (err == nil) != r.sound {
			t.Errorf("%s with %q in lower case: %v", r.method, r.field, err)
		}
	}
}

func TestCheckError(t *testing.T) {
	sound := &wayfind.Error{Op: "dial", URL: "https://x.example/\x1b[2J", Kind: wayfind.ErrUnreachable, Err: errors.New(strings.Repeat("\x00é", 1000))}
	for _, r := range []struct {
		err   error
		sound bool
	}{
		{nil, true}, {sound, true}, {fmt.Errorf("wrapped: %w", &wayfind.Error{Op: "x", Kind: wayfind.ErrNotFound}), true},
		{errors.New("plain"), false},
		{&wayfind.Error{Op: "dial"}, false},
		{fmt.Errorf("\x1b[2J: %w", sound), false},
		{fmt.Errorf("%s: %w", strings.Repeat("x", 600), sound), false},
		{&wayfind.Error{Op: "x", Kind: wayfind.ErrInternal, Code: wayfind.CodePanic}, false},
		{&wayfind.Error{Op: "x", Kind: wayfind.ErrUnreachable, Err: wayfind.ErrInternal}, false},
	} {
		if err := clienttest.CheckError(r.err); (err == nil) != r.sound {
			t.Errorf("%q: %v", r.err, err)
		}
	}
}

// A request that discovery would not send fails the test, unless the test allows it.
func TestOnlyDiscovery(t *testing.T) {
	for _, only := range []bool{false, true} {
		internet, stop := clienttest.Start()
		internet.OnlyDiscovery(only).Host("shop.example", nil)
		c := &http.Client{Transport: internet.Transport()}
		resp, err := c.Post("https://shop.example/", "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		stop()
		if got := internet.Err() != nil; got != only {
			t.Errorf("only discovery: %v: %v", only, internet.Err())
		}
	}
}
