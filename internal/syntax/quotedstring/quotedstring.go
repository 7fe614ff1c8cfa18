// Package quotedstring reads the quoted strings in header fields.
package quotedstring

import "strings"

// Cut reads a quoted-string after its first quote (RFC 9110 §5.6.4), and returns the rest after its
// last quote. ok is false if the closing quote is missing.
func Cut(s string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}
