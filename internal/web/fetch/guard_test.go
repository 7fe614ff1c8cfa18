package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
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

func blocked() answer {
	return answer{Op: "dial", Code: wayfind.CodeBlockedAddress, Kind: wayfind.ErrRefused}
}

// never is a look-up that does not return before the test ends, whatever its context, as the C
// resolver may.
func (w *world) never() func() ([]netip.Addr, error) {
	over := make(chan struct{})
	w.t.Cleanup(func() { close(over) })
	return func() ([]netip.Addr, error) {
		<-over
		return nil, errors.New("too late")
	}
}

// trackingListener can close the connections that it accepted.
type trackingListener struct {
	*memconn.Listener
	mu       sync.Mutex
	accepted []net.Conn
}

func (l *trackingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.accepted = append(l.accepted, c)
	}
	return c, err
}

func (l *trackingListener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.accepted {
		_ = c.Close()
	}
	l.accepted = nil
}

func TestEachDialOfARebindingNameIsGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, hello)
		var n atomic.Int32
		w.answer("shop.example.com", func() ([]netip.Addr, error) {
			if n.Add(1)%2 == 1 {
				return []netip.Addr{netip.MustParseAddr(ip1)}, nil
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		})
		c := w.conns(func(o *Options) { o.KeepAlive = -1 })
		for i := range 200 {
			want := answer{Status: 200, Body: "hello"}
			if i%2 == 1 {
				want = blocked()
			}
			sameAnswer(t, want, get(t, t.Context(), c, site))
		}
		for _, addr := range w.dialled() {
			if addr.Addr().String() != ip1 {
				t.Fatalf("dialled %v", addr)
			}
		}
		if n.Load() != 200 || w.dialCount() != 100 {
			t.Errorf("%d look-ups, %d dials", n.Load(), w.dialCount())
		}
	})
}

func TestAMixedAnswerOfANameServerIsRefused(t *testing.T) {
	for _, addrs := range [][]string{
		{ip1, "::1"}, {"2606:2800:220:1::1", "127.0.0.1"}, {ip1, "10.0.0.1"}, {"169.254.169.254", ip1},
	} {
		w := newWorld(t)
		w.name("shop.example.com", addrs...)
		sameAnswer(t, blocked(), get(t, t.Context(), w.conns(nil), site))
		if w.dialCount() != 0 {
			t.Errorf("%v: dialled %v", addrs, w.dialled())
		}
	}
}

// Only the public addresses are dialled, also while they are silent and the private one
// would answer.
func TestOnlyPublicAddressesOfAMixedAnswerAreDialled(t *testing.T) {
	lenient := func(o *Options) { o.Policy = &security.Guard{AllowMixedDNS: true} }
	const six = "2606:2800:220:1::1"
	for _, addrs := range [][]string{{ip1, "10.0.0.1"}, {"10.0.0.1", ip1}, {"::1", ip1, "169.254.169.254", six}, {six, "::ffff:10.0.0.1"}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			for _, a := range addrs {
				if public := a == ip1 || a == six; public {
					w.blackhole(a)
				} else {
					w.serve(w.listen(a), "shop.example.com", hello)
				}
			}
			w.name("shop.example.com", addrs...)
			c := w.conns(lenient)
			sameAnswer(t, failed("dial", wayfind.CodeTimeout), get(t, t.Context(), c, site))
			for _, addr := range w.dialled() {
				if a := addr.Addr().String(); a != ip1 && a != six {
					t.Errorf("%v: dialled %v", addrs, addr)
				}
			}
			if w.dialCount() == 0 || !c.Mixed("shop.example.com") || c.Mixed("www.example.com") {
				t.Errorf("%v: %d dials, mixed %v", addrs, w.dialCount(), c.Mixed("shop.example.com"))
			}
		})
	}
	w := newWorld(t)
	w.site("shop.example.com", ip1, hello)
	w.name("shop.example.com", "10.0.0.1", ip1)
	sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), w.conns(lenient), site))
	w.name("shop.example.com", "10.0.0.1", "127.0.0.1")
	sameAnswer(t, blocked(), get(t, t.Context(), w.conns(lenient), site))
}

// TestAddressesBehindNAT64AreJudged: over a network that has nothing but IPv6.
func TestAddressesBehindNAT64AreJudged(t *testing.T) {
	const synthesised = "64:ff9b::5db8:d822" // ip1
	for name, tt := range map[string]struct {
		policy security.Guard
		addr   string
		want   answer
	}{
		"not asked for":  {security.Guard{}, synthesised, blocked()},
		"allowed":        {security.Guard{AllowNAT64: []netip.Prefix{security.WellKnownNAT64()}}, synthesised, answer{Status: 200, Body: "hello"}},
		"metadata":       {security.Guard{AllowNAT64: []netip.Prefix{security.WellKnownNAT64()}}, "64:ff9b::a9fe:a9fe", blocked()},
		"another prefix": {security.Guard{AllowNAT64: []netip.Prefix{netip.MustParsePrefix("fd00:64::/96")}}, synthesised, blocked()},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.site("shop.example.com", tt.addr, hello)
			sameAnswer(t, tt.want, get(t, t.Context(), w.conns(func(o *Options) { o.Policy = &tt.policy }), site))
			if dialled := w.dialCount() > 0; dialled != (tt.want.Status == 200) {
				t.Errorf("dialled %v", w.dialled())
			}
		})
	}
}

func TestOfManyAddressesFourAreDialled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var addrs []string
		for i := range 4096 {
			addrs = append(addrs, fmt.Sprintf("93.184.%d.%d", i/256, i%256))
			w.blackhole(addrs[i])
		}
		w.name("shop.example.com", addrs...)
		start := time.Now()
		sameAnswer(t, failed("dial", wayfind.CodeTimeout), get(t, t.Context(), w.conns(nil), site))
		if d := time.Since(start); d != dialTimeout || w.dialCount() != 4 {
			t.Errorf("%d dials in %v", w.dialCount(), d)
		}
	})
}

func TestANewConnectionIsGuardedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.name("shop.example.com", ip1)
		l := &trackingListener{Listener: w.listen(ip1)}
		w.serve(l, "shop.example.com", hello)
		c := w.conns(nil)
		sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
		w.name("shop.example.com", "10.0.0.1")
		sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
		l.closeAll()
		synctest.Wait()
		sameAnswer(t, blocked(), get(t, t.Context(), c, site))
		if w.dialCount() != 1 {
			t.Errorf("dialled %v", w.dialled())
		}
	})
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"} {
		t.Setenv(name, "http://169.254.169.254:3128")
	}
	w := newWorld(t)
	w.site("shop.example.com", ip1, hello)
	sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), w.conns(nil), site))
	if diff := cmp.Diff([]netip.AddrPort{netip.MustParseAddrPort(ip1 + ":443")}, w.dialled(), cmp.Comparer(sameAddr)); diff != "" {
		t.Errorf("dials (-want +got):\n%s", diff)
	}
}

func sameAddr(a, b netip.AddrPort) bool { return a == b }

func TestTheRootedNameIsLookedUp(t *testing.T) {
	w := newWorld(t)
	var host, sni string
	w.site("shop.example.com", ip1, func(_ http.ResponseWriter, r *http.Request) {
		host, sni = r.Host, r.TLS.ServerName
	})
	get(t, t.Context(), w.conns(nil), site)
	if diff := cmp.Diff([]string{"ip shop.example.com."}, w.lookups); diff != "" {
		t.Errorf("look-ups (-want +got):\n%s", diff)
	}
	if host != "shop.example.com" || sni != "shop.example.com" {
		t.Errorf("Host %q, server name %q", host, sni)
	}
}

func TestAResolverThatHangsEndsInItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		over := make(chan struct{})
		defer close(over)
		w.answer("shop.example.com", func() ([]netip.Addr, error) { <-over; return nil, nil })
		start := time.Now()
		sameAnswer(t, failed("dns", wayfind.CodeTimeout), get(t, t.Context(), w.conns(nil), site))
		if d := time.Since(start); d != lookupTimeout {
			t.Errorf("took %v", d)
		}
	})
	if r, ok := (&Options{}).resolver().(*systemResolver); !ok || !r.PreferGo {
		t.Error("the default resolver is not Go's own")
	}
}

func TestFailuresOfResolversAreTypedErrors(t *testing.T) {
	tests := []struct {
		name      string
		err       error
		code      wayfind.Code
		temporary bool
	}{
		{"servfail", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, wayfind.CodeDNS, true},
		{"nxdomain", &net.DNSError{Err: "no such host", IsNotFound: true}, wayfind.CodeDNSNotFound, false},
		{"timeout", &net.DNSError{Err: "i/o timeout", IsTimeout: true}, wayfind.CodeTimeout, true},
		{"cname loop", &net.DNSError{Err: "lame referral"}, wayfind.CodeDNS, true},
		{"no address", nil, wayfind.CodeDNSNotFound, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.answer("shop.example.com", func() ([]netip.Addr, error) { return nil, tt.err })
			got, err := getErr(t, t.Context(), w.conns(nil), site)
			sameAnswer(t, failed("dns", tt.code), got)
			if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Temporary() != tt.temporary {
				t.Errorf("temporary is not %v: %v", tt.temporary, err)
			}
		})
	}
}

// TestNoOptionLeavesTheGuardOut: nothing that Options can hold leaves the guard out.
func TestNoOptionLeavesTheGuardOut(t *testing.T) {
	var dials atomic.Int32
	count := func(context.Context, netip.AddrPort) (net.Conn, error) {
		dials.Add(1)
		return nil, errors.New("dialled")
	}
	to := netip.MustParseAddrPort("127.0.0.1:443")
	for _, o := range []Options{
		{},
		{Policy: &security.Guard{}},
		{Policy: &security.Guard{ConnectTo: map[string]netip.AddrPort{"shop.example.com:443": to}}},
	} {
		w := newWorld(t)
		w.name("shop.example.com", "127.0.0.1")
		o.Resolver, o.Dial = w, count
		c := NewConns(o)
		sameAnswer(t, blocked(), get(t, t.Context(), c, site))
		_ = c.Close()
	}
	if dials.Load() != 0 {
		t.Errorf("%d dials", dials.Load())
	}
}

// TestDefaultDialChecksAgain: the hook at the socket refuses an address that
// came past the first check, before a packet leaves.
func TestDefaultDialChecksAgain(t *testing.T) {
	canary, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer canary.Close()
	accepted := make(chan struct{}, 1)
	go func() {
		if c, err := canary.Accept(); err == nil {
			accepted <- struct{}{}
			_ = c.Close()
		}
	}()
	addr := netip.MustParseAddrPort(canary.Addr().String())
	_, err = newDialer(&Options{}).race(t.Context(), []netip.AddrPort{addr})
	sameAnswer(t, blocked(), answerOf(t, 0, "", err))
	select {
	case <-accepted:
		t.Error("the canary was connected to")
	default:
	}
}

// TestConnectToLoopback is the only way to a server on loopback: both the target and the range are
// needed, and the identity stays the one of the name.
func TestConnectToLoopback(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	l := server.Listener
	defer l.Close()
	w.serve(l, "shop.example.com", hello)
	to := netip.MustParseAddrPort(l.Addr().String())
	policy := &security.Guard{
		ConnectTo: map[string]netip.AddrPort{"shop.example.com:443": to},
		AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	c := NewConns(Options{Policy: policy, RootCAs: w.ca.pool, Resolver: w})
	defer c.Close()
	sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
	if len(w.lookups) != 0 {
		t.Errorf("look-ups %v", w.lookups)
	}
}

// TestABlackHoleOfOneFamilyCostsOneDelay: IPv6 is silent, IPv4 answers after one delay.
func TestABlackHoleOfOneFamilyCostsOneDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, hello)
		const six = "2606:2800:220:1::1"
		w.name("shop.example.com", six, "2606:2800:220:1::2", "2606:2800:220:1::3", ip1)
		w.blackhole(six)
		start := time.Now()
		sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), w.conns(nil), site))
		if d := time.Since(start); d != fallbackDelay || w.dialCount() != 2 {
			t.Errorf("%v after %v", w.dialled(), d)
		}
	})
}

func TestInterleave(t *testing.T) {
	var in []netip.Addr
	for a := range strings.FieldsSeq("2606::1 2606::2 2606::1 2606::3 1.1.1.1 1.1.1.2") {
		in = append(in, netip.MustParseAddr(a))
	}
	var got []string
	for _, a := range interleave(in) {
		got = append(got, a.String())
	}
	want := []string{"2606::1", "1.1.1.1", "2606::2", "1.1.1.2", "2606::3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
