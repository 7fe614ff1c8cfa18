package uritemplate_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// group is an object of the vectors.
type group struct {
	Variables map[string]any      `json:"variables"`
	Cases     [][]json.RawMessage `json:"testcases"`
}

// TestVectors runs all rows of uritemplate-test.
func TestVectors(t *testing.T) {
	rows := 0
	for _, file := range golden.Files(t, golden.Vectors(t, "uritemplate"), "*.json") {
		var groups map[string]group
		if err := json.Unmarshal(golden.Read(t, file), &groups); err != nil {
			t.Fatal(err)
		}
		for name, g := range groups {
			for _, row := range g.Cases {
				rows++
				check(t, filepath.Base(file)+": "+name, g.Variables, row)
			}
		}
	}
	if rows < golden.Least(t, golden.EnvVectors, 270) {
		t.Errorf("%d rows, want at least 270", rows)
	}
}

func check(t *testing.T, name string, variables map[string]any, row []json.RawMessage) {
	t.Helper()
	var template string
	if err := json.Unmarshal(row[0], &template); err != nil {
		t.Fatal(err)
	}
	got, err := expand(template, func(name string) uritemplate.Value { return valueOf(variables[name]) })
	var want []string
	if json.Unmarshal(row[1], &want) != nil {
		var one string
		if json.Unmarshal(row[1], &one) != nil { // false: an error
			if err == nil {
				t.Errorf("%s: %s: got %q, want an error", name, template, got)
			}
			return
		}
		want = []string{one}
	}
	if err != nil || !slices.Contains(want, got) {
		t.Errorf("%s: %s: got %q, %v, want one of %q", name, template, got, err, want)
	}
}

func expand(template string, value func(string) uritemplate.Value) (string, error) {
	t, err := uritemplate.Parse(template)
	if err != nil {
		return "", err
	}
	return t.Expand(value)
}

func valueOf(v any) uritemplate.Value {
	plain := func(v any) string {
		if s, ok := v.(string); ok {
			return s
		}
		text, _ := json.Marshal(v)
		return string(text)
	}
	switch v := v.(type) {
	case nil:
		return uritemplate.Value{}
	case []any:
		var list []string
		for _, item := range v {
			list = append(list, plain(item))
		}
		return uritemplate.List(list)
	case map[string]any:
		var list []uritemplate.Pair
		for _, name := range slices.Sorted(maps.Keys(v)) { // in the order of the rows that allow only one order
			list = append(list, uritemplate.Pair{Name: name, Value: plain(v[name])})
		}
		return uritemplate.Pairs(list)
	}
	return uritemplate.Text(plain(v))
}

// TestClimb checks that the result is UTF-8, so that no character becomes a delimiter.
func TestClimb(t *testing.T) {
	got, err := expand("/{id}", func(string) uritemplate.Value { return uritemplate.Text("⸮⼯ä") })
	if want := "/%E2%B8%AE%E2%BC%AF%C3%A4"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// FuzzExpand checks that each value stays between the texts around it.
func FuzzExpand(f *testing.F) {
	f.Add("/a/{id}/b{?q}", "x/../y?&#=ä\x00")
	f.Add("{;list*}", "\xff%2e")
	f.Fuzz(func(t *testing.T, template, value string) {
		parsed, err := uritemplate.Parse(template)
		if err != nil {
			return
		}
		text, err := parsed.Expand(func(string) uritemplate.Value { return uritemplate.Text(value) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(text) {
			if c := text[i]; c <= ' ' || c >= utf8.RuneSelf || c == 0x7F {
				t.Fatalf("%q: %q", template, text)
			}
		}
		simple, err := uritemplate.Parse("{v}")
		if err != nil {
			t.Fatal(err)
		}
		text, err = simple.Expand(func(string) uritemplate.Value { return uritemplate.Text(value) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(text) {
			if uritemplate.Reserved(text[i]) {
				t.Fatalf("%q leads out: %q", value, text)
			}
		}
	})
}
