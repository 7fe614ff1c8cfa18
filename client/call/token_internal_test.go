package call

import (
	"testing"

	"github.com/wayfindhq/wayfind"
)

// The prefix that a document states precedes the words of its text.
func TestAStatedPrefixPrecedesAToken(t *testing.T) {
	for prefix, want := range map[string]string{"Token": "Token ", "": ""} {
		p := part{grant: Bearer("s3cret"), scheme: wayfind.Scheme{Kind: wayfind.SchemeAPIKey, In: "header", Name: "Authorization", Prefix: &prefix, Description: "a bot"}}
		if err := p.fit(); err != nil || p.prefix != want {
			t.Errorf("%q: %q, %v", prefix, p.prefix, err)
		}
	}
}
