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
		{"深圳市长名字仓储", 6, "深圳市|长名字|仓储"},
		{"the 深圳市长 shop", 8, "the 深圳|市长|shop"},
		{"e\u0301te\u0301 e\u0301te\u0301", 7, "e\u0301te\u0301 e\u0301te\u0301"},
	} {
		if got := strings.Join(Wrap(row.text, row.n), "|"); got != row.want {
			t.Errorf("%q in %d: %q, want %q", row.text, row.n, got, row.want)
		}
	}
}
