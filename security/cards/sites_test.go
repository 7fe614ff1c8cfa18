package cards

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security"
)

// TestTheSuffixListDecidesWhoseKeysAreAskedFor checks whose keys may be requested, and for
// which site a card is accepted.
func TestTheSuffixListDecidesWhoseKeysAreAskedFor(t *testing.T) {
	own, err := security.ParseSuffixList(strings.NewReader("com\nplatform.com\n"))
	if err != nil {
		t.Fatal(err)
	}
	header := `{"alg":"ES256","kid":"k","jku":"https://keys.platform.com/k"}`
	for name, row := range map[string]struct {
		list    *security.SuffixList
		wanted  int
		origins int
	}{"bundled": {nil, 1, 2}, "own": {own, 0, 1}} {
		check := Card{
			Requested: &url.URL{Scheme: "https", Host: "a.platform.com", Path: "/"}, Served: &url.URL{Scheme: "https", Host: "b.platform.com", Path: "/"}, Sites: row.list,
			Signatures: []JWS{{Protected: base64.RawURLEncoding.EncodeToString([]byte(header))}},
		}
		if n := len(check.Origins()); n != row.origins {
			t.Errorf("%s: speaks for %v", name, check.Origins())
		}
		if n := len(check.Wanted()); n != row.wanted {
			t.Errorf("%s: wants %v", name, check.Wanted())
		}
	}
}
