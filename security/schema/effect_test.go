package schema

import "testing"

// TestEffectText checks that each effect has a different text.
func TestEffectText(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range []Effect{None, Wider, Narrower} {
		if text := e.Text(); text == string(e) || seen[text] {
			t.Errorf("%s: %q", e, text)
		} else {
			seen[text] = true
		}
	}
	if Effect("other").Text() != "other" {
		t.Error("an unknown effect has words")
	}
}
