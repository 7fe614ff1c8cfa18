package security_test

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind/security"
)

func inside() *security.Guard {
	return &security.Guard{
		AllowCIDR:  []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		AllowNames: []string{"api.corp.internal", "*.lab.corp", "apps.example.com"},
		AllowPorts: []uint16{8443},
	}
}

func TestAllowNamesLetsTheseNamesAndPortsBeAsked(t *testing.T) {
	guard := inside()
	if err := guard.Validate(); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{ // "": refused
		"https://api.corp.internal/x":            "https://api.corp.internal/x",
		"https://API.corp.internal.:8443/x":      "https://api.corp.internal:8443/x",
		"https://api.corp.internal:443/":         "https://api.corp.internal/",
		"https://a.lab.corp:8443/":               "https://a.lab.corp:8443/",
		"https://apps.example.com:8443/":         "https://apps.example.com:8443/",
		"https://apps.example.com/":              "https://apps.example.com/",
		"https://api.corp.internal:8444/":        "",
		"https://other.corp.internal/":           "",
		"https://x.api.corp.internal/":           "",
		"https://lab.corp/":                      "",
		"https://evillab.corp/":                  "",
		"https://example.com:8443/":              "",
		"http://api.corp.internal/":              "",
		"https://user@api.corp.internal:8443/":   "",
		"https://api.corp.internal:8443@evil/":   "",
		"https://api.corp.internal:08443/":       "",
		"https://10.0.0.1:8443/":                 "",
		"https://localhost:8443/":                "",
		"https://api.corp.internal\\@evil.test/": "",
	} {
		u, err := guard.ParseURL(ref, nil)
		if want == "" && err == nil || want != "" && (err != nil || u.String() != want) {
			t.Errorf("%s: %v, %v; want %q", ref, u, err, want)
		}
		if u, err := (&security.Guard{AllowCIDR: guard.AllowCIDR}).ParseURL(ref, nil); err == nil && want != "https://apps.example.com/" {
			t.Errorf("without AllowNames, %s is %v", ref, u)
		}
	}
	base, err := guard.ParseURL("https://api.corp.internal:8443/a/b", nil)
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"c": "https://api.corp.internal:8443/a/c", "//api.corp.internal/d": "https://api.corp.internal/d", "//evil.corp.internal/": ""} {
		for _, g := range []*security.Guard{guard, security.DevGuard(security.Origin(base))} {
			u, err := g.ParseURL(ref, base)
			if want == "" && err == nil || want != "" && (err != nil || u.String() != want) {
				t.Errorf("%s: %v, %v; want %q", ref, u, err, want)
			}
		}
	}
}

func TestANameOfAllowNamesHasAddressesOfAllowCIDROnly(t *testing.T) {
	guard := inside()
	own, public, other := netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("192.168.1.1")
	for _, r := range []struct {
		host  string
		addrs []netip.Addr
		ok    bool
	}{
		{"api.corp.internal", []netip.Addr{own}, true},
		{"api.corp.internal", []netip.Addr{public}, false},
		{"api.corp.internal", []netip.Addr{own, public}, false},
		{"api.corp.internal", []netip.Addr{other}, false},
		{"apps.example.com", []netip.Addr{public}, false},
		{"example.com", []netip.Addr{public}, true},
		// The ranges are those of the names.
		{"example.com", []netip.Addr{own}, false},
		{"example.com", []netip.Addr{own, public}, false},
		{"corp.internal.example.com", []netip.Addr{own}, false},
	} {
		if _, err := guard.CheckAnswer(r.host, r.addrs); (err == nil) != r.ok {
			t.Errorf("%s at %v: %v", r.host, r.addrs, err)
		}
	}
}

// Without names, the ranges are for every name.
func TestAllowCIDRAloneIsForEveryName(t *testing.T) {
	guard := &security.Guard{AllowCIDR: inside().AllowCIDR}
	if _, err := guard.CheckAnswer("example.com", []netip.Addr{netip.MustParseAddr("10.1.2.3")}); err != nil {
		t.Error(err)
	}
}

func TestAllowNamesIsChecked(t *testing.T) {
	cidr := inside().AllowCIDR
	for name, guard := range map[string]*security.Guard{
		"no range":        {AllowNames: []string{"api.corp.internal"}},
		"no name":         {AllowCIDR: cidr, AllowPorts: []uint16{8443}},
		"port 0":          {AllowCIDR: cidr, AllowNames: []string{"a.corp"}, AllowPorts: []uint16{0}},
		"one label":       {AllowCIDR: cidr, AllowNames: []string{"corp"}},
		"all of one":      {AllowCIDR: cidr, AllowNames: []string{"*.internal"}},
		"an address":      {AllowCIDR: cidr, AllowNames: []string{"10.0.0.1"}},
		"not canonical":   {AllowCIDR: cidr, AllowNames: []string{"API.corp"}},
		"this machine":    {AllowCIDR: cidr, AllowNames: []string{"a.localhost"}},
		"a star inside":   {AllowCIDR: cidr, AllowNames: []string{"a.*.corp"}},
		"with its port":   {AllowCIDR: cidr, AllowNames: []string{"a.corp:8443"}},
		"an empty name":   {AllowCIDR: cidr, AllowNames: []string{""}},
		"nothing but all": {AllowCIDR: cidr, AllowNames: []string{"*"}},
	} {
		if guard.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
	if inside().Fingerprint() == (&security.Guard{AllowCIDR: cidr}).Fingerprint() {
		t.Error("the permissions have one fingerprint")
	}
}

func TestEndingsOfPrivateNetworksAreNoPublicNames(t *testing.T) {
	for _, host := range []string{"api.corp", "printer.lan", "nas.home", "a.intranet", "a.private", "x.localdomain", "mx.mail", "db.internal"} {
		if canon, _, err := security.CanonicalHost(host); err == nil {
			t.Errorf("%s passes for a public name: %s", host, canon)
		}
		if u, err := security.ParseURL("https://"+host+"/", nil); err == nil {
			t.Errorf("%v may be asked", u)
		}
	}
}

func TestHostsBelowAnUnlistedSuffixAreApartForTrustAndTogetherForPace(t *testing.T) {
	var list *security.SuffixList
	for _, pair := range [][2]string{{"a.shop.nosuch", "b.shop.nosuch"}, {"api.corp.internal", "db.corp.internal"}, {"a.x.corp", "b.x.corp"}} {
		one, listed := list.RegistrableDomain(pair[0])
		other, _ := list.RegistrableDomain(pair[1])
		if one == "" || one != other || listed {
			t.Errorf("%v: %q and %q, listed %t", pair, one, other, listed)
		}
		from, to := &url.URL{Scheme: "https", Host: pair[0]}, &url.URL{Scheme: "https", Host: pair[1]}
		if list.SameSite(pair[0], pair[1]) || list.TrustOf(from, from, to) != "cross_site" {
			t.Errorf("%v are one site", pair)
		}
	}
}

func TestAKeyOfConnectToMayBeAPrivateNameWithItsPort(t *testing.T) {
	to := netip.MustParseAddrPort("10.1.2.3:8443")
	for key, fits := range map[string]bool{
		"api.corp.internal:443": true, "api.corp.internal:8443": true, "a.lab.corp:8443": true, "apps.example.com:8443": true, "example.com:443": true,
		"api.corp.internal:8444": false, "other.corp.internal:443": false, "API.corp.internal:443": false, "api.corp.internal": false,
		"example.com:8443": false, "api.corp.internal:443/x": false, "https://api.corp.internal:443": false,
	} {
		guard := inside()
		guard.ConnectTo = map[string]netip.AddrPort{key: to}
		if err := guard.Validate(); (err == nil) != fits {
			t.Errorf("%s: %v", key, err)
		}
	}
	guard := inside()
	guard.AllowNames, guard.AllowPorts = nil, nil
	guard.ConnectTo = map[string]netip.AddrPort{"api.corp.internal:443": to}
	if guard.Validate() == nil {
		t.Error("without AllowNames, a private name passes")
	}
}

func TestReadURLReadsWhatHasNoPublicNameAndNothingElseThatParseURLRefuses(t *testing.T) {
	for ref, want := range map[string]string{ // "": refused
		"https://api.corp.internal:8443/x": "https://api.corp.internal:8443/x",
		"https://example.com/x":            "https://example.com/x",
		"http://api.corp.internal/":        "", "http://shop.example/": "", "http://93.184.216.34/": "", "localhost:3000": "",
		"http://localhost:3000": "http://localhost:3000/", "https://127.0.0.1:8443/": "https://127.0.0.1:8443/", "http://[::1]:3000/x": "http://[::1]:3000/x", "http://devbox:3000/": "", "http://192.168.1.5/": "http://192.168.1.5/",
		"https://u@api.corp.internal/": "", "api.corp.internal": "", "//api.corp.internal/": "", "https://10.0.0.1/": "",
	} {
		u, err := security.ReadURL(ref)
		if want == "" && err == nil || want != "" && (err != nil || u.String() != want) {
			t.Errorf("%s: %v, %v; want %q", ref, u, err, want)
		}
	}
	if origin, err := security.ReadOrigin("https://api.corp.internal:8443/"); err != nil || origin != "https://api.corp.internal:8443" {
		t.Errorf("the origin is %q, %v", origin, err)
	}
	if origin, err := security.ReadOrigin("https://api.corp.internal:8443/x"); err == nil {
		t.Errorf("a path passes: %s", origin)
	}
}
