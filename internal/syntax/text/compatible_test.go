package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// IsCompatible is true if and only if Compatible changes nothing. Most texts need no copy.
func TestIsCompatibleSaysWhatCompatibleChanges(t *testing.T) {
	alphabet := []string{"a", "Z", "%", "é", "e", "\u0301", "\u0327", "’", "…", "ａ", "𝐀", "ﬁ", "日", "각", "ᄀ", "ᅡ", "\xff", "\u034f", "\n", "½"}
	changed := 0
	for range 100_000 {
		var s strings.Builder
		for range rand.IntN(6) {
			s.WriteString(alphabet[rand.IntN(len(alphabet))])
		}
		plain, _ := text.Compatible(s.String())
		if plain != s.String() {
			changed++
		}
		if same := plain == s.String(); same != text.IsCompatible(s.String()) {
			t.Fatalf("%q becomes %q, and IsCompatible is %t", s.String(), plain, !same)
		}
	}
	if changed < 1000 {
		t.Errorf("only %d texts changed", changed)
	}
}
