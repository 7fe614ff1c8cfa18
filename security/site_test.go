package security

import (
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// bundled returns the linked list.
func bundled() *SuffixList { return nil }

// TestSitesAreSameAsTheirVectorsSay runs each row in both directions.
func TestSitesAreSameAsTheirVectorsSay(t *testing.T) {
	rows := golden.VectorRows(t, "psl", "own_same_site.tsv")[1:]
	for _, row := range rows {
		want := row[2] == "1" && !isGap(row[3])
		if a, b := bundled().SameSite(row[0], row[1]), bundled().SameSite(row[1], row[0]); a != want || b != want {
			t.Errorf("SameSite(%q, %q) = %v and %v, want %v (%s)", row[0], row[1], a, b, want, row[3])
		}
	}
	t.Logf("%d rows", len(rows))
	if len(rows) < golden.Least(t, golden.EnvVectors, 60) {
		t.Errorf("only %d rows", len(rows))
	}
}

// isGap reports whether the remark of a row is about a gap in the Public Suffix List, which our
// own list of platforms fills.
func isGap(remark string) bool {
	return strings.HasPrefix(remark, "NOT in the PSL: tenants look same-site")
}

// TestTenantsOfAPrivateSuffixAreNotOneSite checks old and new suffixes in the private section.
func TestTenantsOfAPrivateSuffixAreNotOneSite(t *testing.T) {
	for _, suffix := range []string{"github.io", "chatgpt.site", "pplx.app", "grok.me", "x.zerops.zone"} {
		if bundled().SameSite("a."+suffix, "b."+suffix) || bundled().SameSite(suffix, "a."+suffix) {
			t.Errorf("tenants of %s are one site", suffix)
		}
		if !bundled().SameSite("x.a."+suffix, "y.a."+suffix) {
			t.Errorf("a.%s is not one site", suffix)
		}
	}
}

// TestRegistrableDomainsAreThoseOfTheList runs the checks that are published with the list.
// Rows that depend on its default rule "*" are counted separately: without a listed rule there
// is no registrable domain here, and the default rule is checked with the inner function.
func TestRegistrableDomainsAreThoseOfTheList(t *testing.T) {
	checks := pslChecks(t, "tests.txt", strings.Fields)
	other := pslChecks(t, "test_psl.txt", func(line string) []string {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "checkPublicSuffix("), ");")
		return strings.Split(strings.ReplaceAll(line, "'", ""), ", ")
	})
	listed, byDefault := 0, 0
	for _, c := range append(checks, other...) {
		want := c[1]
		if want == "null" {
			want = ""
		}
		got, ok := bundled().RegistrableDomain(c[0])
		canon, _, err := CanonicalHost(c[0])
		domain, isListed := (*SuffixList)(nil).registrable(canon)
		switch {
		case err == nil && !isListed:
			byDefault++
			if ok || domain != ascii(t, want) {
				t.Errorf("%s: got %q, %v; by the default rule %q, want %q", c[0], got, ok, domain, want)
			}
		default:
			listed++
			if got != ascii(t, want) || ok != (want != "") {
				t.Errorf("%s: got %q, %v; want %q", c[0], got, ok, want)
			}
		}
	}
	t.Logf("%d checks in two files: %d by listed rules or refused, %d by the default rule", listed+byDefault, listed, byDefault)
	if len(checks) < golden.Least(t, golden.EnvVectors, 75) || len(other) != len(checks) || byDefault > 10 {
		t.Errorf("%d and %d checks, %d by default", len(checks), len(other), byDefault)
	}
}

func pslChecks(t *testing.T, file string, split func(string) []string) [][]string {
	var checks [][]string
	for _, row := range golden.VectorRows(t, "psl", file) {
		if line := strings.TrimSpace(row[0]); line != "" && !strings.HasPrefix(line, "//") {
			if fields := split(line); len(fields) == 2 {
				checks = append(checks, fields)
			}
		}
	}
	return checks
}

func ascii(t *testing.T, host string) string {
	if host == "" {
		return ""
	}
	a, err := strictIDNA.ToASCII(host)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTrustOf(t *testing.T) {
	const shop, api, evil = "https://shop.example.com/.well-known/ai", "https://api.example.com/x", "https://evil.example.net/x"
	for _, c := range []struct {
		requested, final, target string
		want                     wayfind.Trust
	}{
		{shop, shop, "https://SHOP.example.com.:443/y?z", wayfind.TrustSameOrigin},
		{shop, "", "https://shop.example.com", wayfind.TrustSameOrigin},
		{shop, shop, api, wayfind.TrustSameSite},
		{shop, api, shop, wayfind.TrustSameSite},
		{shop, api, api, wayfind.TrustSameSite},
		{shop, shop, evil, wayfind.TrustCrossSite},
		{shop, evil, evil, wayfind.TrustCrossSite},
		{shop, evil, shop, wayfind.TrustCrossSite},
		{shop, shop, "http://shop.example.com/", wayfind.TrustCrossSite},
		{shop, shop, "wss://shop.example.com/", wayfind.TrustCrossSite},
		{shop, shop, "https://shop.example.com:8443/", wayfind.TrustCrossSite},
		{shop, shop, "https://u:p@shop.example.com/", wayfind.TrustCrossSite},
		{shop, shop, "https:shop.example.com", wayfind.TrustCrossSite},
		{shop, shop, "https://127.0.0.1/", wayfind.TrustCrossSite},
		{shop, shop, "/relative", wayfind.TrustCrossSite},
		{shop, shop, "", wayfind.TrustCrossSite},
		{"", "", shop, wayfind.TrustCrossSite},
		{"https://127.0.0.1/", "", "https://127.0.0.1/", wayfind.TrustCrossSite},
		{"https://a.github.io/", "", "https://b.github.io/", wayfind.TrustCrossSite},
	} {
		parse := func(s string) *url.URL {
			if s == "" {
				return nil
			}
			return mustURL(t, s)
		}
		if got := bundled().TrustOf(parse(c.requested), parse(c.final), parse(c.target)); got != c.want {
			t.Errorf("TrustOf(%q, %q, %q) = %s, want %s", c.requested, c.final, c.target, got, c.want)
		}
	}
}

func FuzzSameSite(f *testing.F) {
	for _, row := range golden.VectorRows(f, "psl", "own_same_site.tsv")[1:] {
		f.Add(row[0], row[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		testkit.BoundAllocs(t, len(a)+len(b), 100, 16<<10, func() { bundled().SameSite(a, b) })
		same := bundled().SameSite(a, b)
		if same != bundled().SameSite(b, a) {
			t.Fatalf("%q and %q: not symmetric", a, b)
		}
		canonA, _, errA := CanonicalHost(a)
		canonB, _, errB := CanonicalHost(b)
		if same && (errA != nil || errB != nil) {
			t.Fatalf("%q and %q: a refused host has a site", a, b)
		}
		if errA != nil || errB != nil {
			return
		}
		if !bundled().SameSite(a, a) || same != bundled().SameSite(canonA, canonB) || canonA == canonB && !same {
			t.Fatalf("%q and %q: depends on the spelling", a, b)
		}
		domain, ok := bundled().RegistrableDomain(a)
		if ok && (domain == "" || domain != canonA && !strings.HasSuffix(canonA, "."+domain)) {
			t.Fatalf("%q: registrable domain %q", a, domain)
		}
		if same && canonA != canonB && !ok {
			t.Fatalf("%q and %q: one site without a domain", a, b)
		}
	})
}
