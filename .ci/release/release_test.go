package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes a tree of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func sample(t *testing.T) string {
	const replaced = "\n\ngo 1.26.0\n\nrequire " + mainModule + " v0.0.0\n\nreplace " + mainModule + " => ../..\n"
	return write(t, map[string]string{
		"go.mod": "module " + mainModule + "\n\ngo 1.26.0\n", "client/client.go": "package client\n", "LICENSE": "MIT\n",
		"client/otel/go.mod": "module " + mainModule + "/client/otel" + replaced, "client/otel/otel.go": "package otel\n",
		"internal/lab/bench/go.mod": "module " + mainModule + "/internal/lab/bench" + replaced,
		".ci/tools/go.mod":          "module " + mainModule + "/.ci/tools\n",
		"CHANGELOG.md":              "# Changelog\n\n## [0.2.0] - 2026-12-01\n",
	})
}

func TestModulesThatUsersFetchAreReleasedUnderTheirOwnTags(t *testing.T) {
	list, err := modules(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, m := range list {
		tags = append(tags, m.tag("v0.2.0"))
	}
	if want := []string{"v0.2.0", "client/otel/v0.2.0"}; !slices.Equal(tags, want) {
		t.Errorf("tags %v, want %v", tags, want)
	}
}

func TestAVersionThatNoModuleRequiresIsNotReleased(t *testing.T) {
	root := sample(t)
	list, err := modules(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := prepared(root, "v0.2.0", list); err == nil || !strings.Contains(err.Error(), "client/otel/go.mod") {
		t.Errorf("before prepare: %v", err)
	}
	if err := prepare(t.Context(), root, "v0.2.0", nil); err != nil {
		t.Fatal(err)
	}
	if err := prepared(root, "v0.2.0", list); err != nil {
		t.Errorf("after prepare: %v", err)
	}
	if err := prepared(root, "v0.3.0", list); err == nil {
		t.Error("another version is prepared")
	}
}

func TestAVersionWithoutAChangeLogIsRefused(t *testing.T) {
	root := sample(t)
	if err := described(root, "v0.2.0"); err != nil {
		t.Error(err)
	}
	if err := described(root, "v0.2.1"); err == nil {
		t.Error("v0.2.1 has no section")
	}
}

func TestTheProxyHasEachModuleWithoutTheOthers(t *testing.T) {
	root, proxy := sample(t), t.TempDir()
	list, err := modules(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeProxy(root, proxy, "v0.2.0", list); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(proxy, "github.com/wayfindhq/wayfind/@v/v0.2.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, strings.TrimPrefix(f.Name, mainModule+"@v0.2.0/"))
	}
	slices.Sort(names)
	if want := []string{"CHANGELOG.md", "LICENSE", "client/client.go", "go.mod"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
}

func TestWordsThatAreNoVersionOrPlatformAreRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"prove"}, {"prove", "0.2.0"}, {"prove", "v1"}, {"publish", "v0.2.0"}} {
		if err := run(t.Context(), args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	if _, err := choose([]string{"plan9_amd64"}); err == nil {
		t.Error("plan9_amd64 is taken")
	}
}
