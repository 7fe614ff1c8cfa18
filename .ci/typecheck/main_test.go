package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsOfOtherSystemsAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module fake\n\ngo 1.26\n",
		"fake.go":        "package fake\n",
		"one_windows.go": "package fake\n\nvar one int = missing\n",
		"two/two.go":     "package two\n\nimport _ \"fake\"\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string]string{"darwin/arm64": "", "windows/amd64": "one_windows.go:3:15: undefined: missing"} {
		var out strings.Builder
		got := ""
		if err := check(&out, dir, platform); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || (want == "") != (got == "") || out.String() != platform+": 2 packages\n" {
			t.Errorf("%s: %q, printed %q", platform, got, out.String())
		}
	}
	if err := check(&strings.Builder{}, t.TempDir(), "darwin/arm64"); err == nil {
		t.Error("a directory without packages has no error")
	}
}
