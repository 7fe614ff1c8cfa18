package text

import (
	"fmt"
	"strings"
)

// And returns a list as a part of a sentence: at most a number of its texts, and the number of the
// others.
func And(list []string, most int) string {
	words := strings.Join(list[:min(len(list), most)], " and ")
	if more := len(list) - most; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}
