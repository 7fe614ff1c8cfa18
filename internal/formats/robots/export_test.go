package robots

import "fmt"

// Matches exports the matching of rules.
func Matches(path, pattern string) bool { return matches(path, pattern) }

// Product exports the parser of product tokens.
func Product(value string) string { return product(value) }

// Records returns the lines of a text that the parser reads: field and value, except the values
// of rules.
func Records(text string) []string {
	var list []string
	for l := range split(text) {
		switch is := kindOf(l.text); is {
		case none:
		case userAgent, sitemap:
			list = append(list, fmt.Sprintf("%s %q", is.field(), l.value))
		case other:
			list = append(list, fmt.Sprintf("other %q", l.field))
		default:
			list = append(list, is.field())
		}
	}
	return list
}
