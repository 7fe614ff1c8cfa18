package call

import (
	"fmt"
	"strings"
)

// The arguments that a Note names, and the characters of each: a model may write any.
const (
	maxNoted     = 8
	maxNotedName = 64
)

// notSent tells a model which of its arguments were not sent. Without it, a call that
// ignored a filter looks like one that applied it.
func notSent(unplaced []string) string {
	if len(unplaced) == 0 {
		return ""
	}
	var names []string
	for _, name := range unplaced[:min(len(unplaced), maxNoted)] {
		names = append(names, fmt.Sprintf("%+.*q", maxNotedName, name))
	}
	list := strings.Join(names, ", ")
	if more := len(unplaced) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if len(unplaced) == 1 {
		return "The tool has no argument " + list + "; it was not sent."
	}
	return "The tool has no arguments " + list + "; they were not sent."
}
