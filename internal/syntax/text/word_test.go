package text_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

type colour string

func (c colour) String() string { return string(c) }

func TestAWordThatIsNotThereNamesTheNearest(t *testing.T) {
	list := []colour{"red", "green", "blue"}
	for name, want := range map[string]string{
		"geren":                   `"geren" is no colour; the nearest is "green"`,
		"":                        `"" is no colour; there are red, green, blue`,
		"purple":                  `"purple" is no colour; there are red, green, blue`,
		"\x1b[m":                  `"\x1b[m" is no colour; there are red, green, blue`,
		strings.Repeat("x", 5000): `"` + strings.Repeat("x", 64) + `" is no colour; there are red, green, blue`,
	} {
		if got, err := text.Word("colour", list, name); err == nil || err.Error() != want || got != "" {
			t.Errorf("%q: %q, %v, want %s", name, got, err, want)
		}
	}
	if got, err := text.Word("colour", list, "blue"); got != "blue" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
