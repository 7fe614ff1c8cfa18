package schema

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// decimal is a number as it is written, without rounding.
type decimal struct {
	negative bool
	digits   string // significant digits; empty for zero
	exponent int    // the power of ten of the last digit
}

// decimalOf reads a number, whose size has been checked.
func decimalOf(n jsonscan.Node) decimal {
	negative, digits, exponent := n.Decimal()
	return decimal{negative && digits != "", digits, exponent}
}

// tooLarge reports whether a number exceeds the limits of size.
func tooLarge(n jsonscan.Node) bool {
	if len(n.Text()) > maxDigits {
		return true
	}
	_, digits, exponent := n.Decimal()
	return digits != "" && (exponent > maxExponent || exponent+len(digits) < -maxExponent || exponent < -maxExponent-maxDigits)
}

func (d decimal) integer() bool { return d.exponent >= 0 }

// compare returns -1, 0 or 1.
func (d decimal) compare(e decimal) int {
	switch {
	case d.negative && !e.negative:
		return -1
	case !d.negative && e.negative:
		return 1
	case d.negative:
		return compareSize(e, d)
	}
	return compareSize(d, e)
}

// compareSize compares absolute values.
func compareSize(d, e decimal) int {
	switch {
	case d.digits == "" || e.digits == "":
		return min(len(d.digits), 1) - min(len(e.digits), 1)
	case d.exponent+len(d.digits) != e.exponent+len(e.digits):
		if d.exponent+len(d.digits) < e.exponent+len(e.digits) {
			return -1
		}
		return 1
	}
	// Both start at the same power of ten, and neither ends with a zero.
	return strings.Compare(d.digits, e.digits)
}

// multipleOf reports whether d is a multiple of e, which is greater than zero.
func (d decimal) multipleOf(e decimal) bool {
	if d.digits == "" {
		return true
	}
	low := min(d.exponent, e.exponent)
	a, b := d.scaled(low), e.scaled(low)
	return b.Sign() != 0 && a.Mod(a, b).Sign() == 0
}

// scaled returns the number in units of a power of ten, which must not be greater than the
// power of its last digit.
func (d decimal) scaled(low int) *big.Int {
	v, _ := new(big.Int).SetString("0"+d.digits+strings.Repeat("0", d.exponent-low), 10)
	return v
}

// appendKey appends a spelling to dst that is the same for equal numbers.
func (d decimal) appendKey(dst []byte) []byte {
	if d.negative {
		dst = append(dst, '-')
	}
	dst = append(dst, d.digits...)
	if d.digits == "" {
		return append(dst, '0')
	}
	dst = append(dst, 'e')
	return big.NewInt(int64(d.exponent)).Append(dst, 10)
}

// text returns the number as JSON.
func (d decimal) text() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch {
	case d.digits == "":
		return "0"
	case d.exponent >= 0 && d.exponent+len(d.digits) <= 21:
		return sign + d.digits + strings.Repeat("0", d.exponent)
	case d.exponent < 0 && -d.exponent < len(d.digits):
		at := len(d.digits) + d.exponent
		return sign + d.digits[:at] + "." + d.digits[at:]
	case d.exponent < 0 && -d.exponent <= 21:
		return sign + "0." + strings.Repeat("0", -d.exponent-len(d.digits)) + d.digits
	}
	return sign + d.digits + "e" + big.NewInt(int64(d.exponent)).String()
}

// next returns the neighbouring integer above or below.
func (d decimal) next(step int64) decimal {
	v := d.scaled(0)
	if d.negative {
		v.Neg(v)
	}
	v.Add(v, big.NewInt(step))
	text := v.String()
	negative := strings.HasPrefix(text, "-")
	digits := strings.TrimPrefix(text, "-")
	significant := strings.TrimRight(digits, "0")
	return decimal{negative && significant != "", significant, len(digits) - len(significant)}
}

// length returns the number of characters in a string.
func length(s string) int64 { return int64(utf8.RuneCountInString(s)) }
