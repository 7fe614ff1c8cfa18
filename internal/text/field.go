package text

import "strings"

// IsFieldValue reports whether a header field of HTTP can contain a text, as it is, as its
// value (RFC 9110 §5.5): visible ASCII, with blanks only inside.
func IsFieldValue(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c >= 0x7f })
}

// PlainWord returns a foreign word, such as the name of a protocol, if a sentence of ours
// can contain it, and else "that it names".
func PlainWord(s string) string {
	if len(s) > 32 || strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && c != '+' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		return "that it names"
	}
	return s
}
