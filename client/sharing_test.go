package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
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
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// An approval of one caller is not valid for another, even if the answer is in a store that they
// share.
func TestAnApprovalIsNotShared(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("api.other.example.net", "/a")})
		other := internet.Host("api.other.example.net", clienttest.Pages{"/a": detail("a", "/x")})
		far := newFarStore()
		agrees := newClient(t, internet, shared(far), func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		})
		site, err := agrees.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agrees.Describe(t.Context(), site, "adp:a"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantAsked(t, "with an approval", other, map[string]int{"/a": 1})
		for name, change := range map[string]func(*client.Options){
			"nobody to ask": func(*client.Options) {},
			"a no": func(o *client.Options) {
				o.Approve = func(context.Context, security.ApprovalRequest) error { return errors.New("no") }
			},
		} {
			c := newClient(t, internet, shared(far), change)
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			if _, capability := site.Capability("adp:a"); capability.Trust != wayfind.TrustNeedsApproval {
				t.Errorf("%s: trust %s", name, capability.Trust)
			}
			if d, err := c.Describe(t.Context(), site, "adp:a"); !errors.Is(err, wayfind.ErrRefused) || d.Capability.Invocation != nil {
				t.Errorf("%s: %v, %+v", name, err, d.Capability.Invocation)
			}
		}
	})
}

// The store has the answers of the origin. A caller with other rules reads them by these rules, and
// the entries contain no spelling, trace, agent or reading of a caller.
func TestEntriesAreDataOfTheOrigin(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		// Broken by the rules of Strict: the name of the auth header.
		broken := strings.Replace(manifest("shop.example", "/a"), `{"type": "none"}`, `{"type": "api_key", "header": "X\r\nY", "prefix": ""}`, 1)
		host := internet.Host("shop.example", page(broken, "Cache-Control", "max-age=3600"))
		alone, aloneErr := newClient(t, internet).Resolve(t.Context(), "shop.example")
		strict := func(o *client.Options) { o.Strict = true }
		aloneStrict, strictErr := newClient(t, internet, strict).Resolve(t.Context(), "shop.example")
		if aloneErr != nil || !errors.Is(strictErr, wayfind.ErrInvalid) {
			t.Fatalf("the test is about nothing: %v, %v", aloneErr, strictErr)
		}
		asked := len(host.Paths())
		for _, row := range []struct {
			change func(*client.Options)
			want   *wayfind.Site
		}{
			{strict, aloneStrict},
			{func(o *client.Options) { o.Network.UserAgent = "marked-agent/1" }, alone},
			{func(o *client.Options) { o.Limits.Concurrency = 1 }, alone},
		} {
			var trace client.Trace
			ctx := client.WithTrace(context.WithValue(t.Context(), markKey{}, "marked-context"), &trace)
			site, _ := newClient(t, internet, shared(store), row.change).Resolve(ctx, "https://SHOP.example:443/#marked")
			synctest.Wait()
			own := *site
			own.Diagnostics = own.Diagnostics[1:] // the diagnostics of the caller's spelling
			if d := cmp.Diff(text(t, row.want), text(t, &own)); d != "" {
				t.Errorf("not what a Client alone reads (-want +got):\n%s", d)
			}
		}
		if n := len(host.Paths()) - asked; n != 1 {
			t.Errorf("three Clients of one store asked %d times", n)
		}
		far, ok := store.(*farStore)
		if !ok {
			return
		}
		dump := far.dump()
		if !strings.Contains(dump, `"spec_version"`) {
			t.Error("the dump is empty: the test is about nothing")
		}
		for _, word := range []string{"marked", "strict", "malformed", "operation", "Diagnostic", "SHOP"} {
			if strings.Contains(dump, word) {
				t.Errorf("the store holds %q", word)
			}
		}
	})
}

type markKey struct{}

// text returns a Site as JSON, without its times: if two readers give an answer different
// lifetimes, the shorter one is used.
func text(t *testing.T, site *wayfind.Site) string {
	t.Helper()
	own := *site
	own.ResolvedAt, own.FreshUntil = time.Time{}, time.Time{}
	own.Sources, own.Probes = slices.Clone(site.Sources), slices.Clone(site.Probes)
	for i := range own.Sources {
		own.Sources[i].FreshUntil, own.Sources[i].FetchedAt = time.Time{}, time.Time{}
	}
	for i := range own.Probes {
		own.Probes[i].FreshUntil = time.Time{}
	}
	out, err := json.Marshal(&own)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// twoFaced is a host that returns one document to all clients, and another one at an address of its
// own, which only some Clients contact. It counts the paths of the requests to each.
type twoFaced struct {
	common, own netip.Addr
	pages       map[netip.Addr]map[string]clienttest.Page
	mu          sync.Mutex
	asked       map[netip.Addr]map[string]bool
}

func newTwoFaced(internet *clienttest.Internet) *twoFaced {
	const day = "max-age=86400"
	busy := clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"86400"}}}
	f := &twoFaced{common: internet.NewAddr(), own: addr("10.0.0.1"), asked: map[netip.Addr]map[string]bool{}}
	f.pages = map[netip.Addr]map[string]clienttest.Page{
		f.common: {"/there": page(`{"there": ["common"]}`, "Cache-Control", day), agentsmd.Path: prose("Cache-Control", day), "/failing": page(`{"failing": []}`)},
		// All that can be left behind: a document, an absence, a floor
		// without a document, a cool-down.
		f.own: {"/there": page(`{"there": ["own"]}`, "Cache-Control", day), agentsmd.Path: prose("Cache-Control", "no-store"), "/failing": {Status: 500}, "/busy": busy},
	}
	internet.Host("shop.example", f).At(f.common, f.own)
	internet.DNS("shop.example", clienttest.Addrs(f.common))
	return f
}

func (f *twoFaced) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	at := netip.MustParseAddrPort(local.String()).Addr()
	f.mu.Lock()
	if f.asked[at] == nil {
		f.asked[at] = map[string]bool{}
	}
	f.asked[at][r.URL.Path] = true
	f.mu.Unlock()
	if r.URL.Path == "/busy" {
		time.Sleep(time.Second) // its cool-down is the origin's: the others go first
	}
	if p, ok := f.pages[at][r.URL.Path]; ok {
		p.ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// take returns the requests since the last call.
func (f *twoFaced) take() map[netip.Addr]map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = map[netip.Addr]map[string]bool{}
	return asked
}

// resolver knows one address.
type resolver struct{ addr netip.Addr }

func (r resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{r.addr}, nil
}

// views are Clients that contact the host's own address.
func (f *twoFaced) views(internet *clienttest.Internet) map[string]func(*client.Options) {
	allow := func(o *client.Options) { o.Policy.AllowCIDR = []netip.Prefix{netip.PrefixFrom(f.own, 32)} }
	return map[string]func(*client.Options){
		"AllowCIDR": func(o *client.Options) { allow(o); o.Network.Resolver = resolver{f.own} },
		"ConnectTo": func(o *client.Options) {
			allow(o)
			o.Policy.ConnectTo = map[string]netip.AddrPort{"shop.example:443": netip.AddrPortFrom(f.own, 443)}
		},
		"a View": func(o *client.Options) { o.Network.View, o.Network.Resolver = "mine", resolver{f.own}; allow(o) },
		"no View": func(o *client.Options) {
			o.Network.View = ""
			o.Network.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
				return internet.Dial(ctx, netip.AddrPortFrom(f.own, a.Port()))
			}
		},
	}
}

// A Client to whom others answer leaves nothing that a Client without that
// reads, and the other way round: no document, no absence, no pause, no
// cool-down.
func TestViewsShareNothing(t *testing.T) {
	for _, name := range []string{"AllowCIDR", "ConnectTo", "a View", "no View"} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := newTwoFaced(internet)
				other := host.views(internet)[name]
				formats := withFormats(toy("there", parse.Location{Path: "/there"}, parse.Location{Path: "/gone"}),
					toy("failing", parse.Location{Path: "/failing"}), agentsmd.Format(), toy("busy", parse.Location{Path: "/busy"}))
				run := func(who string, want netip.Addr, change ...func(*client.Options)) {
					t.Helper()
					c := newClient(t, internet, append(change, formats, shared(store))...)
					if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
						t.Errorf("%s: %v", who, err)
					}
					synctest.Wait()
					all := map[string]bool{"/there": true, "/gone": true, "/failing": true, "/busy": true, agentsmd.Path: true}
					if d := cmp.Diff(map[netip.Addr]map[string]bool{want: all}, host.take(), cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); d != "" {
						t.Errorf("%s: asked for (-want +got):\n%s", who, d)
					}
				}
				run("another view", host.own, other)
				run("everybody", host.common)
				if name == "no View" { // it is drawn anew
					run("another view once more", host.own, other)
				}
			})
		})
	}
}

// The view contains all options that determine which server answers.
func TestTheViewContainsAllOptionsThatChooseTheServer(t *testing.T) {
	suffixes, err := security.ParseSuffixList(strings.NewReader("com"))
	proxied, proxyErr := security.ParseProxy("http://proxy")
	if err := errors.Join(err, proxyErr); err != nil {
		t.Fatal(err)
	}
	set := map[string]client.Options{
		"nothing":    {Timeout: time.Second, Strict: true, Network: client.Network{UserAgent: "x"}},
		"Dial":       {Network: client.Network{Dial: (&clienttest.Internet{}).Dial}},
		"Resolver":   {Network: client.Network{Resolver: resolver{}}},
		"RootCAs":    {Network: client.Network{RootCAs: x509.NewCertPool()}},
		"ConnectTo":  {Policy: security.Guard{ConnectTo: map[string]netip.AddrPort{"a:443": netip.MustParseAddrPort("192.0.2.1:443")}}},
		"AllowCIDR":  {Policy: security.Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}},
		"NAT64":      {Policy: security.Guard{AllowNAT64: []netip.Prefix{security.WellKnownNAT64()}}},
		"mixed":      {Policy: security.Guard{AllowMixedDNS: true}},
		"suffixes":   {Policy: security.Guard{SuffixList: suffixes}},
		"a proxy":    {Policy: security.Guard{UnsafeProxy: proxied}},
		"UnsafeDial": {Network: client.Network{UnsafeDial: func(context.Context, string, string) (net.Conn, error) { return nil, nil }}},
		"UnsafeTLS":  {Network: client.Network{UnsafeTLS: &tls.Config{}}},
		"View":       {Network: client.Network{View: "mine"}},
		"both":       {Network: client.Network{View: "mine", Dial: (&clienttest.Internet{}).Dial}},
	}
	first, second := map[string]string{}, map[string]string{}
	for name, o := range set {
		first[name], second[name] = client.ViewOf(&o, "one"), client.ViewOf(&o, "two")
	}
	if first["nothing"] != "" {
		t.Errorf("the plain Internet is view %q", first["nothing"])
	}
	for name := range set {
		drawn := slices.Contains([]string{"Dial", "Resolver", "RootCAs", "UnsafeDial", "UnsafeTLS"}, name)
		if name != "nothing" && first[name] == "" || drawn == (first[name] == second[name]) {
			t.Errorf("%s: views %q and %q", name, first[name], second[name])
		}
	}
	if first["View"] != first["both"] {
		t.Errorf("views %v", first)
	}
	seen := map[string]string{}
	for _, name := range []string{"nothing", "Dial", "ConnectTo", "AllowCIDR", "NAT64", "mixed", "suffixes", "a proxy", "View"} {
		if other, ok := seen[first[name]]; ok {
			t.Errorf("%s and %s share a view", name, other)
		}
		seen[first[name]] = name
	}
}

// A stored answer from an address that the present policy refuses is a miss.
func TestAStoredAnswerOfARefusedAddressIsAMiss(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600", "ETag", `"1"`))
		far := newFarStore()
		if _, err := newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example"); err != nil || len(host.Paths()) != 1 {
			t.Errorf("the store is of no use: %v, asked for %v", err, host.Paths())
		}
		for _, address := range []string{"10.0.0.1:443", "127.0.0.1:443", "[::1]:443", "169.254.169.254:80"} {
			far.rewrite(t, func(e *cache.Entry) { e.RemoteAddr = netip.MustParseAddrPort(address) })
			before := len(host.Requests())
			site, err := newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example")
			synctest.Wait()
			asked := host.Requests()[before:]
			if err != nil || len(site.Services) != 1 || len(asked) != 1 || asked[0].Header.Get("If-None-Match") != "" {
				t.Errorf("from %s: %v, requests %+v; want one without a condition", address, err, asked)
			}
		}
	})
}
