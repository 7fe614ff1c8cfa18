package security

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
)

// readJSON reads a file of vectors.
func readJSON[T any](t testing.TB, elem ...string) T {
	t.Helper()
	var v T
	path := golden.Vectors(t, elem...)
	if err := json.Unmarshal(golden.Read(t, path), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// readRows reads tab-separated vectors without comments and empty lines.
func readRows(t testing.TB, elem ...string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(string(golden.Read(t, golden.Vectors(t, elem...)))) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	if len(rows) < 2 {
		t.Fatalf("%v has no rows", elem)
	}
	return rows
}

// code returns the code of an error, "" for nil and "?" for a foreign one.
func code(err error) wayfind.Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Kind != nil {
		return e.Code
	}
	return "?"
}
