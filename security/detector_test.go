package security_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/security"
)

func TestHostDetector_Labels(t *testing.T) {
	var d security.HostDetector
	for host, refused := range map[string]bool{
		"shop.example.com": false, "api-v2-internal-gateway.example.com": false, "internationalbusiness.com": false,
		"xn--mnchen-3ya.de": false, "d111111abcdef8.cloudfront.net": false, "rhythms.example.com": false,
		strings.Repeat("abc", 15) + ".example.com":   true,
		"a1b2c3d4e5f6g7h8.example.com":               true,
		"mzxw6ytboi2gk3tp.example.com":               true,
		"qwrtpsdfghjklzxcvb.example.com":             true,
		"data-4f3c2a1b9e8d7c6f5a4b.evil.example.com": true,
	} {
		if err := d.BeforeHost(context.Background(), host); (err != nil) != refused {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// If many names of one domain are requested in a minute, they are refused. Names that were
// requested before, and other domains, are allowed.
func TestHostDetector_ManyNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d security.HostDetector
		ask := func(host string) bool { return d.BeforeHost(t.Context(), host) == nil }
		passed := 0
		for i := range 100 {
			if ask(fmt.Sprintf("word%d.evil.com", i)) {
				passed++
			}
		}
		if passed != security.DefaultMaxHosts || !ask("word0.evil.com") || !ask("shop.com") {
			t.Errorf("%d names passed", passed)
		}
		for i := range 10_000 { // a full table refuses nothing
			if !ask(fmt.Sprintf("shop%d.com", i)) {
				t.Fatalf("domain %d is refused", i)
			}
		}
		time.Sleep(time.Minute)
		if !ask("word99.evil.com") {
			t.Error("still refused after a minute")
		}
	})
}
