package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
	"github.com/wayfindhq/wayfind/security"
)

// The proxy of the tests, at an address that the guard would refuse.
const (
	proxyAddr = "10.0.0.9"
	proxyURL  = "http://10.0.0.9:3128"
)

// connectProxy is a proxy of the world: it keeps the requests as they came,
// and answers each by talk.
type connectProxy struct {
	w    *world
	talk func(c net.Conn, target string)

	mu       sync.Mutex
	requests []string // with their header, sorted by net/http
}

// proxyAt starts a proxy. A nil talk makes tunnels to the addresses that a
// look-up of its own gives.
func (w *world) proxyAt(l net.Listener, talk func(c net.Conn, target string)) *connectProxy {
	p := &connectProxy{w: w, talk: talk}
	if talk == nil {
		p.talk = p.tunnel
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

// proxy starts a proxy at proxyURL.
func (w *world) proxy(talk func(c net.Conn, target string)) *connectProxy {
	return w.proxyAt(w.listenAt(netip.MustParseAddrPort(proxyAddr+":3128")), talk)
}

func (p *connectProxy) serve(c net.Conn) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	var text strings.Builder
	text.WriteString(req.Method + " " + req.RequestURI + " Host: " + req.Host + "\n")
	_ = req.Header.Write(&text)
	p.mu.Lock()
	p.requests = append(p.requests, strings.ReplaceAll(text.String(), "\r", ""))
	p.mu.Unlock()
	p.talk(c, req.RequestURI)
}

func (p *connectProxy) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// tunnel dials in the world of the proxy, which has its own names: the names of the world with
// "outside." before them.
func (p *connectProxy) tunnel(c net.Conn, target string) {
	host, _, _ := net.SplitHostPort(target)
	p.w.mu.Lock()
	find := p.w.dns["outside."+host+"."]
	p.w.mu.Unlock()
	addrs, err := find()
	if err != nil {
		return
	}
	p.w.mu.Lock()
	l := p.w.net[netip.AddrPortFrom(addrs[0], 443)]
	p.w.mu.Unlock()
	up, err := l.Dial(context.Background())
	if err != nil {
		return
	}
	defer up.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	done := make(chan struct{})
	go func() { defer close(done); _, _ = io.Copy(up, c); _ = up.Close() }()
	_, _ = io.Copy(c, up)
	_ = c.Close()
	<-done
}

// outside serves a host that only the proxy can look up.
func (w *world) outside(host, addr string, handler http.HandlerFunc, protos ...string) {
	w.name("outside."+host, addr)
	w.serve(w.listen(addr), host, handler, protos...)
}

// behind makes the options go by a proxy.
func behind(t *testing.T, proxyURL string, more ...func(*Options)) func(*Options) {
	t.Helper()
	p, err := security.ParseProxy(proxyURL)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Policy = &security.Guard{UnsafeProxy: p}
		for _, f := range more {
			f(o)
		}
	}
}

// The name goes to the proxy, and is looked up nowhere else. The site gets no data that is for the
// proxy.
func TestTheProxyGetsTheNameAndTheSiteNothingOfTheProxy(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		t.Run(proto, func(t *testing.T) {
			w := newWorld(t)
			proxy := w.proxy(nil)
			var header http.Header
			w.outside("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
				header = r.Header.Clone()
				hello(rw, r)
			}, proto)
			c := w.conns(behind(t, "http://me:pass@10.0.0.9:3128"))
			resp, err := c.Do(t.Context(), asking(t, site))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if string(body) != "hello" {
				t.Errorf("%q", body)
			}
			want := []string{"CONNECT shop.example.com:443 Host: shop.example.com:443\nProxy-Authorization: Basic bWU6cGFzcw==\n"}
			if diff := cmp.Diff(want, proxy.seen()); diff != "" {
				t.Errorf("the proxy's requests (-want +got):\n%s", diff)
			}
			if len(header["Proxy-Authorization"])+len(header["Authorization"]) > 0 {
				t.Errorf("the site got %v", header)
			}
			if diff := cmp.Diff([]netip.AddrPort{netip.MustParseAddrPort("10.0.0.9:3128")}, w.dialled(), cmp.Comparer(sameAddr)); diff != "" || len(w.lookups) > 0 {
				t.Errorf("look-ups %v, dials (-want +got):\n%s", w.lookups, diff)
			}
		})
	}
}

// TestTheNameOfAProxyIsLookedUpAsWritten: the name of a proxy is looked up as it is written, and
// only the caller's policy applies to its address.
func TestTheNameOfAProxyIsLookedUpAsWritten(t *testing.T) {
	w := newWorld(t)
	w.proxy(nil)
	w.outside("shop.example.com", ip1, hello)
	w.mu.Lock()
	w.dns["proxy"] = func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr(proxyAddr)}, nil }
	w.mu.Unlock()
	sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), w.conns(behind(t, "http://proxy:3128")), site))
	if diff := cmp.Diff([]string{"ip proxy"}, w.lookups); diff != "" {
		t.Errorf("look-ups (-want +got):\n%s", diff)
	}
}

// TestAProxyOverTLSMustHaveItsCertificate: one with a certificate for somebody else is an error.
func TestAProxyOverTLSMustHaveItsCertificate(t *testing.T) {
	for host, want := range map[string]answer{
		"proxy.example.com": {Status: 200, Body: "hello"},
		"other.example.com": failed("proxy", wayfind.CodeProxy),
	} {
		t.Run(host, func(t *testing.T) {
			w := newWorld(t)
			l := w.listenAt(netip.MustParseAddrPort(proxyAddr + ":443"))
			p := w.proxyAt(tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{w.ca.leaf(t, leaf(host))}}), nil)
			w.outside("shop.example.com", ip1, hello)
			w.mu.Lock()
			w.dns["proxy.example.com"] = func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr(proxyAddr)}, nil }
			w.mu.Unlock()
			sameAnswer(t, want, get(t, t.Context(), w.conns(behind(t, "https://me:pass@proxy.example.com")), site))
			if asked := len(p.seen()) > 0; asked != (want.Status == 200) {
				t.Errorf("the proxy was asked %q", p.seen())
			}
		})
	}
}

// TestTunnelsAskForPublicNamesOnly: a target that is no canonical public name with port 443 is
// refused before a packet leaves, and so is the proxy's own name.
func TestTunnelsAskForPublicNamesOnly(t *testing.T) {
	var called atomic.Int32
	unsafeDial := func(o *Options) {
		o.UnsafeDial = func(context.Context, string, string) (net.Conn, error) {
			called.Add(1)
			return nil, errors.New("called")
		}
	}
	for name, change := range map[string]func(*Options){
		"proxy": behind(t, "http://proxy.example.com:3128"), "dialer": unsafeDial,
	} {
		w := newWorld(t)
		c := w.conns(change)
		for u, code := range map[string]wayfind.Code{
			"https://169.254.169.254/":                     wayfind.CodeHostIPLiteral,
			"https://8.8.8.8/":                             wayfind.CodeHostIPLiteral,
			"https://[::1]/":                               wayfind.CodeHostSyntax,
			"https://2130706433/":                          wayfind.CodeHostNumeric,
			"https://localhost/":                           wayfind.CodeHostSingleLabel,
			"https://metadata.google.internal/":            wayfind.CodeHostSpecialUse,
			"https://kubernetes/":                          wayfind.CodeHostSingleLabel,
			"https://shop.example.com:8443/":               wayfind.CodePort,
			"https://shop.example.com./":                   wayfind.CodeHostSyntax,
			"https://b\u00fccher.example/":                 wayfind.CodeHostSyntax,
			"https://" + strings.Repeat("a.", 130) + "ex/": wayfind.CodeHostSyntax,
		} {
			sameAnswer(t, answer{Op: "dial", Code: code, Kind: wayfind.ErrRefused}, get(t, t.Context(), c, u))
		}
		if name == "proxy" {
			sameAnswer(t, blocked(), get(t, t.Context(), c, "https://proxy.example.com/"))
		}
		if w.dialCount() != 0 || len(w.lookups) != 0 || called.Load() != 0 {
			t.Errorf("%s: dialled %v, looked up %v, %d calls", name, w.dialled(), w.lookups, called.Load())
		}
	}
}

// TestATunnelVerifiesTheSite: the server at the other end of a tunnel must have a certificate for
// the site.
func TestATunnelVerifiesTheSite(t *testing.T) {
	w := newWorld(t)
	other := newAuthority(t)
	server := &tls.Config{Certificates: []tls.Certificate{other.leaf(t, leaf("shop.example.com"))}}
	var requests atomic.Int32
	intercept := func(c net.Conn) {
		secure := tls.Server(c, server)
		if secure.Handshake() == nil && readHeader(secure) == nil {
			requests.Add(1)
		}
		_ = c.Close()
	}
	w.proxy(func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		intercept(c)
	})
	dialed := func(o *Options) {
		o.UnsafeDial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			a, b := memconn.Pipe(nil, nil)
			go intercept(b)
			return a, nil
		}
	}
	for _, change := range []func(*Options){behind(t, proxyURL), dialed} {
		sameAnswer(t, failed("tls", wayfind.CodeTLS), get(t, t.Context(), w.stack(change), site))
	}
	if requests.Load() != 0 {
		t.Errorf("%d requests were sent", requests.Load())
	}
}

// TestFailuresOfAProxyHaveErrorsOfTheirOwn: each failure has its own error, in bounded time and
// after bounded reading, without text of the proxy.
func TestFailuresOfAProxyHaveErrorsOfTheirOwn(t *testing.T) {
	says := func(text string) func(net.Conn, string) {
		return func(c net.Conn, _ string) { _, _ = io.WriteString(c, text) }
	}
	refused := func(code wayfind.Code) answer {
		return answer{Op: "proxy", Code: code, Kind: wayfind.ErrRefused}
	}
	endless := func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for {
			if _, err := io.WriteString(c, "X-Word: SECRET\r\n"); err != nil {
				return
			}
		}
	}
	for name, tt := range map[string]struct {
		talk func(net.Conn, string)
		want answer
		took time.Duration
	}{
		"407":             {says("HTTP/1.1 407 SECRET\r\nProxy-Authenticate: Basic\r\nContent-Length: 5\r\n\r\nhello"), refused(wayfind.CodeProxyAuth), 0},
		"403":             {says("HTTP/1.1 403 SECRET\x1b[2J\r\n\r\nSECRET"), refused(wayfind.CodeProxy), 0},
		"400":             {says("HTTP/1.0 400 Bad\r\n\r\n"), refused(wayfind.CodeProxy), 0},
		"502":             {says("HTTP/1.1 502 Bad Gateway\r\n\r\n"), failed("proxy", wayfind.CodeProxy), 0},
		"504":             {says("HTTP/1.1 504 Gateway Timeout\r\n\r\n"), failed("proxy", wayfind.CodeProxy), 0},
		"302":             {says("HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\n\r\n"), failed("proxy", wayfind.CodeProtocol), 0},
		"101":             {says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), failed("proxy", wayfind.CodeProtocol), 0},
		"999":             {says("HTTP/1.1 999 What\r\n\r\n"), failed("proxy", wayfind.CodeProtocol), 0},
		"HTTP/2":          {says("HTTP/2.0 200 OK\r\n\r\n"), failed("proxy", wayfind.CodeProtocol), 0},
		"garbage":         {says("SECRET\x1b[2J\x00\r\n\r\n"), failed("proxy", wayfind.CodeProtocol), 0},
		"TLS":             {says("\x15\x03\x01\x00\x02\x02\x28\r\n\r\n"), failed("proxy", wayfind.CodeProtocol), 0},
		"more than asked": {says("HTTP/1.1 200 OK\r\n\r\nSECRET"), failed("proxy", wayfind.CodeProtocol), 0},
		"half an answer":  {says("HTTP/1.1 200 OK\r\nX-Word: SEC"), failed("proxy", wayfind.CodeProxy), 0},
		"no answer":       {says(""), failed("proxy", wayfind.CodeProxy), 0},
		"endless header":  {endless, failed("proxy", wayfind.CodeHeadersTooLarge), 0},
		"one long line":   {says("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), failed("proxy", wayfind.CodeHeadersTooLarge), 0},
		"103 for ever": {func(c net.Conn, _ string) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
					return
				}
			}
		}, failed("proxy", wayfind.CodeHeadersTooLarge), 0},
		"silence": {func(c net.Conn, _ string) { _, _ = io.Copy(io.Discard, c) }, failed("proxy", wayfind.CodeTimeout), tunnelTimeout},
		"a byte a second": {func(c net.Conn, _ string) {
			for range 60 {
				if _, err := io.WriteString(c, "H"); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, failed("proxy", wayfind.CodeTimeout), tunnelTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				var ended atomic.Int32
				p := w.proxy(func(c net.Conn, target string) {
					defer ended.Add(1)
					tt.talk(c, target)
				})
				start := time.Now()
				got, err := getErr(t, t.Context(), w.stack(behind(t, "http://me:pass@10.0.0.9:3128")), site)
				sameAnswer(t, tt.want, got)
				if d := time.Since(start); d != tt.took {
					t.Errorf("took %v", d)
				}
				for _, word := range []string{"SECRET", "pass", "bWU6"} {
					if strings.Contains(err.Error(), word) {
						t.Errorf("the error says %q: %v", word, err)
					}
				}
				if len(p.seen()) != 1 || len(w.lookups) != 0 {
					t.Errorf("the proxy was asked %d times; look-ups %v", len(p.seen()), w.lookups)
				}
				time.Sleep(3 * time.Second) // until the proxy has noticed: a first write into a closed connection may succeed
				if ended.Load() != 1 {
					t.Errorf("%d connections of the proxy have ended, want the one", ended.Load())
				}
			})
		})
	}
}

// TestAnswersAsGoodAs200OpenATunnel: any 2xx is as good as "200 OK" (RFC 9110 §9.3.6).
func TestAnswersAsGoodAs200OpenATunnel(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.0 200 Connection established\r\n\r\n", "HTTP/1.1 204 \r\n\r\n", "HTTP/1.1 299 x\r\nX: y\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
	} {
		w := newWorld(t)
		server := &tls.Config{Certificates: []tls.Certificate{w.ca.leaf(t, leaf("shop.example.com"))}}
		w.proxy(func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, text)
			secure := tls.Server(c, server)
			if secure.Handshake() == nil && readHeader(secure) == nil {
				_, _ = io.WriteString(secure, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
			}
		})
		sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), w.conns(behind(t, proxyURL)), site))
	}
}

// TestAProxyThatIsNotThereSaysNothingOfTheSite: a missing proxy is no failure of the site.
func TestAProxyThatIsNotThereSaysNothingOfTheSite(t *testing.T) {
	for name, tt := range map[string]struct {
		url   string
		setup func(*world)
		want  wayfind.Code
	}{
		"refuses":    {proxyURL, func(w *world) { w.shut[netip.MustParseAddrPort(proxyAddr+":3128")] = true }, wayfind.CodeProxy},
		"no name":    {"http://proxy:3128", func(*world) {}, wayfind.CodeProxy},
		"servfail":   {"http://proxy:3128", func(w *world) { w.dns["proxy"] = func() ([]netip.Addr, error) { return nil, &net.DNSError{Err: "x"} } }, wayfind.CodeProxy},
		"dns hangs":  {"http://proxy:3128", func(w *world) { w.dns["proxy"] = w.never() }, wayfind.CodeTimeout},
		"black hole": {proxyURL, func(w *world) { w.hole[netip.MustParseAddrPort(proxyAddr+":3128")] = true }, wayfind.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				tt.setup(w)
				sameAnswer(t, failed("proxy", tt.want), get(t, t.Context(), w.conns(behind(t, tt.url)), site))
			})
		})
	}
}

// TestALargeBodyComesThroughAProxyToo: the limit of a body does not depend on the proxy.
func TestALargeBodyComesThroughAProxyToo(t *testing.T) {
	const size = 6 << 20
	for _, url := range []string{"", proxyURL} {
		w := newWorld(t)
		w.proxy(nil)
		w.name("shop.example.com", ip1)
		w.name("outside.shop.example.com", ip1)
		w.serve(w.listen(ip1), "shop.example.com", func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write(bytes.Repeat([]byte("x"), size))
		})
		change := func(*Options) {}
		if url != "" {
			change = behind(t, url)
		}
		got := get(t, t.Context(), w.stack(change), site, Ask{MaxBytes: size})
		if got.Status != 200 || len(got.Body) != size {
			t.Errorf("%q: %+.60v, %d bytes", url, got.Code, len(got.Body))
		}
	}
}

// TestConnectToGoesPastTheProxy: its address is judged as any other.
func TestConnectToGoesPastTheProxy(t *testing.T) {
	for to, want := range map[string]answer{ip1: {Status: 200, Body: "hello"}, "10.0.0.1": blocked()} {
		w := newWorld(t)
		p := w.proxy(nil)
		w.serve(w.listen(to), "shop.example.com", hello)
		c := w.conns(behind(t, proxyURL, func(o *Options) {
			o.Policy.ConnectTo = map[string]netip.AddrPort{"shop.example.com:443": netip.MustParseAddrPort(to + ":443")}
		}))
		sameAnswer(t, want, get(t, t.Context(), c, site))
		if len(p.seen()) != 0 {
			t.Errorf("the proxy was asked %v", p.seen())
		}
	}
}

// TestTheDefaultDialReachesTheProxyOnly: real sockets are used, although the guard refuses
// loopback. Only the proxy is reached, and no other listener there.
func TestTheDefaultDialReachesTheProxyOnly(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := w.proxyAt(l, nil)
	w.outside("shop.example.com", ip1, hello)
	direct := func(o *Options) { o.Dial = nil }
	c := w.conns(behind(t, "http://"+l.Addr().String(), direct))
	sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
	c = w.conns(behind(t, "http://"+l.Addr().String(), direct, func(o *Options) {
		o.Policy.ConnectTo = map[string]netip.AddrPort{"shop.example.com:443": netip.MustParseAddrPort(l.Addr().String())}
	}))
	sameAnswer(t, blocked(), get(t, t.Context(), c, site))
	if len(p.seen()) != 1 {
		t.Errorf("the proxy was asked %v", p.seen())
	}
}

// TestUnsafeDial: it gets the name, is bounded in time, and its answers carry
// no address.
func TestUnsafeDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.serve(w.listen(ip1), "shop.example.com", hello)
		var mu sync.Mutex
		var asked []string
		mode := "good"
		release := make(chan struct{})
		defer close(release)
		now := func(m string) {
			mu.Lock()
			defer mu.Unlock()
			mode = m
		}
		c := w.stack(func(o *Options) {
			o.KeepAlive = -1
			o.UnsafeDial = func(ctx context.Context, network, hostport string) (net.Conn, error) {
				mu.Lock()
				asked = append(asked, network+" "+hostport)
				m := mode
				mu.Unlock()
				switch m {
				case "good":
					return w.net[netip.MustParseAddrPort(ip1+":443")].Dial(ctx)
				case "nothing":
					return nil, nil
				case "hangs":
					<-release // whatever ctx says
				}
				return nil, errors.New("ssh: not today")
			}
		})
		resp, err := c.Do(t.Context(), asking(t, site))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		for _, step := range []struct {
			mode string
			want answer
			took time.Duration
		}{
			{"nothing", failed("dial", wayfind.CodeNetwork), -1}, // with a retry
			{"fails", failed("dial", wayfind.CodeNetwork), -1},
			{"hangs", failed("dial", wayfind.CodeTimeout), tunnelTimeout},
		} {
			now(step.mode)
			start := time.Now()
			sameAnswer(t, step.want, get(t, t.Context(), c, site))
			if d := time.Since(start); step.took >= 0 && d != step.took {
				t.Errorf("%s: took %v", step.mode, d)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if asked[0] != "tcp shop.example.com:443" || len(w.lookups) != 0 || w.dialCount() != 0 {
			t.Errorf("asked %v, looked up %v, dialled %v", asked, w.lookups, w.dialled())
		}
		if _, err := netip.ParseAddrPort((&socket{addr: tunnelAddr{}}).RemoteAddr().String()); err == nil {
			t.Error("a tunnel has an address")
		}
	})
}
