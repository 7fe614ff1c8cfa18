package jsonscan

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/wayfindhq/wayfind"
)

// maxSafe is 2^53-1. A double distinguishes all integers up to it (RFC 7493 §2.2).
const maxSafe = 1<<53 - 1

// Canonical returns a JSON value in canonical form (RFC 8785). Values have the same form if
// they differ only in spaces, order of members, escapes and spelling of numbers. Numbers with
// the same nearest double have the same form too: [Ambiguous] reports them. A number outside
// the range of doubles has no form. The error is an error of Scan, or has the code
// wayfind.CodeSigNumber.
func Canonical(raw []byte) ([]byte, error) {
	doc, err := Scan(raw)
	if err != nil {
		return nil, err
	}
	if n, found := doc.number(func(n Node) bool { _, fits := n.Float(); return !fits }); found {
		return nil, doc.refuse(n, "a number is outside the range of doubles")
	}
	return doc.canonical()
}

// Distinct is [Canonical] if that form distinguishes the value from others. If a number of the
// value is [Doc.Ambiguous], all its numbers are kept as written, so that no two different
// values have the same form. The error is an error of Scan.
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

// Ambiguous returns an error with the code wayfind.CodeSigNumber if readers differ on the value
// of a number (RFC 7493 §2.2): an integer beyond ±(2^53−1), or digits that a double does not
// keep. Without such numbers, two values have the same canonical form only if they are equal.
func (d *Doc) Ambiguous() error {
	n, found := d.number(func(n Node) bool { return !exact(n) })
	if !found {
		return nil
	}
	return d.refuse(n, "readers differ on the number "+cut(n.Text()))
}

// number returns the first number, in the order of the table, for which like is true.
func (d *Doc) number(like func(Node) bool) (Node, bool) {
	for id := range d.nodes {
		if n := (Node{doc: d, id: uint32(id)}); n.Kind() == Number && like(n) {
			return n, true
		}
	}
	return Node{}, false
}

// refuse returns the error for a number.
func (d *Doc) refuse(n Node, why string) error {
	return fail(wayfind.CodeSigNumber, d.body, int(n.node().start), n.Pointer(), why)
}

// exact reports whether a double keeps a number as it is written and distinguishes it from its
// neighbours.
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

// decimal returns the significant digits of a number of the JSON grammar, without the sign, and
// the power of ten of the last digit. It returns "" and 0 for zero.
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
