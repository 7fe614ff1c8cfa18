package parsetest

import "bytes"

// The bounds of the prefix laws: every byte of a small document, as many
// places as take about a second of a large one.
const (
	everyByte   = 4 << 10
	maxPrefixes = 2000
)

// prefixes returns the lengths at which a body is cut.
func prefixes(body []byte) []int {
	var cuts []int
	for i := range body {
		if len(body) <= everyByte || boundary(body[i]) {
			cuts = append(cuts, i)
		}
	}
	if len(body) <= everyByte || len(cuts) <= maxPrefixes {
		return cuts
	}
	few := make([]int, maxPrefixes)
	for i := range few {
		few[i] = cuts[i*len(cuts)/maxPrefixes]
	}
	return few
}

// boundary reports whether tokens of JSON, YAML and Markdown begin at c.
func boundary(c byte) bool {
	return bytes.IndexByte([]byte("{}[]:,\"\n#-`<"), c) >= 0
}
