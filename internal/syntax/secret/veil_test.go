package secret_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// A site that repeats a part of the value of a credential, in any encoding, does not show it.
func TestEachPartOfACredentialIsHidden(t *testing.T) {
	for value, parts := range map[string][]string{
		"plain-key":          {"plain-key"},
		"Bearer t0ken-value": {"Bearer t0ken-value", "t0ken-value"},
		"Basic " + base64.StdEncoding.EncodeToString([]byte("user:pa55word")): {base64.StdEncoding.EncodeToString([]byte("user:pa55word")), "pa55word"},
	} {
		veil := secret.Veil(nil).AndField(value)
		for _, part := range parts {
			for _, said := range []string{part, strings.ToUpper(part), base64.StdEncoding.EncodeToString([]byte(part)), strings.ReplaceAll(part, "5", `\u0035`)} {
				if got := string(veil.Over([]byte("before "+said+" after"), "…")); strings.Contains(got, strings.TrimRight(said, "=")) {
					t.Errorf("%s: %s shows %s", value, got, part)
				}
			}
		}
	}
}
