package clienttest_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

func addrs(list ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

func sameAddr(a, b netip.Addr) bool { return a == b }

func TestLookup(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("both.example", nil).At(addrs("2606:2800:220:1::9", "93.184.216.99")...)
		internet.DNS("rebind.example",
			clienttest.Addrs(addrs("93.184.216.7")...),
			clienttest.Addrs(addrs("127.0.0.1", "::1")...))
		internet.DNS("back.example", clienttest.NXDomain(), clienttest.Answer{})
		internet.Host("back.example", nil).At(addrs("93.184.216.8")...)
		for _, tt := range []struct {
			network, name string
			want          []netip.Addr // nil: not found
		}{
			{"ip", "both.example", addrs("2606:2800:220:1::9", "93.184.216.99")},
			{"ip4", "BOTH.example.", addrs("93.184.216.99")},
			{"ip6", "both.example", addrs("2606:2800:220:1::9")},
			{"ip", "rebind.example", addrs("93.184.216.7")},
			{"ip", "rebind.example.", addrs("127.0.0.1", "::1")},
			{"ip4", "rebind.example.", addrs("127.0.0.1")},
			{"ip", "back.example", nil},
			{"ip6", "back.example", nil},
			{"ip", "back.example", addrs("93.184.216.8")},
			{"ip", "unknown.example", nil},
		} {
			got, err := internet.LookupNetIP(t.Context(), tt.network, tt.name)
			var dnsErr *net.DNSError
			if tt.want == nil && (!errors.As(err, &dnsErr) || !dnsErr.IsNotFound) || tt.want != nil && err != nil {
				t.Errorf("%s %s: %v", tt.network, tt.name, err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.Comparer(sameAddr)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", tt.network, tt.name, diff)
			}
		}
		if got := internet.Lookups(); len(got) != 10 || got[1].Name != "BOTH.example." || got[1].Network != "ip4" {
			t.Errorf("look-ups: %v", got)
		}
	})
}

func TestLookupFailures(t *testing.T) {
	for _, tt := range []struct {
		name      string
		answer    clienttest.Answer
		took      time.Duration
		timeout   bool
		temporary bool
		notFound  bool
	}{
		{"servfail", clienttest.ServFail(), 0, false, true, false},
		{"slow nxdomain", clienttest.NXDomain().After(time.Second), time.Second, false, false, true},
		{"no answer", clienttest.NoAnswer(), time.Minute, true, true, false},
		{"gives up", clienttest.NoAnswer().After(5 * time.Second), 5 * time.Second, true, true, false},
		{"too late", clienttest.Addrs(addrs("93.184.216.7")...).After(time.Hour), time.Minute, true, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.DNS("a.example", tt.answer)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				got, err := internet.LookupNetIP(ctx, "ip", "a.example")
				var dnsErr *net.DNSError
				if got != nil || !errors.As(err, &dnsErr) {
					t.Fatalf("%v, %v", got, err)
				}
				if dnsErr.IsTimeout != tt.timeout || dnsErr.IsTemporary != tt.temporary || dnsErr.IsNotFound != tt.notFound {
					t.Errorf("%+v", dnsErr)
				}
				if tt.timeout && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("not a deadline: %v", err)
				}
				if time.Since(start) != tt.took {
					t.Errorf("took %v, want %v", time.Since(start), tt.took)
				}
			})
		})
	}
}

func TestLookupCanceled(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.DNS("a.example", clienttest.NoAnswer())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := internet.LookupNetIP(ctx, "ip", "a.example")
		var dnsErr *net.DNSError
		if !errors.Is(err, context.Canceled) || !errors.As(err, &dnsErr) || dnsErr.IsTimeout {
			t.Errorf("got %v", err)
		}
	})
}
