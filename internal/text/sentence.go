package text

import (
	"strings"
	"unicode/utf8"
)

// Shorten cuts a text to a number of bytes: after a sentence if one ends in the second
// half, or else after a word, with three dots. It reports whether it has cut.
func Shorten(s string, most int) (short string, cut bool) {
	if len(s) <= most {
		return s, false
	}
	const dots = "…"
	s = Head(s, most-len(dots))
	if end := strings.LastIndexAny(s, ".!?。！？"); end > most/2 {
		_, size := utf8.DecodeRuneInString(s[end:])
		return s[:end+size], true
	}
	if end := strings.LastIndexAny(s, " \n"); end > most/2 {
		s = s[:end]
	}
	return s + dots, true
}

// Head is the beginning of a text, at most a number of bytes, whole characters only.
func Head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := max(most, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
