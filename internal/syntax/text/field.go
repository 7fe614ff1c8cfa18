package text

import "strings"

// IsFieldValue reports whether a text can be the value of an HTTP header field without changes
// (RFC 9110 §5.5): visible ASCII, with spaces only inside.
func IsFieldValue(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c >= 0x7f })
}

// PlainWord returns a foreign word, such as the name of a protocol, if our sentences may
// contain it, or else "that it names".
func PlainWord(s string) string {
	if len(s) > 32 || strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && c != '+' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		return "that it names"
	}
	return s
}
