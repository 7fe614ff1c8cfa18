package panics_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What package cache asks of a Store besides, the guard before Options.Store
// must hand on: without it a shared store would be taken for a private one.
func TestGuardedStoreHasEveryTrait(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "cache", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	guard, err := os.ReadFile("panics.go")
	if err != nil {
		t.Fatal(err)
	}
	traits := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^type ([A-Z]\w*) interface \{\n\tStore\n`).FindAllStringSubmatch(string(text), -1) {
			traits++
			if !strings.Contains(string(guard), "cache."+m[1]+" ") {
				t.Errorf("the guard of stores is no cache.%s", m[1])
			}
		}
	}
	if traits < 3 {
		t.Errorf("%d optional interfaces of stores were found", traits)
	}
}
