package jsonscan

import (
	"strconv"
	"strings"
)

// integer converts a number of the JSON grammar (RFC 8259 §6) to an exact int64. It makes one
// pass over the text, so the time is proportional to its length.
func integer(text string) (int64, bool) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], saturated(text[i+1:])
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	fraction = strings.TrimRight(fraction, "0")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	significant := strings.TrimRight(digits, "0")
	zeros := len(digits) - len(significant) - len(fraction) + exponent
	// 2^63 has 19 digits.
	if zeros < 0 || len(significant) > 19 || zeros > 19-len(significant) {
		return 0, false
	}
	sign := ""
	if negative {
		sign = "-"
	}
	v, err := strconv.ParseInt(sign+significant+strings.Repeat("0", zeros), 10, 64)
	if err != nil {
		return 0, false
	}
	return v, true
}

// saturated reads an exponent. The exact value is irrelevant if it is larger than the length of
// any body.
func saturated(text string) int {
	v, err := strconv.Atoi(text)
	const far = MaxBytes * 2
	switch {
	case err == nil:
		return min(max(v, -far), far)
	case strings.HasPrefix(text, "-"):
		return -far
	}
	return far
}

// Decimal splits a number as it is written: the significant digits, without zeros at either
// end, and the power of ten of the last digit. It returns "" and 0 for zero and if the node is
// not a number. A power that is larger than the length of any body is not exact.
func (n Node) Decimal() (negative bool, digits string, exponent int) {
	if n.Kind() != Number {
		return false, "", 0
	}
	digits, exponent = decimal(n.Text())
	return n.doc.text[n.node().start] == '-', digits, exponent
}
