package security

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// nat64Prefixes returns a prefix of each length, in each place where a prefix is allowed.
func nat64Prefixes() []netip.Prefix {
	var list []netip.Prefix
	for s := range strings.FieldsSeq(`64:ff9b::/96 64:ff9b:1::/48 64:ff9b:1:fffe::/96 2a00:1234::/32
		2a00:1234:5600::/40 2a00:1234:5678::/48 2a00:1234:5678:9a00::/56 2a00:1234:5678:9abc::/64 fd00:64::/96`) {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

// synthesise implements the translation of RFC 6052 §2.3 from its figure: the address follows
// the prefix and omits octet 8.
func synthesise(prefix netip.Prefix, v4 netip.Addr) netip.Addr {
	at := map[int][4]int{32: {4, 5, 6, 7}, 40: {5, 6, 7, 9}, 48: {6, 7, 9, 10}, 56: {7, 9, 10, 11}, 64: {9, 10, 11, 12}, 96: {12, 13, 14, 15}}
	b, from := prefix.Addr().As16(), v4.As4()
	for i, to := range at[prefix.Bits()] {
		b[to] = from[i]
	}
	return netip.AddrFrom16(b)
}

// TestTheTableOfRFC6052Holds checks the table of §2.4.
func TestTheTableOfRFC6052Holds(t *testing.T) {
	for _, row := range [][2]string{
		{"2001:db8::/32", "2001:db8:c000:221::"},
		{"2001:db8:100::/40", "2001:db8:1c0:2:21::"},
		{"2001:db8:122::/48", "2001:db8:122:c000:2:2100::"},
		{"2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::"},
		{"2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::"},
		{"2001:db8:122:344::/96", "2001:db8:122:344::192.0.2.33"},
		{"64:ff9b::/96", "64:ff9b::192.0.2.33"},
	} {
		prefix, addr := netip.MustParsePrefix(row[0]), netip.MustParseAddr(row[1])
		want := netip.MustParseAddr("192.0.2.33")
		if got, ok := embeddedIPv4(prefix, addr); !ok || got != want {
			t.Errorf("%s under %s: %s, %v", addr, prefix, got, ok)
		}
		if got := synthesise(prefix, want); got != addr {
			t.Errorf("the test synthesises %s, want %s", got, addr)
		}
	}
}

// TestNAT64AddressesAreDecodedAndJudged checks that an address under each configured prefix is
// decoded and judged like the IPv4 address, and that addresses under other prefixes are not.
func TestNAT64AddressesAreDecodedAndJudged(t *testing.T) {
	rows := golden.VectorRows(t, "ip", "own_ip_vectors.tsv")[1:]
	judged := 0
	for _, prefix := range nat64Prefixes() {
		policy := &Guard{AllowNAT64: []netip.Prefix{prefix}}
		if err := policy.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			v4, err := netip.ParseAddr(row[0])
			if err != nil || !v4.Is4() {
				continue
			}
			judged++
			addr := synthesise(prefix, v4)
			var want wayfind.Code
			if row[1] == "1" {
				want = wayfind.CodeBlockedAddress
			}
			for _, err := range []error{
				policy.CheckAddr(addr),
				policy.Control(t.Context(), "tcp6", netip.AddrPortFrom(addr, 443).String(), nil),
			} {
				if code(err) != want {
					t.Errorf("%s for %s (%s): %v, want code %q", addr, v4, row[2], err, want)
				}
			}
			if special := !globalUnicast().Contains(prefix.Addr()); special && code(new(Guard).CheckAddr(addr)) != wayfind.CodeBlockedAddress {
				t.Errorf("%s is allowed by default", addr)
			}
			for _, other := range nat64Prefixes() {
				if !other.Overlaps(prefix) && other.Addr().As16()[0] == 0 && code(policy.CheckAddr(synthesise(other, v4))) != wayfind.CodeBlockedAddress {
					t.Errorf("%s is allowed by %s", synthesise(other, v4), prefix)
				}
			}
		}
	}
	if judged < golden.Least(t, golden.EnvVectors, 400) {
		t.Errorf("only %d addresses", judged)
	}
}

// TestOtherFormsOfIPv4StayRefused checks other forms for each allowed NAT64 prefix.
func TestOtherFormsOfIPv4StayRefused(t *testing.T) {
	policy := &Guard{AllowNAT64: []netip.Prefix{WellKnownNAT64(), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2a00:1234::/32")}}
	for _, s := range []string{
		"::8.8.8.8", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "2002:808:808::", "2001:0:808:808::1", "::1", "fd00::1", "100::1",
		"64:ff9b::1:808:808",       // not under the /96
		"64:ff9b:1:808:8:800:0:1",  // a suffix
		"64:ff9b:1:808:108:800::",  // octet u is not zero
		"2a00:1234:808:808:100::",  // the same
		"2a00:1234:808:808::1",     // a suffix
		"2a00:1234:a9fe:a9fe::",    // metadata, inside 2000::/3
		"64:ff9b:2::8.8.8.8",       // in no registry, outside 2000::/3
		"64:ff9b::8.8.8.8%eth0",    // a zone
		"64:ff9b::168.63.129.16",   // a platform
		"64:ff9b::224.0.0.1",       // multicast
		"64:ff9b::255.255.255.255", // broadcast
	} {
		if err := policy.CheckAddr(netip.MustParseAddr(s)); code(err) != wayfind.CodeBlockedAddress {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := new(Guard).CheckAddr(netip.MustParseAddr("2a00:1234:a9fe:a9fe::")); err != nil {
		t.Errorf("an operator's prefix that nobody names: %v", err)
	}
}

// TestAnAllowedRangeHoldsBehindNAT64 checks that an allowed range of private IPv4 addresses is
// also allowed behind NAT64. An allowed range that contains the prefix does not replace the
// decoding.
func TestAnAllowedRangeHoldsBehindNAT64(t *testing.T) {
	policy := &Guard{
		AllowNAT64: []netip.Prefix{WellKnownNAT64()},
		AllowCIDR:  []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::/0")},
	}
	for s, want := range map[string]wayfind.Code{
		"64:ff9b::10.1.2.3": "", "64:ff9b::8.8.8.8": "", "64:ff9b::192.168.1.1": wayfind.CodeBlockedAddress, "::1": "",
	} {
		if err := policy.CheckAddr(netip.MustParseAddr(s)); code(err) != want {
			t.Errorf("%s: %v, want code %q", s, err, want)
		}
	}
}

// TestARefusedAddressBehindNAT64MakesAMixedAnswer checks that an answer with a refused address
// behind NAT64 is mixed.
func TestARefusedAddressBehindNAT64MakesAMixedAnswer(t *testing.T) {
	good, bad := netip.MustParseAddr("64:ff9b::8.8.8.8"), netip.MustParseAddr("64:ff9b::10.0.0.1")
	policy := &Guard{AllowNAT64: []netip.Prefix{WellKnownNAT64()}}
	if got, err := policy.CheckAnswer("a.example", []netip.Addr{good, bad}); code(err) != wayfind.CodeBlockedAddress {
		t.Errorf("strict: %v, %v", got, err)
	}
	policy.AllowMixedDNS = true
	if got, err := policy.CheckAnswer("a.example", []netip.Addr{bad, good}); err != nil || len(got) != 1 || got[0] != good {
		t.Errorf("lenient: %v, %v", got, err)
	}
}

func TestValidateNAT64(t *testing.T) {
	for _, s := range []string{
		"8.8.8.0/24", "64:ff9b::/95", "64:ff9b::/64", "64:ff9b::/32", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "fe80::/64", "ff0e::/32",
		"2002:808:808::/48", "2001::/32", "2001:1::/32", "2a00:1234:0:0:ff00::/96", "2a00:1234::1/96", "2a00::/16", "2a00:1234::/128",
		"64:ff9b::/96 64:ff9b::/96", "2a00:1234::/32 2a00:1234:5678::/48", "2a00:1234:5678::/48 2a00:1234::/32",
	} {
		policy := &Guard{}
		for p := range strings.FieldsSeq(s) {
			policy.AllowNAT64 = append(policy.AllowNAT64, netip.MustParsePrefix(p))
		}
		if err := policy.Validate(); err == nil || code(err) == "?" {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := (&Guard{AllowNAT64: []netip.Prefix{{}}}).Validate(); err == nil {
		t.Error("no prefix at all is accepted")
	}
	if err := (&Guard{AllowNAT64: nat64Prefixes()}).Validate(); err == nil {
		t.Error("64:ff9b:1::/48 and a /96 in it overlap")
	}
}
