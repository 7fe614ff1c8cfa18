package a2a_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// documents returns the cards of the corpus and the fixtures of the format, by name.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	docs := map[string][]byte{}
	for _, path := range golden.Files(t, golden.Corpus(t, "a2a-agent-card"), "*.json") {
		docs[filepath.Base(path)] = golden.Read(t, path)
	}
	fixtures := filepath.Join(golden.Root(t), "internal", "formats", "a2a", "testdata")
	for _, path := range golden.Files(t, fixtures, "*.txtar") {
		for _, f := range txtar.Parse(golden.Read(t, path)).Files {
			if !strings.HasSuffix(f.Name, ".want") {
				docs[strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+f.Name] = f.Data
			}
		}
	}
	return docs
}

// reasons returns the known disagreements with their reasons.
func reasons(t *testing.T) map[string]string {
	t.Helper()
	known := map[string]string{}
	for text := range strings.Lines(string(golden.Read(t, filepath.Join("testdata", "reasons.txt")))) {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		key, why, ok := strings.Cut(text, ": ")
		if _, twice := known[key]; !ok || why == "" || twice {
			t.Errorf("reasons.txt: %q has no reason, or stands twice", text)
		}
		known[key] = why
	}
	return known
}

// disagreements returns the facts on which we and a reader differ.
func disagreements(file string, lib reader, body []byte) map[string]string {
	theirs, ok := lib.read(body)
	if !ok {
		return nil
	}
	mine, ok := ours(body)
	if !ok {
		return map[string]string{lib.name + " " + file + " card": fmt.Sprintf("only they read it: %v", theirs)}
	}
	found := map[string]string{}
	for _, field := range fields() {
		if !slices.Equal(mine[field], theirs[field]) {
			found[lib.name+" "+file+" "+field] = fmt.Sprintf("\n\tours   %q\n\ttheirs %q", mine[field], theirs[field])
		}
	}
	return found
}

// TestAgainstLibrary checks that we read the same as the protocol's own library, unless there
// is a reason.
func TestAgainstLibrary(t *testing.T) {
	docs, known := documents(t), reasons(t)
	// A reason is about a published card, a sample of one, or a fixture.
	maps.DeleteFunc(known, func(key, _ string) bool { return docs[strings.Fields(key)[1]] == nil })
	compared := map[string]int{}
	for _, file := range slices.Sorted(maps.Keys(docs)) {
		for _, lib := range readers() {
			if _, ok := lib.read(docs[file]); ok {
				compared[lib.name]++
			}
			found := disagreements(file, lib, docs[file])
			for _, key := range slices.Sorted(maps.Keys(found)) {
				if known[key] == "" {
					t.Errorf("%s: no reason is known: %s", key, found[key])
				}
				delete(known, key)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		t.Errorf("%s: we agree, and there is a reason why not", key)
	}
	for _, lib := range readers() {
		if compared[lib.name] == 0 {
			t.Errorf("%s reads nothing", lib.name)
		}
	}
	t.Logf("%d documents, compared %v", len(docs), compared)
}

// TestOnlyWeRead counts the cards that only one side reads.
func TestOnlyWeRead(t *testing.T) {
	var only, both, nobody []string
	for file, body := range documents(t) {
		if strings.Contains(file, "/") {
			continue // one of our fixtures
		}
		_, mine := ours(body)
		theirs := slices.ContainsFunc(readers(), func(lib reader) bool { _, ok := lib.read(body); return ok })
		switch {
		case mine && theirs:
			both = append(both, file)
		case mine:
			only = append(only, file)
		case !theirs:
			nobody = append(nobody, file)
		}
	}
	slices.Sort(only)
	t.Logf("of the corpus both read %d, only we %d, nobody %d: %q", len(both), len(only), len(nobody), only)
	if len(both) == 0 || len(only) == 0 && golden.Published(t, golden.EnvCorpus) {
		t.Error("a side reads nothing that it should")
	}
}
