package text

import "unicode"

// class is the reason why a code point is removed from a text.
type class uint8

const (
	keep class = iota
	lineBreak
	tabulator
	space // any space but U+0020
	control
	bidi
	tag
	variation
	noncharacter
	private
	format
	ignorable
)

// classOf returns the class of a code point. All spaces are White_Space. All of
// Default_Ignorable_Code_Point is in the classes from bidi on.
func classOf(r rune) class {
	if r < 0xA0 {
		return classOfNarrow(r)
	}
	if 0xAE <= r && r < 0x34F || 0x3165 <= r && r <= 0xD7FF {
		return keep // most letters of all scripts
	}
	switch {
	case r == 0x2028 || r == 0x2029:
		return lineBreak
	case unicode.Is(unicode.Zs, r) || r == brailleBlank:
		return space
	case unicode.Is(unicode.Bidi_Control, r):
		return bidi
	case 0xE0000 <= r && r <= 0xE007F:
		return tag
	case unicode.Is(unicode.Variation_Selector, r):
		return variation
	case unicode.Is(unicode.Noncharacter_Code_Point, r):
		return noncharacter
	case unicode.Is(unicode.Co, r):
		return private
	case unicode.Is(unicode.Cf, r):
		return format
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return ignorable
	}
	return keep
}

// brailleBlank is a pattern without dots. It looks like a space, but Unicode classifies it as a
// symbol.
const brailleBlank = '\u2800'

// classOfNarrow is classOf for ASCII and the C1 controls. Each character that moves to another
// line is a line break, including NEL, VT and FF.
func classOfNarrow(r rune) class {
	switch {
	case r == '\t':
		return tabulator
	case '\n' <= r && r <= '\r' || r == 0x85:
		return lineBreak
	case r < ' ' || r >= 0x7F:
		return control
	}
	return keep
}

// fills reports whether r is a filler of Hangul. Fillers are ignorable and as wide as a letter.
func fills(r rune) bool { return r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 }

// IsHidden reports whether a code point is invisible. A host must not contain such a code
// point.
func IsHidden(r rune) bool { return classOf(r) >= control }

// IsLDH reports whether b is a letter, a digit or the hyphen (RFC 5890 §2.3.1).
func IsLDH(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '-'
}
