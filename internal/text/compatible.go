package text

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Compatible returns s in normal form KC: fullwidth, mathematical and the like
// become the letters that they are read as. at says for each byte of the result,
// and for its end, where it comes from in s.
func Compatible(s string) (plain string, at []int) {
	at = make([]int, 0, len(s)+1)
	var b strings.Builder
	b.Grow(len(s))
	var it norm.Iter
	it.InitString(norm.NFKC, s)
	for !it.Done() {
		from := it.Pos()
		piece := it.Next()
		b.Write(piece)
		for range piece {
			at = append(at, from)
		}
	}
	return b.String(), append(at, len(s))
}
