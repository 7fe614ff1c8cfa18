package text

import (
	"strings"
	"unicode/utf8"
)

// Shorten cuts a text to at most a number of bytes: after a sentence if one ends in the second
// half, or else after a word, with three dots. It reports whether it cut the text.
func Shorten(s string, most int) (short string, cut bool) {
	if len(s) <= most {
		return s, false
	}
	const dots = "…"
	most = max(most, 0)
	head := Head(s, max(most-len(dots), 0))
	for end := len(head); end > most/2 && end > 0; {
		_, size := utf8.DecodeLastRuneInString(head[:end])
		if SentenceEnds(s[end-size:]) {
			return s[:end], true
		}
		end -= size
	}
	if end := strings.LastIndexAny(head, " \n"); end > most/2 {
		head = head[:end]
	}
	return head + dots, true
}

// SentenceEnds reports whether a sentence ends with the first character of a text. A point
// inside a number or a name does not end a sentence.
func SentenceEnds(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	if strings.ContainsRune("。！？", r) {
		return true
	}
	return strings.ContainsRune(".!?", r) && (len(s) == size || s[size] == ' ' || s[size] == '\n')
}

// Head returns the beginning of a text: whole characters, and at most the given number of
// bytes.
func Head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
