// Package reftoken writes and reads the reference tokens of a JSON pointer.
package reftoken

import "strings"

// Escape writes a member's name as a reference token (RFC 6901 §3).
func Escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// Unescape returns the member's name that a reference token stands for (RFC 6901 §4).
// A "~" that begins no escape stays.
func Unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
