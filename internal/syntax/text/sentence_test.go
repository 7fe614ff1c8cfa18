package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A long text is cut after a sentence, else after a word, else between characters.
func TestShortenCutsAtASentence(t *testing.T) {
	tests := []struct {
		text string
		most int
		want string
		cut  bool
	}{
		{"One. Two.", 9, "One. Two.", false},
		{"One sentence. Another sentence.", 22, "One sentence.", true},
		{"一つの文。もう一つの文です。", 25, "一つの文。", true},
		{"Costs 3.50 at shop.example or more", 31, "Costs 3.50 at shop.example…", true},
		{"One. Words that go on and on", 20, "One. Words that…", true},
		{strings.Repeat("é", 20), 10, "ééé…", true},
		{"Short. And a word that is not", 24, "Short. And a word…", true},
		{"anything", 0, "…", true},
		{"anything", -5, "…", true},
		{"", 0, "", false},
	}
	for _, tt := range tests {
		got, cut := Shorten(tt.text, tt.most)
		if got != tt.want || cut != tt.cut || !utf8.ValidString(got) {
			t.Errorf("%q, %d: %q, %t, want %q, %t", tt.text, tt.most, got, cut, tt.want, tt.cut)
		}
	}
}
