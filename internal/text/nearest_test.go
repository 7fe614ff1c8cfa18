package text

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"resolve", "parse", "lint", "describe"}
	for word, want := range map[string]string{"reslove": "resolve", "pasre": "parse", "lnit": "lint", "Parse": "parse", "example": "", "x": "", "descibe": "describe"} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
