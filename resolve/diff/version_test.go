package diff

import "testing"

// Semantic Versioning 2.0.0 §11, with the examples of that section, and
// versions of any number of parts.
func TestCompareVersions(t *testing.T) {
	rising := []string{"0", "0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
		"1.0.0", "v1.2", "1.2.1", "1.10", "2", "10.0.0.1", "99999999999999999999"}
	for i, a := range rising {
		for j, b := range rising {
			got, ok := compareVersions(a, b)
			if want := min(max(i-j, -1), 1); !ok || got != want {
				t.Errorf("%s and %s: %d %t, want %d", a, b, got, ok, want)
			}
		}
	}
	for _, pair := range [][2]string{{"1.0", "1.0.0"}, {"1.0+a", "1.0+b"}, {"v1", "1"}, {"01", "1"}} {
		if got, ok := compareVersions(pair[0], pair[1]); got != 0 || !ok {
			t.Errorf("%v: %d %t", pair, got, ok)
		}
	}
	for _, s := range []string{"", "latest", "1.x", "1..2", "a1", "1.0 "} {
		if _, ok := compareVersions("1.0", s); ok {
			t.Errorf("%q is a version", s)
		}
	}
}
