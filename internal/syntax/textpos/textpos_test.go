package textpos

import (
	"testing"

	"github.com/wayfindhq/wayfind"
)

// A syntax error has its line; what begins like JSON is not taken for YAML.
func TestSyntax(t *testing.T) {
	text := New([]byte("\ufeff{\n  \"a\": [1,],\n  \"b\": 2}"))
	if line, column := text.Position(wayfind.Diagnostic{Code: "document.json_syntax"}); line != 2 || column != 0 {
		t.Errorf("%d:%d", line, column)
	}
	if line, _ := text.Position(wayfind.Diagnostic{Code: "document.unusable"}); line != 0 {
		t.Errorf("%d", line)
	}
}

func TestPosition(t *testing.T) {
	const (
		json = "{\n  \"a\": [1,\n    {\"b/c\": \"x\"}],\n  \"é\": {\"é\": 2}\n}\n"
		yaml = "a:\n  - 1\n  - b/c: x\n"
	)
	for _, row := range []struct {
		text, pointer string
		line, column  int
	}{
		{json, "", 1, 1},
		{json, "/a/0", 2, 9},
		{json, "/a/1/b~1c", 3, 13},
		{json, "/é/é", 4, 14},
		{json, "/a/2", 0, 0},
		{json, "/a/-1", 0, 0},
		{json, "/nothing", 0, 0},
		{yaml, "/a/1/b~1c", 3, 10},
		{yaml, "/a/7", 0, 0},
		{yaml, "", 1, 1},
		{"any words", "", 0, 0},
		{"<p>neither</p>: [", "/a", 0, 0},
	} {
		if line, column := New([]byte(row.text)).Position(wayfind.Diagnostic{Pointer: row.pointer}); line != row.line || column != row.column {
			t.Errorf("%q is at %d:%d, want %d:%d", row.pointer, line, column, row.line, row.column)
		}
	}
}
