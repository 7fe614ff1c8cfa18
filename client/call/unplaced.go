package call

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// The maximum number of arguments that a Note names, and the maximum length of each name in
// characters. A model may write any name.
const (
	maxNoted     = 8
	maxNotedName = 64
)

// notSent returns a note to the model about the arguments that were not sent. Without it, a
// call that ignored a filter looks like one that applied it. A call that changes something is
// not made at all: see misplaced.
func notSent(unplaced []string) string {
	if len(unplaced) == 0 {
		return ""
	}
	list := quoted(unplaced)
	if len(unplaced) == 1 {
		return "The tool has no argument " + list + "; it was not sent."
	}
	return "The tool has no arguments " + list + "; they were not sent."
}

// readAs names the arguments of which a value was taken in the type of the schema.
func readAs(retyped []string) string {
	if len(retyped) == 0 {
		return ""
	}
	return "Taken in the types of the definition: " + quoted(retyped) + "."
}

// leftOut names the arguments that were left out because null is no value of them. A call that reads
// clears nothing in any case.
func (t *target) leftOut() string {
	if len(t.nulls) == 0 {
		return ""
	}
	note := "Null is no value of " + quoted(t.nulls) + ", so the call was made without it"
	if t.reads() {
		return note + "."
	}
	return note + ": if null was meant to clear a value, nothing was cleared."
}

// nearestOf returns the known name with the same letters, such as filter[id] for filterId, or
// with a similar spelling.
func nearestOf(name string, known []string) string {
	for _, k := range known {
		if letters(k) == letters(name) {
			return k
		}
	}
	return text.Nearest(name, known)
}

// letters returns the letters and digits of a name in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// quoted lists names, which a model may have written.
func quoted(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), maxNoted)] {
		list = append(list, fmt.Sprintf("%+.*q", maxNotedName, name))
	}
	text := strings.Join(list, ", ")
	if more := len(names) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
