package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Compatible returns s in normal form KC: fullwidth, mathematical and similar characters become
// the letters as which they are read. at contains the offset in s of each byte of the result,
// and of its end.
func Compatible(s string) (plain string, at []int) {
	at = make([]int, 0, len(s)+1)
	var b strings.Builder
	b.Grow(len(s))
	var it norm.Iter
	it.InitString(norm.NFKC, s)
	for !it.Done() {
		from := it.Pos()
		piece := it.Next()
		b.Write(piece)
		for range piece {
			at = append(at, from)
		}
	}
	return b.String(), append(at, len(s))
}

// IsCompatible reports whether [Compatible] returns s unchanged.
func IsCompatible(s string) bool { return isASCII(s) || norm.NFKC.IsNormalString(s) }

// Decomposed returns the characters that a character is compatible with, or nil if it is not
// written as others.
func Decomposed(character []byte) []byte { return norm.NFKD.Properties(character).Decomposition() }

// Unaccented returns s in normal form KD without its combining marks: "größe" becomes "große",
// and fullwidth letters become plain letters.
func Unaccented(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.M, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
