package yamlscan_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

func FuzzScan(f *testing.F) {
	for _, text := range hostile(200) {
		f.Add(text)
	}
	for _, text := range []string{"", "a: b", "a:\n  b: [c, {d: 'e'}]\n", "a: &b c", "a: ! b", "a: |\n b\n", "? a\n: b", "é: ! b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		testkit.BoundAllocs(t, len(text), 1500, 128<<10, func() { _, _ = scan(text) })
		code := codeOf(t, text)
		if again := codeOf(t, text); again != code {
			t.Fatalf("%q, then %q", code, again)
		}
		if code == "" {
			root, _ := scan(text)
			bounded(t, root, 1)
		}
	})
}

// bounded checks the documented limits of the result of [yamlscan.Scan].
func bounded(t *testing.T, n yamlscan.Node, depth int) {
	t.Helper()
	if n.Len() > 0 && depth > 8 {
		t.Fatalf("depth %d", depth)
	}
	seen := map[string]bool{}
	for key, value := range n.Members() {
		if seen[key] {
			t.Fatalf("key %q twice", key)
		}
		seen[key] = true
		bounded(t, value, depth+1)
	}
	if n.Kind() == yamlscan.Sequence {
		for i := range n.Len() {
			bounded(t, n.Index(i), depth+1)
		}
	}
}
