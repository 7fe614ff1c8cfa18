package humanize

import "fmt"

// Count returns a number of things whose plural ends in s.
func Count(n int, what string) string { return Plural(n, what, what+"s") }

// Plural returns a number of things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
