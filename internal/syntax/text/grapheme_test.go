package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCutKeepsLetters checks that a text that is one letter for its reader is kept or removed
// as a whole, at any limit (UAX 29 §3.1.1, for clean text).
func TestCutKeepsLetters(t *testing.T) {
	for name, letter := range map[string]string{
		"mark":               "x\u0332\u0333",
		"spacing mark":       "\u0ba8\u0bbf", // Tamil ni
		"Thai am":            "\u0e01\u0e33", // kam
		"half width":         "\uff76\uff9e", // ga
		"jamo":               "\u1100\u1100\uac01",
		"old jamo":           "\ua960\ud7b0\ud7cb",
		"lead and syllable":  "\u1100\uac01",
		"conjunct":           "\u0915\u094d\u0937\u093f", // kshi
		"long conjunct":      "\u0938\u094d\u0924\u094d\u0930\u0940",
		"Bengali":            "\u0995\u09cd\u09b7",
		"linker and nukta":   "\u0915\u093c\u094d\u0951\u0924",
		"prepended":          "\u0d4e\u0d15", // Malayalam dot reph
		"prepended to Latin": "\u0d4ex",
		"skin tone":          "👍🏽",
		"flag":               "🇩🇪",
	} {
		clean, removed := Clean("a"+letter+"b", false, 0)
		if removed.Any() || clean != "a"+letter+"b" {
			t.Fatalf("%s: cleaning gives %+q, %s", name, clean, removed)
		}
		whole := utf8.RuneCountInString(letter)
		for limit := 1; limit <= whole; limit++ {
			if got, _ := Clean(clean, false, limit); got != "a" {
				t.Errorf("%s: %+q cut to %d is %+q", name, clean, limit, got)
			}
		}
		if got, _ := Clean(clean, false, whole+1); got != "a"+letter {
			t.Errorf("%s: %+q cut to %d is %+q", name, clean, whole+1, got)
		}
	}
	for name, letters := range map[string]string{
		"latin": "ab", "syllables": "\uac00\uac00", "Han": "世界", "flags": "🇩🇪🇫🇷", "emoji": "👍👎",
		"Devanagari": "\u0915\u0937", "vowel and lead": "\u1100\u1161\u1100\u1161", "lines": "a\nb",
	} {
		half := utf8.RuneCountInString(letters) / 2
		if got, _ := Clean(letters, true, half); utf8.RuneCountInString(got) != half {
			t.Errorf("%s: %+q cut to %d is %+q", name, letters, half, got)
		}
	}
}

// TestCutIsLinear checks that an endless letter, and a long row of flags, take one pass and are
// not divided.
func TestCutIsLinear(t *testing.T) {
	for name, unit := range map[string]string{"lead": "\u1100", "flags": "🇩", "conjuncts": "\u0915\u094d"} {
		clean, _ := Clean(strings.Repeat(unit, 100_000), false, 1001)
		want := 0
		if name == "flags" {
			want = 1000
		}
		if got := utf8.RuneCountInString(clean); got != want {
			t.Errorf("%s: %d code points stay, want %d", name, got, want)
		}
	}
}
