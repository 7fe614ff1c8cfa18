package fetch

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

// Where a redirect leads is judged as the first target is, before anything is looked up or
// dialled.
func TestHostsOfRedirectsAreJudgedAsTargetsAre(t *testing.T) {
	tests := map[string]wayfind.Code{
		"https://a.example:8443/x":                      wayfind.CodePort,
		"https://a.example:0/x":                         wayfind.CodePort,
		"//a.example:80/x":                              wayfind.CodePort,
		"https://a.example:0443/x":                      wayfind.CodePort,
		"https://a.example:/x":                          wayfind.CodePort,
		"https://a.example:99999/x":                     wayfind.CodeRedirectLocation,
		"https://127.0.0.1/x":                           wayfind.CodeHostIPLiteral,
		"https://8.8.8.8/x":                             wayfind.CodeHostIPLiteral,
		"https://127.0.0.1./x":                          wayfind.CodeHostIPLiteral,
		"//[::1]/x":                                     wayfind.CodeHostIPLiteral,
		"https://[::ffff:169.254.169.254]/x":            wayfind.CodeHostIPLiteral,
		"https://[fe80::1%25lo]/x":                      wayfind.CodeHostIPLiteral,
		"https://2130706433/x":                          wayfind.CodeHostNumeric,
		"https://0x7f.1/x":                              wayfind.CodeHostNumeric,
		"https://0177.0.0.01/x":                         wayfind.CodeHostNumeric,
		"https://\uff11\uff12\uff17.0.0.1/x":            wayfind.CodeHostIPLiteral,
		"https://localhost/x":                           wayfind.CodeHostSingleLabel,
		"https://LOCALHOST./x":                          wayfind.CodeHostSingleLabel,
		"https://a.localhost/x":                         wayfind.CodeHostSpecialUse,
		"https://metadata.google.internal/x":            wayfind.CodeHostSpecialUse,
		"https://metadata.google.internal./computeMeta": wayfind.CodeHostSpecialUse,
		"https://printer.local/x":                       wayfind.CodeHostSpecialUse,
	}
	for to, code := range tests {
		w := newWorld(t)
		w.site("a.example", ip1, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header()["Location"] = []string{to}
			rw.WriteHeader(http.StatusFound)
		})
		walk := &Walk{URL: mustURL(t, start), Redirects: 5}
		_, err := follow(t.Context(), w.stack(nil), walk)
		if err == nil {
			t.Errorf("%q was followed to %v", to, walk.Final())
			continue
		}
		sameAnswer(t, answer{Op: "redirect", Code: code, Kind: wayfind.ErrRefused}, answerOf(t, 0, "", err))
		if _, first := security.ParseURL(to, walk.Final()); first == nil {
			t.Errorf("%q would do as a first target", to)
		}
		if len(w.lookups) != 1 || w.dialCount() != 1 || len(walk.Chain) != 0 {
			t.Errorf("%q: look-ups %v, dials %v, chain %v", to, w.lookups, w.dialled(), walk.Chain)
		}
	}
}

// FuzzLocation: a redirect that is followed leads to an https URL under the host policy, which
// reads the same when it is read again.
func FuzzLocation(f *testing.F) {
	for _, s := range []string{
		"/x", "../ai.json", "?v=2", "//evil.example.net/x", "https://a.example:8443/", "http://a.example/", "/\\evil.example.net/x",
		"https://u:p@a.example/", "https://2130706433/", "https:///x", "https://b\u00fccher.example/x#f", "https://a.example.well-known/ai", "javascript:alert(1)",
	} {
		f.Add(s)
	}
	base, err := security.ParseURL(start, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		testkit.BoundAllocs(t, len(text), 100, 64<<10, func() { _, _, _ = location([]string{text}, base) })
		u, _, err := location([]string{text}, base)
		if err != nil {
			if a := answerOf(t, 0, "", err); a.Op != "redirect" || !errors.Is(a.Kind, wayfind.ErrRefused) || a.Code == "" {
				t.Errorf("%q: %+v", text, a)
			}
			return
		}
		if u.Scheme != "https" || u.User != nil || u.Port() != "" || u.Fragment != "" || len(u.String()) > maxLocation {
			t.Errorf("%q became %q", text, u)
		}
		if _, err := url.Parse(u.String()); err != nil {
			t.Errorf("%q became %q: %v", text, u, err)
		}
		again, _, err := location([]string{u.String()}, base)
		if err != nil || again.String() != u.String() {
			t.Errorf("%q became %q, then %v, %v", text, u, again, err)
		}
	})
}

// A Location of 2,048 bytes is the longest that is followed.
func TestLocationOfTheGreatestLength(t *testing.T) {
	base := mustURL(t, start)
	for length, fine := range map[int]bool{maxLocation - 1: true, maxLocation: true, maxLocation + 1: false} {
		text := "https://a.example/" + strings.Repeat("a", length-len("https://a.example/"))
		if _, _, err := location([]string{text}, base); (err == nil) != fine {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}
