package parsetest

import "bytes"

// The prefix laws check every byte of a small document, and as many places of a large one as
// take about a second.
const (
	everyByte   = 4 << 10
	maxPrefixes = 2000
)

// prefixes returns the lengths to which a body is cut.
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

// boundary reports whether a token of JSON, YAML or Markdown begins at c.
func boundary(c byte) bool {
	return bytes.IndexByte([]byte("{}[]:,\"\n#-`<"), c) >= 0
}
