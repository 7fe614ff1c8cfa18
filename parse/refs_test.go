package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// Each operation of a document has its own reader. The order of members that one of them computes
// for a large object is used by the next.
func TestReadersOfOneDocumentShareTheOrderOfItsMembers(t *testing.T) {
	const count = 10_000
	var members strings.Builder
	for i := range count {
		fmt.Fprintf(&members, `"k%d": %d, `, i, i)
	}
	root := object(t, `{"parts": {`+members.String()+`"last": "x"}}`)
	testkit.BoundAllocs(t, count, 0, 4<<10, func() {
		for range 100 {
			refs := parse.Refs{Root: root}
			if text, _ := refs.At("/parts/last").Str(); text != "x" {
				t.Fatalf("%q", text)
			}
		}
	})
}
