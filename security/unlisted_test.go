package security_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// Under a suffix that is in no list each host is a separate site, because the owners of the
// names below it are not known.
func TestUnlistedSuffixesJoinNothing(t *testing.T) {
	own, err := security.ParseSuffixList(strings.NewReader("com\nco.uk\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]*security.SuffixList{"bundled": nil, "own": own} {
		for _, pair := range [][2]string{
			{"a.shop.example", "b.shop.example"}, {"shop.example", "a.shop.example"}, {"a.shop.corp-nosuch", "b.shop.corp-nosuch"},
			{"shop.example", "shop.com"}, {"a.b.c.nosuch", "x.b.c.nosuch"},
		} {
			if list.SameSite(pair[0], pair[1]) || list.SameSite(pair[1], pair[0]) {
				t.Errorf("%s list: %v are one site", name, pair)
			}
			from, to := &url.URL{Scheme: "https", Host: pair[0]}, &url.URL{Scheme: "https", Host: pair[1]}
			if trust := list.TrustOf(from, from, to); trust != wayfind.TrustCrossSite {
				t.Errorf("%s list: %v is %s", name, pair, trust)
			}
		}
		if !list.SameSite("a.shop.com", "b.shop.com") || !list.SameSite("a.shop.example", "a.shop.example") {
			t.Errorf("%s list: a listed suffix, or one host, is no site", name)
		}
	}
}
