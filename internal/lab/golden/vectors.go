package golden

import (
	"encoding/json"
	"strings"
	"testing"
)

// VectorJSON reads a JSON file of the shared vectors. It skips and fails like [Vectors].
func VectorJSON[T any](t testing.TB, elem ...string) T {
	t.Helper()
	var v T
	path := Vectors(t, elem...)
	if err := json.Unmarshal(Read(t, path), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// VectorRows reads a tab-separated file of the shared vectors without its comments and empty
// lines. It fails the test if fewer than two rows remain.
func VectorRows(t testing.TB, elem ...string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(string(Read(t, Vectors(t, elem...)))) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	if len(rows) < 2 {
		t.Fatalf("%v has no rows", elem)
	}
	return rows
}
