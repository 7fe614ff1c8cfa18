package text

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

func TestCleanJSON(t *testing.T) {
	for _, c := range []struct {
		in, want string
		removed  Removed
	}{
		{`{"type": "object", "n": 1.50, "a": [true, null]}`, `{"type": "object", "n": 1.50, "a": [true, null]}`, Removed{}},
		{`{"é": "Grüße"}`, `{"é": "Grüße"}`, Removed{}},
		{`"line\none"`, `"line\none"`, Removed{}},
		{`{"d": "a\u202eb", "n": 1e5}`, `{"d": "ab", "n": 1e5}`, Removed{Bidi: 1}},
		{`{"na\u200bme": 1, "name": 2}`, `{"name~2": 1, "name": 2}`, Removed{Format: 1}},
		{"[\"a\u2028b\", \"\U000E0041\"]", `["a\nb", ""]`, Removed{Tags: 1}},
		{`{"x": {"enum": ["\u001b[2J", "ok"]}}`, `{"x": {"enum": ["[2J", "ok"]}}`, Removed{Controls: 1}},
		{`"\u007f` + "\x7f\"", `""`, Removed{Controls: 2}},
	} {
		got, removed, err := CleanJSON([]byte(c.in))
		if diff := cmp.Diff(c.want, string(got)) + cmp.Diff(c.removed, removed); diff != "" || err != nil {
			t.Errorf("CleanJSON(%s), %v (-want +got):\n%s", c.in, err, diff)
		}
		again, more, err := CleanJSON(got)
		if string(again) != string(got) || more.Any() || err != nil {
			t.Errorf("again: %s, %s, %v", again, more, err)
		}
	}
}

func TestCleanJSONRefuses(t *testing.T) {
	for _, in := range []string{`{"é": 1, "é": 2}`, "\"\xff\"", `"é`, `"\x"`, `["é"] 1`} {
		got, removed, err := CleanJSON([]byte(in))
		if got != nil || removed.Any() || !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("CleanJSON(%q) = %q, %s, %v", in, got, removed, err)
		}
	}
}

func TestCleanJSONDoesNotCopy(t *testing.T) {
	raw := []byte(`{"type": "object", "properties": {"to": {"type": "string"}}}`)
	if n := testing.AllocsPerRun(100, func() { _, _, _ = CleanJSON(raw) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPrintableTextHasNoControlsAndNoLineBreaks checks that terminals and logs receive no
// unescaped controls and line breaks.
func TestPrintableTextHasNoControlsAndNoLineBreaks(t *testing.T) {
	for in, want := range map[string]string{
		"plain":              "plain",
		"Grüße 世界 👍":         "Grüße 世界 👍",
		"a\nb\r\tc":          `a\nb\r\tc`,
		"\x1b[2J\u009b\x7f":  `\x1b[2J\u009b\x7f`,
		"a\u202eb\u200b":     `a\u202eb\u200b`,
		"a\ufe0f☀\u3164":     `a\ufe0f☀\u3164`,
		"☀\ufe0f\ufe0f":      `☀\ufe0f`,
		"\U000E0041\ue000":   `\U000e0041\ue000`,
		"a\u00a0b\xff":       `a\u00a0b\xff`,
		`back\slash "x" 'y'`: `back\slash "x" 'y'`,
		"'\u0000\ufffd":      `'\x00` + "\ufffd",
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%+q) = %q, want %q", in, got, want)
		}
	}
	for _, row := range golden.VectorJSON[[]struct{ ID, Text string }](t, "naughty", "hostile_strings_own.json") {
		got := Printable(row.Text)
		if strings.ContainsFunc(got, func(r rune) bool { return classOf(r) != keep }) || Printable(got) != got {
			t.Errorf("%s: %+q", row.ID, got)
		}
	}
}

// TestJSONEscapesWhatReadersDoNotSee checks that invisible characters, and characters with an
// effect on a terminal, are escaped in JSON, and that the value is the same.
func TestJSONEscapesWhatReadersDoNotSee(t *testing.T) {
	in := "{\"a\":\"x\u007f\u009b\u202e\U000e0061\u200b\ufe0f\u3164\xff\ufffdy é 語\"}\n"
	want := "{\"a\":\"x\\u007f\\u009b\\u202e\\udb40\\udc61\\u200b\\ufe0f\\u3164\\ufffd\ufffdy é 語\"}\n"
	if got := string(EscapeJSON([]byte(in))); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, row := range golden.VectorJSON[[]struct{ ID, Text string }](t, "naughty", "hostile_strings_own.json") {
		raw, err := json.Marshal(row.Text)
		if err != nil {
			t.Fatal(err)
		}
		got, back := EscapeJSON(raw), ""
		if strings.ContainsFunc(string(got), func(r rune) bool { return classOf(r) != keep }) {
			t.Errorf("%s: %q", row.ID, got)
		}
		if err := json.Unmarshal(got, &back); err != nil || back != row.Text {
			t.Errorf("%s: %q means %+q, %v", row.ID, got, back, err)
		}
	}
	raw := []byte(`{"plain": [1, "é"]}`)
	if n := testing.AllocsPerRun(100, func() { EscapeJSON(raw) }); n != 0 {
		t.Errorf("%v allocations for what needs no escapes", n)
	}
}
