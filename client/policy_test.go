package client_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// said returns the diagnostics of a Site with a code that begins with an area.
func said(site *wayfind.Site, area string) []string {
	var list []string
	for _, d := range site.Diagnostics {
		if strings.HasPrefix(d.Code, area+".") {
			list = append(list, d.Code+" "+d.Source)
		}
	}
	return list
}

// With the lenient option, the Site of a name with mixed addresses has a diagnostic as long as the
// name has such addresses, even if no look-up is made for it.
func TestMixedAddressesAreReported(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60"))
		trap := internet.Host("trap.example", nil).At(addr("10.1.2.3"))
		internet.DNS("shop.example", clienttest.Addrs(addr("10.1.2.3"), host.Addrs()[0]), clienttest.Addrs(host.Addrs()[0]))
		var strict *wayfind.Error
		if _, err := newClient(t, internet).Resolve(t.Context(), "shop.example"); !errors.As(err, &strict) || strict.Code != wayfind.CodeBlockedAddress {
			t.Errorf("strict: %v", err)
		}
		internet.DNS("shop.example", clienttest.Addrs(addr("10.1.2.3"), host.Addrs()[0]), clienttest.Addrs(host.Addrs()[0]))
		c := newClient(t, internet, func(o *client.Options) { o.Policy.AllowMixedDNS = true })
		want := []string{"dns.mixed https://shop.example"}
		look := func(when string) {
			t.Helper()
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Errorf("%s: %v", when, err)
			}
			if diff := cmp.Diff(want, said(site, "dns")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		look("at first")
		c.Invalidate("shop.example")
		look("without a request")
		time.Sleep(2 * time.Minute) // the connection has been closed
		want = nil
		look("after another look-up")
		if trap.Dials() != 0 {
			t.Errorf("the private address was dialled %d times", trap.Dials())
		}
	})
}

// A site that only NAT64 leads to.
func TestASiteBehindNAT64IsFound(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600")).At(addr("64:ff9b::5db8:d8ff"))
		far := newFarStore()
		ask := func(change ...func(*client.Options)) error {
			_, err := newClient(t, internet, append(change, shared(far))...).Resolve(t.Context(), "shop.example")
			synctest.Wait()
			return err
		}
		allow := func(o *client.Options) { o.Policy.AllowNAT64 = []netip.Prefix{security.WellKnownNAT64()} }
		if err := ask(allow); err != nil || host.Dials() != 1 {
			t.Errorf("allowed: %v, %d dials", err, host.Dials())
		}
		if err := ask(allow); err != nil || host.Dials() != 1 {
			t.Errorf("from the store: %v, %d dials", err, host.Dials())
		}
		// No other Client reads the answers of that connection.
		if err := ask(); !errors.Is(err, wayfind.ErrRefused) || host.Dials() != 1 {
			t.Errorf("not allowed: %v, %d dials", err, host.Dials())
		}
	})
}

// A hit is judged by the present policy also when it lies in the same view:
// another process may have called it by the same name.
func TestAHitBehindNAT64IsJudgedByThePresentPolicy(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600"))
		far := newFarStore()
		allow := func(o *client.Options) { o.Policy.AllowNAT64 = []netip.Prefix{security.WellKnownNAT64()} }
		ask := func() {
			t.Helper()
			if _, err := newClient(t, internet, shared(far), allow).Resolve(t.Context(), "shop.example"); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		ask()
		for address, requests := range map[string]int{"[64:ff9b::5db8:d822]:443": 0, "[64:ff9b::a9fe:a9fe]:443": 1, "[64:ff9b:1::808:808]:443": 1, "": 1} {
			far.rewrite(t, func(e *cache.Entry) {
				e.RemoteAddr = netip.AddrPort{}
				if address != "" {
					e.RemoteAddr = netip.MustParseAddrPort(address)
				}
			})
			before := len(host.Requests())
			ask()
			if n := len(host.Requests()) - before; n != requests {
				t.Errorf("from %q: %d requests, want %d", address, n, requests)
			}
		}
	})
}

// proxy is a CONNECT proxy in front of an Internet. It resolves names itself, among its own hosts.
type proxy struct {
	t        *testing.T
	internet *clienttest.Internet
	hosts    map[string]*clienttest.Host
	says     string // the answer to every client, instead

	mu    sync.Mutex
	asked []string
}

// dial is Options.Network.Dial of a network whose only way out is the proxy.
func (p *proxy) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	if to != netip.MustParseAddrPort("10.0.0.9:3128") {
		p.t.Errorf("dialled %v, which is not the proxy", to)
	}
	a, b := memconn.Pipe(nil, nil)
	go p.serve(b)
	return a, nil
}

func (p *proxy) serve(c net.Conn) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, req.Method+" "+req.RequestURI)
	p.mu.Unlock()
	if p.says != "" {
		_, _ = io.WriteString(c, p.says)
		return
	}
	host := p.hosts[strings.TrimSuffix(req.RequestURI, ":443")]
	if host == nil {
		_, _ = io.WriteString(c, "HTTP/1.1 502 Bad Gateway\r\n\r\n")
		return
	}
	up, err := p.internet.Dial(context.Background(), netip.AddrPortFrom(host.Addrs()[0], 443))
	if err != nil {
		p.t.Error(err)
		return
	}
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(up, c); _ = up.Close() }()
	_, _ = io.Copy(c, up)
}

func (p *proxy) options(o *client.Options) {
	config, err := security.ParseProxy("http://me:s3cret@10.0.0.9:3128")
	if err != nil {
		p.t.Fatal(err)
	}
	o.Policy.UnsafeProxy, o.Network.Dial = config, p.dial
}

// A Client behind a proxy works, reports the proxy in each result, and stores answers that no
// Client without the proxy uses.
func TestAClientBehindAProxyKeepsItsViewToItself(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600"))
		p := &proxy{t: t, internet: internet, hosts: map[string]*clienttest.Host{"shop.example": host}}
		far := newFarStore()
		var log bytes.Buffer
		c := newClient(t, internet, shared(far), p.options, func(o *client.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"policy.unsafe_proxy "}, said(site, "policy")); diff != "" {
			t.Errorf("said of the Site (-want +got):\n%s", diff)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "option=Policy.UnsafeProxy") || strings.Contains(log.String(), "s3cret") {
			t.Errorf("%d warnings:\n%s", n, log.String())
		}
		if diff := cmp.Diff([]string{"CONNECT shop.example:443"}, p.asked); diff != "" || len(internet.Lookups()) != 0 {
			t.Errorf("look-ups %v; the proxy was asked (-want +got):\n%s", internet.Lookups(), diff)
		}
		// Beside an error, too.
		site, err = c.Resolve(t.Context(), "nowhere.example")
		if !errors.Is(err, wayfind.ErrUnreachable) || len(said(site, "policy")) != 1 {
			t.Errorf("nowhere: %v, %v", err, site.Diagnostics)
		}
		// Its answers come back from the store, to Clients behind that proxy.
		synctest.Wait()
		before := len(host.Requests())
		if _, err := newClient(t, internet, shared(far), p.options).Resolve(t.Context(), "shop.example"); err != nil || len(host.Requests()) != before {
			t.Errorf("the store is of no use: %v, %d requests", err, len(host.Requests())-before)
		}
		// No other Client uses them.
		if site, err := newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example"); err != nil || len(host.Requests()) == before || said(site, "policy") != nil {
			t.Errorf("without a proxy: %v, %d requests, %v", err, len(host.Requests())-before, said(site, "policy"))
		}
	})
}

// If a proxy refuses, the verdict is a refusal. If it fails, no answer is attributed to the site.
func TestProxyErrorsAreVerdicts(t *testing.T) {
	for text, want := range map[string]struct {
		kind    error
		code    wayfind.Code
		verdict wayfind.Verdict
	}{
		"HTTP/1.1 403 Forbidden\r\n\r\n":   {wayfind.ErrRefused, wayfind.CodeProxy, wayfind.VerdictRefused},
		"HTTP/1.1 407 Who\r\n\r\n":         {wayfind.ErrRefused, wayfind.CodeProxyAuth, wayfind.VerdictRefused},
		"HTTP/1.1 502 Bad Gateway\r\n\r\n": {wayfind.ErrUnreachable, wayfind.CodeProxy, wayfind.VerdictUnreachable},
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			p := &proxy{t: t, internet: internet, says: text}
			c := newClient(t, internet, p.options)
			site, err := c.Resolve(t.Context(), "shop.example")
			var e *wayfind.Error
			probe := only(t, site)
			if !errors.Is(err, want.kind) || !errors.As(err, &e) || e.Code != want.code || probe.Verdict != want.verdict || probe.Status != 0 {
				t.Errorf("%.12s: %v, %+v", text, err, probe)
			}
			if len(p.asked) != 1 {
				t.Errorf("%.12s: the proxy was asked %q", text, p.asked)
			}
		})
	}
}

// A dialer of the caller's that looks names up itself.
func TestUnsafeDial(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		far := newFarStore()
		var asked []string
		through := func(o *client.Options) {
			o.Network.Dial, o.Network.Resolver = nil, nil
			o.Network.UnsafeDial = func(ctx context.Context, network, hostport string) (net.Conn, error) {
				asked = append(asked, network+" "+hostport)
				return internet.Dial(ctx, netip.AddrPortFrom(host.Addrs()[0], 443))
			}
		}
		site, err := newClient(t, internet, shared(far), through).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"policy.unsafe_dial "}, said(site, "policy")); diff != "" {
			t.Errorf("said of the Site (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"tcp shop.example:443"}, asked); diff != "" || len(internet.Lookups()) != 0 {
			t.Errorf("look-ups %v, asked (-want +got):\n%s", internet.Lookups(), diff)
		}
		synctest.Wait()
		before := len(host.Requests())
		if _, err := newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example"); err != nil || len(host.Requests()) == before {
			t.Errorf("what an own dialer got is read without one: %v", err)
		}
	})
}

// What New refuses of the caller's own configuration.
func TestUnsafeOptionsAreChecked(t *testing.T) {
	proxied, err := security.ParseProxy("http://proxy")
	if err != nil {
		t.Fatal(err)
	}
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no") }
	for name, o := range map[string]*client.Options{
		"two tunnels":        {Policy: security.Guard{UnsafeProxy: proxied}, Network: client.Network{UnsafeDial: dial}},
		"a proxy of nothing": {Policy: security.Guard{UnsafeProxy: &security.Proxy{}}},
		"a list of nothing":  {Policy: security.Guard{SuffixList: &security.SuffixList{}}},
		"NAT64 of IPv4":      {Policy: security.Guard{AllowNAT64: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}},
		"ServerName":         {Network: client.Network{UnsafeTLS: &tls.Config{ServerName: "other.example"}}},
		"TLS 1.1":            {Network: client.Network{UnsafeTLS: &tls.Config{MinVersion: tls.VersionTLS11}}},
		"RootCAs":            {Network: client.Network{UnsafeTLS: &tls.Config{RootCAs: (&clienttest.Internet{}).RootCAs()}}},
		"VerifyConnection":   {Network: client.Network{UnsafeTLS: &tls.Config{VerifyConnection: func(tls.ConnectionState) error { return nil }}}},
	} {
		c, err := client.New(o)
		var e *wayfind.Error
		if !errors.Is(err, wayfind.ErrInvalid) || !errors.As(err, &e) || e.Op != "options" || c != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The caller's list decides the limits of a site in all respects: the trust in a document, the
// links that are followed, the allowed redirects, the approvals of Describe, and the hosts that a
// pause applies to.
func TestTheSuffixListOfTheCallerDecides(t *testing.T) {
	parsed := func(text string) *security.SuffixList {
		list, err := security.ParseSuffixList(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	// Bundled: example.com is a registrable domain. Own: it is a suffix.
	for name, row := range map[string]struct {
		list *security.SuffixList
		same bool
	}{"bundled": {nil, true}, "own, alike": {parsed("com\n"), true}, "own, split": {parsed("com\nplatform.com\n"), false}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				shop := internet.Host("shop.platform.com", clienttest.Pages{
					"/x":      `{"toy": ["a"], "links": ["https://other.platform.com/linked"]}`,
					wellKnown: manifest("other.platform.com", "/d/send"),
				})
				shop.Handle("/moved", clienttest.Redirect(http.StatusFound, "https://other.platform.com/linked"))
				other := internet.Host("other.platform.com", clienttest.Pages{"/linked": `{"toy": ["b"]}`, "/d/send": detail("send", "/api")})
				near := toy("near", parse.Location{Path: "/moved"})
				near.Limits.SameSiteOnly = true
				c := newClient(t, internet, withFormats(adp.Format(), toy("toy", parse.Location{Path: "/x"}), near), func(o *client.Options) {
					o.Policy.SuffixList = row.list
				})
				if access.Of(c).SameSite("shop.platform.com", "other.platform.com") != row.same {
					t.Error("Client.SameSite")
				}
				site, err := c.Resolve(t.Context(), "shop.platform.com")
				if err != nil {
					t.Fatal(err)
				}
				if followed := slices.Contains(other.Paths(), "/linked"); followed != row.same {
					t.Errorf("asked the other host for %v", other.Paths())
				}
				for _, p := range site.Probes {
					if p.URL == "https://shop.platform.com/moved" && (p.Reason == string(wayfind.CodeRedirectCrossSite)) == row.same {
						t.Errorf("a redirect within the site: %+v", p)
					}
				}
				_, capability := site.Capability("adp:send")
				if capability == nil || (capability.Trust == wayfind.TrustSameSite) != row.same {
					t.Errorf("trust in a detail document: %+v", capability)
				}
				if _, err := c.Describe(t.Context(), site, "adp:send"); (err == nil) != row.same {
					t.Errorf("Describe without an approval: %v", err)
				}
			})
			body := strings.ReplaceAll(manifest("other.platform.com"), `"capabilities": []`,
				`"capabilities": [{"name": "a", "description": "Do the thing called a", "detail_url": "https://other.platform.com/a"}]`)
			got, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://shop.platform.com" + wellKnown, SuffixList: row.list})
			if err != nil || len(got.Site.Services) == 0 {
				t.Fatalf("%v, %+v", err, got)
			}
			if _, capability := got.Site.Capability("adp:a"); capability == nil || (capability.Trust == wayfind.TrustSameSite) != row.same {
				t.Errorf("Parse: %+v", capability)
			}
		})
	}
}
