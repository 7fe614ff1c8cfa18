package secret_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// An encoded secret has its place in the original text.
func TestSecretsInOtherDressHaveTheirPlaceInTheText(t *testing.T) {
	key := "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
	wide := strings.Map(func(r rune) rune { return r + 0xfee0 }, key)
	bold := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 0x1d41a
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 0x1d400
		case '0' <= r && r <= '9':
			return r - '0' + 0x1d7ce
		}
		return r
	}, key)
	escaped := strings.ReplaceAll(key, "_", "%5F")
	for name, dressed := range map[string]string{
		"fullwidth": wide, "mathematical": bold, "percent": escaped, "percent in fullwidth": strings.ReplaceAll(wide, "\uff3f", "%5f"),
		"base64":      base64.StdEncoding.EncodeToString([]byte("key=" + key)),
		"base64url":   base64.RawURLEncoding.EncodeToString([]byte("??>> " + key)),
		"private key": base64.StdEncoding.EncodeToString([]byte("-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4eC39HqLyjWDarjt\n-----END PRIVATE KEY-----\n")),
	} {
		for _, around := range [][2]string{{"", ""}, {"caf\u00e9 \ufb01ne: ", " \u2460 end"}, {"https://shop.example/token/", "?x=1"}} {
			text := around[0] + dressed + around[1]
			clean, rules := secret.Redact("", text)
			if len(rules) != 1 || clean != around[0]+secret.Mark(rules[0])+around[1] {
				t.Errorf("%s: %+q became %+q", name, text, clean)
			}
			if again, more := secret.Redact("", clean); again != clean || len(more) > 0 {
				t.Errorf("%s: redacted again it is %+q", name, again)
			}
		}
	}
}

// A text that is not a secret is not a secret if it is encoded.
func TestWhatIsNoSecretIsNoneInOtherDress(t *testing.T) {
	for _, text := range []string{
		base64.StdEncoding.EncodeToString([]byte("All work and no play makes Jack a dull boy.")),
		base64.StdEncoding.EncodeToString([]byte{0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xdb}),
		"https://shop.example/search?q=caf%C3%A9%20%26%20cr%C3%A8me&page=2", "\uff21\uff22\uff23 12345678 \u2460\u2461\u2462",
		"%5Bredacted%3Astripe-key%5D", "https://%5Bredacted%3Aurl-userinfo%5D@shop.example/",
	} {
		if found := secret.Find("", text); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}
