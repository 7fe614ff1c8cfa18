package reftoken_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

func TestATokenMeansTheNameItWasWrittenFor(t *testing.T) {
	for name, token := range map[string]string{
		"": "", "plain": "plain", "a/b": "a~1b", "m~n": "m~0n", "~1": "~01", "~0/~": "~00~1~0", "//": "~1~1",
	} {
		if got := reftoken.Escape(name); got != token {
			t.Errorf("Escape(%q) = %q, want %q", name, got, token)
		}
		if got := reftoken.Unescape(token); got != name {
			t.Errorf("Unescape(%q) = %q, want %q", token, got, name)
		}
	}
	if got := reftoken.Unescape("a~b~2"); got != "a~b~2" {
		t.Errorf("a tilde that begins no escape became %q", got)
	}
}
