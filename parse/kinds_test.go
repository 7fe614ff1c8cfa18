package parse

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/mdscan"
)

// The kinds are equal to the kinds of the scanners, so they are converted without a table.
func TestKinds(t *testing.T) {
	for kind, scanned := range map[Kind]jsonscan.Kind{
		Missing: jsonscan.Missing, Null: jsonscan.Null, Bool: jsonscan.Bool, Number: jsonscan.Number,
		String: jsonscan.String, Array: jsonscan.Array, Object: jsonscan.Object,
	} {
		if kind != Kind(scanned) {
			t.Errorf("%v is %d, and %d in the scanner", kind, kind, scanned)
		}
	}
	for kind, scanned := range map[BlockKind]mdscan.Kind{
		BlockParagraph: mdscan.Paragraph, BlockItem: mdscan.Item, BlockCode: mdscan.Code, BlockHTML: mdscan.HTML,
	} {
		if kind != BlockKind(scanned) {
			t.Errorf("the kind of block %d is %d in the scanner", kind, scanned)
		}
	}
}
