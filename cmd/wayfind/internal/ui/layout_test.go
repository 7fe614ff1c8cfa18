package ui

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, row := range []struct {
		text string
		n    int
		want string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 0, "one two three"},
		{"overlong two", 3, "overlong|two"},
		{"", 3, ""},
		{"a  b", 3, "a |b"},
	} {
		if got := strings.Join(Wrap(row.text, row.n), "|"); got != row.want {
			t.Errorf("%q in %d: %q, want %q", row.text, row.n, got, row.want)
		}
	}
}
