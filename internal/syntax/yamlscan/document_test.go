package yamlscan_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

// allocatedBy reads a document and returns the number of allocated bytes.
func allocatedBy(text string) float64 {
	return testkit.Allocated(func() { _, _ = yamlscan.ScanDocument(text, yamlscan.Whole()) })
}

// TestDocumentGrowth checks that memory grows in proportion to the text up to the limit, and
// that a longer text costs nothing.
func TestDocumentGrowth(t *testing.T) {
	const small, large = 16 << 10, 96 << 10
	testkit.BoundGrowth(t, hostileDocuments(small), hostileDocuments(large), allocatedBy)
	for name, past := range hostileDocuments(8<<20 + 1000) {
		if got := allocatedBy(past); got > 16<<10 {
			t.Errorf("%s past the cap: %.0f bytes allocated", name, got)
		}
	}
}

// hostileDocuments returns the texts of hostile, and texts that aliases make long.
func hostileDocuments(n int) map[string]string {
	texts := hostile(n)
	texts["alias of text"] = "a: &a " + strings.Repeat("x", n/2) + "\nb: [" + strings.Repeat("*a,", n/6) + "]"
	texts["alias of list"] = "a: &a [" + strings.Repeat("x,", n/4) + "]\nb: [" + strings.Repeat("*a,", n/6) + "]"
	texts["merge keys"] = "a: &a {" + strings.Repeat(" ", n/4) + "k: v}\nb:\n" + strings.Repeat("- <<: *a\n", n/16)
	return texts
}

// Values between the markers of a document have the right lines.
func TestDocumentMarkers(t *testing.T) {
	for text, want := range map[string]string{
		"# c\n---\na: b\n...\n": "{a: b@3}", "---\na: b": "{a: b@2}", "--- # c\na: b": "{a: b@2}", "\ufeffa: b": "{a: b@1}", "": "missing",
		"%YAML 1.2\n---\na: b": "{a: b@3}",
		"a: |\n  ...\n":        "{a: \"...\\n\"@1}",
	} {
		root, err := yamlscan.ScanDocument(text, yamlscan.Whole())
		if got := show(root); got != want || err != nil {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"a: b\n---\n", "---\n---\na: b", "a: b\n...\nc: d", "%TAG ! x\n---\na: b", "a: b\n%YAML 1.2\n---\n", "a: b\n\ufeffc: d"} {
		if root, err := yamlscan.ScanDocument(text, yamlscan.Whole()); err == nil {
			t.Errorf("%q: read as %s", text, show(root))
		}
	}
}

// An alias has the line of its place and its key, and the value does not change.
func TestDocumentAliases(t *testing.T) {
	root, err := yamlscan.ScanDocument("a: &x\n  b: c\nd: *x\ne:\n- *x\n", yamlscan.Whole())
	if got, want := show(root), "{a: {b: c@2}, d: {b: c@2}, e: [{b: c@2}]}"; got != want || err != nil || root.Get("d").Line() != 3 || root.Get("a").Line() > 2 {
		t.Errorf("got %s, %v, lines %d and %d", got, err, root.Get("a").Line(), root.Get("d").Line())
	}
	if code := codeOf(t, "a: &x b\nc: *x"); code != wayfind.CodeYAMLForbidden {
		t.Errorf("front matter: code %q", code)
	}
}

// FuzzScanDocument checks that no text causes a panic, that the result is deterministic, and
// that it is never longer than aliases may make it.
func FuzzScanDocument(f *testing.F) {
	for _, text := range hostileDocuments(200) {
		f.Add(text)
	}
	for _, text := range []string{"", "---\na: b\n...\n", "a: &x {b: *x}", "a: &x b\n*x : c", "<<: {a: b}", "a: !!int 1", "a: &x [b]\nc: {<<: [*x]}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		testkit.BoundAllocs(t, len(text), 1500, 256<<10, func() { _, _ = yamlscan.ScanDocument(text, yamlscan.Whole()) })
		root, err := yamlscan.ScanDocument(text, yamlscan.Whole())
		again, errAgain := yamlscan.ScanDocument(text, yamlscan.Whole())
		if (err == nil) != (errAgain == nil) || show(root) != show(again) {
			t.Fatalf("%s, %v, then %s, %v", show(root), err, show(again), errAgain)
		}
		if got := written(root); err == nil && got > 4*len(text)+(64<<10) {
			t.Fatalf("%d bytes are written for %d", got, len(text))
		}
	})
}

// written returns the approximate length of a value when it is written.
func written(n yamlscan.Node) int {
	text, _ := n.Str()
	size := len(text)
	for key, value := range n.Members() {
		size += len(key) + written(value)
	}
	if n.Kind() == yamlscan.Sequence {
		for i := range n.Len() {
			size += written(n.Index(i))
		}
	}
	return size
}
