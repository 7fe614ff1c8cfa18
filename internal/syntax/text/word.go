package text

import (
	"fmt"
	"strings"
)

// Word returns the one of a closed list of words that has a name. The error of another
// name has the nearest one, or all of them if none is near. Kind says in it what the
// words are: "code of a call".
func Word[W fmt.Stringer](kind string, list []W, name string) (W, error) {
	names := make([]string, len(list))
	for i, w := range list {
		if names[i] = w.String(); names[i] == name {
			return w, nil
		}
	}
	var none W
	if near := Nearest(name, names); near != "" {
		return none, fmt.Errorf("%+.64q is no %s; the nearest is %q", name, kind, near)
	}
	return none, fmt.Errorf("%+.64q is no %s; there are %s", name, kind, strings.Join(names, ", "))
}

// OptionalWord is Word, with the zero word for an empty name.
func OptionalWord[W fmt.Stringer](kind string, list []W, name []byte) (none W, err error) {
	if len(name) == 0 {
		return none, nil
	}
	return Word(kind, list, string(name))
}

// Row returns the row of a word, and the zero row for the zero word, which has none.
func Row[R any](row *R) (none R) {
	if row == nil {
		return none
	}
	return *row
}
