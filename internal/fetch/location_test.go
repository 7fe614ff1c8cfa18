package fetch

import (
	"errors"
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// FuzzLocation: whatever is followed is an https URL under the host policy,
// which reads the same when it is read again.
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
		u, err := location([]string{text}, base)
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
		again, err := location([]string{u.String()}, base)
		if err != nil || again.String() != u.String() {
			t.Errorf("%q became %q, then %v, %v", text, u, again, err)
		}
	})
}
