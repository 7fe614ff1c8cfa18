package jsonscan

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/wayfindhq/wayfind"
)

// maxSafe is the largest integer up to which a double tells all apart, 2^53-1
// (RFC 7493 §2.2).
const maxSafe = 1<<53 - 1

// Canonical returns a JSON value in canonical form (RFC 8785). Values that
// differ only in blanks, order of members, escapes and spelling of numbers
// have the same form, and so have numbers that the same double is nearest to:
// [Ambiguous] finds those. A number beyond the range of doubles has no form.
// The error is Scan's, or of code wayfind.CodeSigNumber.
func Canonical(raw []byte) ([]byte, error) {
	doc, err := Scan(raw)
	if err != nil {
		return nil, err
	}
	if n, found := doc.number(func(n Node) bool { _, fits := n.Float(); return !fits }); found {
		return nil, doc.refuse(n, "a number is beyond the range of doubles")
	}
	return doc.canonical()
}

// Distinct is [Canonical] where that tells values apart. A value with a number
// that is [Doc.Ambiguous] has all its numbers as they are written, so that no
// two values that differ have one form. The error is Scan's.
func Distinct(raw []byte) ([]byte, error) {
	doc, err := Scan(raw)
	if err != nil {
		return nil, err
	}
	if doc.Ambiguous() == nil {
		return doc.canonical()
	}
	return doc.canonical(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
}

func (d *Doc) canonical(options ...jsontext.Options) ([]byte, error) {
	value := jsontext.Value(bytes.Clone(d.Root().Raw()))
	if err := value.Canonicalize(options...); err != nil {
		return nil, fail(wayfind.CodeJSONSyntax, d.body, 0, "", err.Error())
	}
	return value, nil
}

// Ambiguous returns an error, of code wayfind.CodeSigNumber, when a number
// means different things to different readers (RFC 7493 §2.2): an integer
// beyond ±(2^53−1), or digits that a double does not keep. Without such
// numbers, two values have one canonical form only if they are equal.
func (d *Doc) Ambiguous() error {
	n, found := d.number(func(n Node) bool { return !exact(n) })
	if !found {
		return nil
	}
	return d.refuse(n, "readers differ on the number "+cut(n.Text()))
}

// number returns the first number, in the order of the table, that is like
// that.
func (d *Doc) number(like func(Node) bool) (Node, bool) {
	for id := range d.nodes {
		if n := (Node{doc: d, id: uint32(id)}); n.Kind() == Number && like(n) {
			return n, true
		}
	}
	return Node{}, false
}

// refuse is the error of a number.
func (d *Doc) refuse(n Node, why string) error {
	return fail(wayfind.CodeSigNumber, d.body, int(n.node().start), n.Pointer(), why)
}

// exact reports whether a double keeps a number as it is written, and tells it
// from its neighbours.
func exact(n Node) bool {
	f, ok := n.Float()
	if !ok {
		return false
	}
	digits, exponent := decimal(n.Text())
	kept, keptExponent := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	if digits != kept || exponent != keptExponent {
		return false
	}
	integer := exponent >= 0
	return !integer || -maxSafe <= f && f <= maxSafe
}

// decimal returns the significant digits of a number of the JSON grammar, and
// the power of ten that the last one stands for; "" and 0 for zero. The sign
// is left out.
func decimal(text string) (digits string, exponent int) {
	mantissa := strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent = saturated(strings.TrimPrefix(mantissa[i+1:], "+"))
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "", 0
	}
	significant := strings.TrimRight(digits, "0")
	return significant, exponent - len(fraction) + len(digits) - len(significant)
}
