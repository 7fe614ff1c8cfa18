package security

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestRegistriesAreCurrent compares the embedded registries with the vectors.
func TestRegistriesAreCurrent(t *testing.T) {
	for name, embedded := range map[string]string{
		"iana-ipv4-special-registry-1.csv": ianaIPv4,
		"iana-ipv6-special-registry-1.csv": ianaIPv6,
	} {
		if golden.Published(t, golden.EnvVectors) {
			want := string(golden.Read(t, golden.Vectors(t, "ip", name)))
			if diff := cmp.Diff(want, embedded); diff != "" {
				t.Errorf("%s differs from the vectors (-want +got):\n%s", name, diff)
			}
		}
		rows, err := parseRegistry(embedded)
		if err != nil || len(rows) < 25 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		for _, r := range rows {
			for _, addr := range []netip.Addr{r.prefix.Addr(), lastOf(r.prefix)} {
				if code((*Guard)(nil).CheckAddr(addr)) != wayfind.CodeBlockedAddress {
					t.Errorf("%s of %s (%s) is allowed", addr, r.prefix, r.name)
				}
			}
		}
	}
}

// lastOf returns the highest address of a prefix.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

func TestBrokenRegistry(t *testing.T) {
	for _, table := range []string{"", "a,b\n", "Address Block,Name\n", "Address Block,Name\nx,y\n", "Address Block,Name\n\"", "Address Block,Name\n1.2.3.4/8,a,b\n"} {
		if rows, err := parseRegistry(table); err == nil {
			t.Errorf("parseRegistry(%q) = %v", table, rows)
		}
	}
}

// TestAddressesAreJudgedAsTheirVectorsSay judges each row as an address, as an answer and in
// the hook of the dialer.
func TestAddressesAreJudgedAsTheirVectorsSay(t *testing.T) {
	var policy *Guard
	ofAnswer := func(addr netip.Addr) error {
		allowed, err := policy.CheckAnswer("a.example", []netip.Addr{addr})
		if (err == nil) != (len(allowed) == 1) {
			t.Errorf("%s: allowed %v beside %v", addr, allowed, err)
		}
		return err
	}
	denied := 0
	rows := golden.VectorRows(t, "ip", "own_ip_vectors.tsv")[1:]
	for _, row := range rows {
		addr, err := netip.ParseAddr(row[0])
		if err != nil {
			t.Fatal(err)
		}
		var want wayfind.Code
		if row[1] == "1" {
			want = wayfind.CodeBlockedAddress
			denied++
		}
		for _, err := range []error{
			policy.CheckAddr(addr),
			ofAnswer(addr),
			policy.Control(t.Context(), networkOf(addr), netip.AddrPortFrom(addr, 443).String(), nil),
		} {
			if code(err) != want || err != nil && !errors.Is(err, wayfind.ErrRefused) {
				t.Errorf("%s (%s): %v, want code %q", addr, row[2], err, want)
			}
		}
	}
	t.Logf("%d rows, %d denied", len(rows), denied)
	if len(rows) < golden.Least(t, golden.EnvVectors, 80) || denied < golden.Least(t, golden.EnvVectors, 60) {
		t.Errorf("%d rows, %d denied", len(rows), denied)
	}
}

func networkOf(addr netip.Addr) string {
	if addr.Is4() {
		return "tcp4"
	}
	return "tcp6"
}

// TestAddressesReservedInBoulderAreRefused compares with a table that only contains membership
// of registries. Addresses that it calls reserved are refused, and also addresses in no
// registry.
func TestAddressesReservedInBoulderAreRefused(t *testing.T) {
	v := golden.VectorJSON[struct {
		Addr   []struct{ IP, Name string }
		Prefix []struct {
			CIDR     string
			Reserved bool
		}
	}](t, "ip", "boulder_iana_vectors.json")
	reserved := golden.VectorJSON[struct{ Addr []struct{ Reserved bool } }](t, "ip", "boulder_iana_vectors.json")
	ours := []string{"::2", "fec0::1", "100:0:0:2::"} // outside 2000::/3
	for i, row := range v.Addr {
		addr := netip.MustParseAddr(row.IP)
		want := reserved.Addr[i].Reserved || slices.Contains(ours, addr.String()) || addr.Is6()
		if got := (*Guard)(nil).CheckAddr(addr); (got != nil) != want {
			t.Errorf("%s: %v, want refused %v", addr, got, want)
		}
	}
	for _, row := range v.Prefix {
		addr := netip.MustParsePrefix(row.CIDR).Addr()
		want := row.Reserved || addr.Is6() // all of these are below 2000::
		if got := (*Guard)(nil).CheckAddr(addr); (got != nil) != want {
			t.Errorf("%s: %v, want refused %v", row.CIDR, got, want)
		}
	}
	if len(v.Addr) < golden.Least(t, golden.EnvVectors, 20) || len(v.Prefix) < golden.Least(t, golden.EnvVectors, 14) {
		t.Errorf("%d addresses, %d prefixes", len(v.Addr), len(v.Prefix))
	}
}

// Classes that depend on ranges that its own test allows, or on its own listener, are omitted.
func TestAddressesRefusedInSmokescreenAreRefused(t *testing.T) {
	v := golden.VectorJSON[struct {
		Classify []struct{ IP, Class string }
	}](t, "ip", "smokescreen_vectors.json")
	ran := 0
	for _, row := range v.Classify {
		if strings.Contains(row.Class, "UserConfigured") {
			continue
		}
		ran++
		want := row.Class != "ipAllowDefault" || row.IP == "64:ff9c::1" // outside 2000::/3
		if got := (*Guard)(nil).CheckAddr(netip.MustParseAddr(row.IP)); (got != nil) != want {
			t.Errorf("%s (%s): %v", row.IP, row.Class, got)
		}
	}
	t.Logf("%d rows", ran)
	if ran < golden.Least(t, golden.EnvVectors, 30) {
		t.Errorf("only %d rows", ran)
	}
}

// TestAddressesOfPlatformsAreRefused checks addresses that look public.
func TestAddressesOfPlatformsAreRefused(t *testing.T) {
	listed := []string{"168.63.129.16", "100.100.100.200", "192.0.0.192", "169.254.170.2", "161.26.0.10", "166.9.12.3", "199.36.153.10", "192.80.8.124", "fd00:ec2::254", "fd20:ce::254"}
	for _, r := range platformRanges() {
		listed = append(listed, r.prefix.Addr().String(), lastOf(r.prefix).String())
	}
	for _, s := range listed {
		if err := new(Guard).CheckAddr(netip.MustParseAddr(s)); code(err) != wayfind.CodeBlockedAddress {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"168.63.129.15", "168.63.129.17", "166.7.255.255", "166.12.0.0", "199.36.153.3", "199.36.153.12", "223.255.255.255", "192.80.8.123", "192.80.8.125", "2600:2d00:2:3000::1"} {
		if err := new(Guard).CheckAddr(netip.MustParseAddr(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// TestIPv4InsideIPv6IsRefused checks each form with each IPv4 address.
func TestIPv4InsideIPv6IsRefused(t *testing.T) {
	for _, v4 := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "8.8.8.8"} {
		b := netip.MustParseAddr(v4).As4()
		hi, lo := fmt.Sprintf("%02x%02x", b[0], b[1]), fmt.Sprintf("%02x%02x", b[2], b[3])
		for _, form := range []string{
			"::%s:%s", "::ffff:%s:%s", "::ffff:0:%s:%s", "64:ff9b::%s:%s", "64:ff9b:1::%s:%s",
			"2002:%s:%s::", "2001:0:%s:%s::1", "2001:0:4136:e378:8000:63bf:%s:%s", "2a00::5efe:%s:%s", "2a00::200:5efe:%s:%s",
		} {
			addr := netip.MustParseAddr(fmt.Sprintf(form, hi, lo))
			if err := new(Guard).CheckAddr(addr); code(err) != wayfind.CodeBlockedAddress {
				t.Errorf("%s: %v", addr, err)
			}
		}
	}
}

// TestAnswersOfNameServersAreJudgedAsTheirVectorsSay runs the rows that one answer decides.
func TestAnswersOfNameServersAreJudgedAsTheirVectorsSay(t *testing.T) {
	v := golden.VectorJSON[struct {
		Cases []struct {
			Name, Want string
			Answers    []json.RawMessage `json:"answers_in_order"`
		}
	}](t, "ssrf", "own_dns_answer_sets.json")
	ran := 0
	for _, c := range v.Cases {
		for i, raw := range c.Answers {
			addrs, ok := addresses(raw)
			if !ok {
				continue // NXDOMAIN and similar results are for the resolver
			}
			ran++
			_, err := new(Guard).CheckAnswer("a.example", addrs)
			want := wayfind.CodeBlockedAddress
			switch {
			case len(addrs) == 0:
				want = wayfind.CodeDNSNotFound
			case len(addrs) == 1 && addrs[0].String() == "93.184.216.34":
				want = ""
			}
			if code(err) != want {
				t.Errorf("%s, answer %d: %v, want code %q", c.Name, i, err, want)
			}
			if want == wayfind.CodeDNSNotFound && !errors.Is(err, wayfind.ErrUnreachable) {
				t.Errorf("%s: %v is no ErrUnreachable", c.Name, err)
			}
		}
	}
	t.Logf("%d answers", ran)
	if ran < golden.Least(t, golden.EnvVectors, 20) {
		t.Errorf("only %d answers", ran)
	}
}

func addresses(raw json.RawMessage) ([]netip.Addr, bool) {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	var addrs []netip.Addr
	for _, s := range list {
		addr, err := netip.ParseAddr(s)
		if err != nil {
			return nil, false
		}
		addrs = append(addrs, addr)
	}
	return addrs, true
}

// TestMixedAnswersAreRefusedOrFiltered checks that mixed answers are refused in each order.
// With the lenient option only the public addresses remain, in their order.
func TestMixedAnswersAreRefusedOrFiltered(t *testing.T) {
	public, v6 := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("2606:4700:4700::1111")
	lenient := &Guard{AllowMixedDNS: true}
	for _, p := range []*Guard{nil, lenient} {
		got, err := p.CheckAnswer("a.example", []netip.Addr{v6, public})
		if diff := cmp.Diff([]netip.Addr{v6, public}, got, cmp.Comparer(sameAddr)); err != nil || diff != "" {
			t.Errorf("public only: %v (-want +got):\n%s", err, diff)
		}
	}
	for _, s := range []string{"10.0.0.1", "::1", "fe80::1%eth0", "168.63.129.16", "64:ff9b::a9fe:a9fe", "::ffff:8.8.8.8"} {
		bad := netip.MustParseAddr(s)
		for _, answer := range [][]netip.Addr{{public, v6, bad}, {bad, public}, {v6, bad, public}, {public, {}}} {
			if got, err := new(Guard).CheckAnswer("a.example", answer); code(err) != wayfind.CodeBlockedAddress || got != nil {
				t.Errorf("%v: %v, %v", answer, got, err)
			}
			var want []netip.Addr
			for _, a := range answer {
				if a == public || a == v6 {
					want = append(want, a)
				}
			}
			got, err := lenient.CheckAnswer("a.example", answer)
			if diff := cmp.Diff(want, got, cmp.Comparer(sameAddr)); err != nil || diff != "" {
				t.Errorf("%v, lenient: %v (-want +got):\n%s", answer, err, diff)
			}
		}
		if got, err := lenient.CheckAnswer("a.example", []netip.Addr{bad, bad}); code(err) != wayfind.CodeBlockedAddress || got != nil {
			t.Errorf("%v alone, lenient: %v, %v", bad, got, err)
		}
	}
	if _, err := lenient.CheckAnswer("a.example", nil); code(err) != wayfind.CodeDNSNotFound {
		t.Errorf("no address, lenient: %v", err)
	}
}

func sameAddr(a, b netip.Addr) bool { return a == b }

func TestControl(t *testing.T) {
	for _, c := range []struct {
		network, address string
		want             wayfind.Code
	}{
		{"tcp4", "93.184.216.34:443", ""},
		{"tcp6", "[2606:4700:4700::1111]:443", ""},
		{"tcp4", "127.0.0.1:443", wayfind.CodeBlockedAddress},
		{"tcp6", "[::ffff:93.184.216.34]:443", wayfind.CodeBlockedAddress},
		{"tcp6", "[fe80::1%lo]:443", wayfind.CodeBlockedAddress},
		{"udp4", "93.184.216.34:443", wayfind.CodeBlockedAddress},
		{"unix", "/var/run/docker.sock", wayfind.CodeBlockedAddress},
		{"ip4:1", "93.184.216.34", wayfind.CodeBlockedAddress},
		{"tcp", "example.com:443", wayfind.CodeBlockedAddress},
		{"tcp", "", wayfind.CodeBlockedAddress},
		{"", "93.184.216.34:443", wayfind.CodeBlockedAddress},
	} {
		if err := (*Guard)(nil).Control(t.Context(), c.network, c.address, nil); code(err) != c.want {
			t.Errorf("Control(%q, %q) = %v, want code %q", c.network, c.address, err, c.want)
		}
	}
}

// TestControlStopsADialer checks that no connection reaches a listener on loopback.
func TestControlStopsADialer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialer := &net.Dialer{ControlContext: (*Guard)(nil).Control}
	conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err == nil {
		conn.Close()
	}
	if code(err) != wayfind.CodeBlockedAddress {
		t.Errorf("dial: %v", err)
	}
	allowed := &Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	dialer.ControlContext = allowed.Control
	conn, err = dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("allowed: %v", err)
	}
	conn.Close()
}
