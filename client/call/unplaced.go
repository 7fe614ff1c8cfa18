package call

import (
	"fmt"
	"slices"
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

// misplaced returns a message with the arguments that prevent a call, and the names that the
// model may have meant. A change without one of its filters would change too much.
func (t *target) misplaced(unplaced []string) string {
	var known []string
	if c := t.tool.Capability; c != nil {
		for i := range c.Params {
			if op := t.plan.operation; op == nil || op.Withheld(&c.Params[i]).IsZero() {
				known = append(known, t.shown.Shown(c.Params[i].Name))
			}
		}
	}
	slices.Sort(known)
	list := []string{"the tool has no argument " + quoted(unplaced)}
	for _, name := range unplaced[:min(len(unplaced), maxNoted)] {
		if near := nearestOf(name, known); near != "" {
			list = append(list, fmt.Sprintf("for %+.*q, did you mean %+.*q?", maxNotedName, name, maxNotedName, near))
		}
	}
	switch {
	case len(list) > 1:
	case len(known) == 0:
		list = append(list, "it takes none")
	default:
		list = append(list, "it takes "+quoted(known))
	}
	return strings.Join(list, "; ")
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
