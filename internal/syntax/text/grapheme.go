package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joined reports whether a cut between a text and its continuation would divide an extended
// grapheme cluster, which a reader takes for one letter (UAX 29 §3.1.1). It implements the
// rules that are relevant for clean text, which has no joiners and format characters. In doubt
// it reports true.
func joined(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case prepends(last): // GB9b
		return next >= ' '
	case next < 0x300:
		return false
	case extends(next): // GB9, GB9a
		return true
	case isLeadingJamo(last): // GB6
		return isLeadingJamo(next) || 0xAC00 <= next && next <= 0xD7A3
	case isRegional(last) && isRegional(next): // GB12, GB13
		rest := strings.TrimRightFunc(before, isRegional)
		return utf8.RuneCountInString(before[len(rest):])%2 == 1
	}
	return unicode.IsLetter(next) && endsLinked(before) // GB9c
}

// extends reports whether r is Extend or SpacingMark of UAX 29, or a vowel or final of Hangul
// (GB7, GB8).
func extends(r rune) bool {
	switch {
	case unicode.In(r, unicode.M, unicode.Other_Grapheme_Extend):
		return true
	case r == 0xE33 || r == 0xEB3: // Thai and Lao sign am, letters by category
		return true
	case 0x1F3FB <= r && r <= 0x1F3FF: // skin tones
		return true
	}
	return 0x1160 <= r && r <= 0x11FF || 0xD7B0 <= r && r <= 0xD7FB
}

// prepends reports whether r is Prepend of UAX 29, without format characters. These are letters
// of Indic scripts that are written on the next letter.
func prepends(r rune) bool {
	switch r {
	case 0xD4E, 0x111C2, 0x111C3, 0x113D1, 0x1193F, 0x11941, 0x11A3A, 0x11D46, 0x11F02:
		return true
	}
	return 0x11A84 <= r && r <= 0x11A89
}

// isLeadingJamo reports whether r is the first consonant of a syllable of Hangul.
func isLeadingJamo(r rune) bool {
	return 0x1100 <= r && r <= 0x115F || 0xA960 <= r && r <= 0xA97C
}

// endsLinked reports whether a linker is among the marks that end a text.
func endsLinked(s string) bool {
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if isLinker(r) {
			return true
		}
		if r < 0x300 || !extends(r) {
			return false
		}
		s = s[:len(s)-size]
	}
	return false
}

// isLinker reports whether r is a virama that joins the consonants around it
// (Indic_Conjunct_Break=Linker).
func isLinker(r rune) bool {
	switch r {
	case 0x94D, 0x9CD, 0xACD, 0xB4D, 0xC4D, 0xD4D, // Devanagari to Malayalam
		0x1039, 0x17D2, 0x1A60, 0x1BAB, 0xA9C0, 0xAAF6, // Myanmar to Meetei Mayek
		0x10A3F, 0x11133, 0x113D0, 0x1193E, 0x11A47, 0x11A99, 0x11F42:
		return true
	}
	return false
}

// isRegional reports whether r is one of the letters that form flags in pairs.
func isRegional(r rune) bool { return unicode.Is(unicode.Regional_Indicator, r) }
