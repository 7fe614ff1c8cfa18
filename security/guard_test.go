package security

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

func TestAllowCIDR(t *testing.T) {
	policy := &Guard{AllowCIDR: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("fe80::/10"), {},
	}}
	for s, want := range map[string]wayfind.Code{
		"10.1.2.3": "", "fd00:ec2::254": "", "fe80::1": "", "8.8.8.8": "",
		"fe80::1%eth0": wayfind.CodeBlockedAddress, "::ffff:10.1.2.3": wayfind.CodeBlockedAddress,
		"127.0.0.1": wayfind.CodeBlockedAddress, "192.168.0.1": wayfind.CodeBlockedAddress,
	} {
		if err := policy.CheckAddr(netip.MustParseAddr(s)); code(err) != want {
			t.Errorf("%s: %v, want code %q", s, err, want)
		}
	}
	if err := policy.CheckAddr(netip.Addr{}); code(err) != wayfind.CodeBlockedAddress {
		t.Errorf("no address: %v", err)
	}
}

func TestTarget(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:8443")
	policy := &Guard{ConnectTo: map[string]netip.AddrPort{"a.example:443": to}}
	if got, ok := policy.Target("a.example", 443); !ok || got != to {
		t.Errorf("got %v, %v", got, ok)
	}
	for _, p := range []*Guard{nil, {}, policy} {
		if got, ok := p.Target("b.example", 443); ok {
			t.Errorf("b.example goes to %v", got)
		}
	}
	// The address of the socket is judged like any address.
	if err := policy.CheckAddr(to.Addr()); code(err) != wayfind.CodeBlockedAddress {
		t.Errorf("loopback: %v", err)
	}
}

func TestValidate(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:8443")
	connect := func(key string, to netip.AddrPort) *Guard {
		return &Guard{ConnectTo: map[string]netip.AddrPort{key: to}}
	}
	for _, p := range []*Guard{nil, {}, connect("a.example:443", to), {AllowCIDR: []netip.Prefix{netip.MustParsePrefix("::/0")}}} {
		if err := p.Validate(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []*Guard{
		connect("A.example:443", to), connect("a.example", to), connect("a.example:80", to), connect("a.example:443", netip.AddrPort{}),
		connect("127.0.0.1:443", to), connect(":443", to), {AllowCIDR: []netip.Prefix{{}}},
	} {
		if err := p.Validate(); err == nil || code(err) == "?" {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	ten, lo := netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8")
	to := netip.MustParseAddrPort("127.0.0.1:8443")
	if got := (*Guard)(nil).Fingerprint() + new(Guard).Fingerprint(); got != "" {
		t.Errorf("default: %q", got)
	}
	same := []*Guard{
		{AllowCIDR: []netip.Prefix{ten, lo}},
		{AllowCIDR: []netip.Prefix{lo, netip.MustParsePrefix("10.9.9.9/8"), lo}},
	}
	if a, b := same[0].Fingerprint(), same[1].Fingerprint(); a != b || len(a) != 32 {
		t.Errorf("%q and %q", a, b)
	}
	list := func(rule string) *SuffixList {
		l, err := ParseSuffixList(strings.NewReader(rule))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	proxy := func(text string) *Proxy {
		p, err := ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := Guard{UnsafeProxy: proxy("http://me:one@proxy")}, Guard{UnsafeProxy: proxy("http://me:two@proxy")}
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("a password is part of the fingerprint, where it could be guessed from")
	}
	seen := map[string]int{"": -1}
	for i, p := range []*Guard{
		same[0], {AllowCIDR: []netip.Prefix{ten}}, {AllowCIDR: []netip.Prefix{lo}},
		{ConnectTo: map[string]netip.AddrPort{"a.example:443": to}},
		{ConnectTo: map[string]netip.AddrPort{"b.example:443": to}},
		{AllowCIDR: []netip.Prefix{lo}, ConnectTo: map[string]netip.AddrPort{"a.example:443": to}},
		{AllowNAT64: []netip.Prefix{WellKnownNAT64()}},
		{AllowCIDR: []netip.Prefix{WellKnownNAT64()}},
		{AllowNAT64: []netip.Prefix{netip.MustParsePrefix("fd00:64::/96")}},
		{AllowMixedDNS: true},
		{SuffixList: list("com")}, {SuffixList: list("net")},
		{UnsafeProxy: proxy("http://proxy:3128")}, {UnsafeProxy: proxy("https://proxy:3128")},
		{UnsafeProxy: proxy("http://proxy:3129")}, {UnsafeProxy: proxy("http://other:3128")},
		{UnsafeProxy: proxy("http://me@proxy:3128")}, {UnsafeProxy: proxy("http://you:secret@proxy:3128")},
	} {
		if j, ok := seen[p.Fingerprint()]; ok {
			t.Errorf("policies %d and %d share a fingerprint", i, j)
		}
		seen[p.Fingerprint()] = i
	}
}

// TestClone checks that changes to one of the two do not affect the other, and that no field is
// forgotten.
func TestClone(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:8443")
	policy := Guard{AllowCIDR: []netip.Prefix{WellKnownNAT64()}, AllowNAT64: []netip.Prefix{WellKnownNAT64()}, ConnectTo: map[string]netip.AddrPort{"a.example:443": to}}
	clone := policy.Clone()
	clone.AllowCIDR[0], clone.AllowNAT64[0] = netip.Prefix{}, netip.Prefix{}
	clone.ConnectTo["b.example:443"] = to
	if policy.AllowCIDR[0] != WellKnownNAT64() || policy.AllowNAT64[0] != WellKnownNAT64() || len(policy.ConnectTo) != 1 {
		t.Errorf("%+v", policy)
	}
	for i := range reflect.TypeFor[Guard]().NumField() {
		var full Guard
		field := reflect.ValueOf(&full).Elem().Field(i)
		switch field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.Map:
			field.Set(reflect.MakeMap(field.Type()))
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case reflect.Bool:
			field.SetBool(true)
		default:
			t.Fatalf("a field of kind %s: clone it, and teach this test", field.Kind())
		}
		if reflect.ValueOf(full.Clone()).Field(i).IsZero() {
			t.Errorf("Clone forgets %s", reflect.TypeFor[Guard]().Field(i).Name)
		}
	}
}
