package tools

import "testing"

// The estimate is the sum for the classes of characters.
func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "word": 1, "internationalization": 4, "a b": 3, "123": 2, "日本": 2, `{"a":1}`: 4} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
