package document

import "testing"

// Elements of arrays come in their order, and the whole before its parts.
func TestComparePointers(t *testing.T) {
	ordered := []string{"", "/a", "/a/2", "/a/2/x", "/a/10", "/a/b", "/b"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := ComparePointers(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}
