// Package offer reads what a call costs: x-payment-info of a description, in the two
// dialects that publishers write, and the demands of an answer with status 402, in
// three. It reads only: nothing pays, and the address that a demand wants money at is
// never kept.
//
// The same digits are cents in one dialect and dollars in the other. The shape decides:
// an intent with a method has amounts in the smallest unit, a price in the major one.
package offer

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxOffers bounds the offers of one call, and maxWord each word of one, in bytes.
	maxOffers = 16
	maxWord   = 128
	maxText   = 500
)

// The protocols.
const (
	mpp  = "mpp"
	x402 = "x402"
)

// Described reads x-payment-info. odd reports an amount with a decimal point where the
// smallest unit belongs.
func Described(info parse.Node) (offers []wayfind.Offer, odd bool) {
	if info.Kind() != parse.Object {
		return nil, false
	}
	if list := info.Get("offers"); list.Kind() == parse.Array {
		for _, item := range list.Items() {
			o, strange := charge(item)
			if offers, odd = add(offers, o), odd || strange; len(offers) == maxOffers {
				break
			}
		}
		return offers, odd
	}
	if info.Get("intent").Exists() {
		o, odd := charge(info)
		return add(offers, o), odd
	}
	return priced(info), false
}

// Prices returns all prices of a call in words; nil if it is free or no price is stated. The offers
// count too: one whose amount is not known before the call has no text in Capability.Price.
func Prices(c *wayfind.Capability) (list []string) {
	if Costs(c.Price) {
		list = append(list, strings.TrimSpace(c.Price))
	}
	for _, o := range c.Offers {
		if words := o.String(); o.Mode != "free" && !slices.Contains(list, words) {
			list = append(list, words)
		}
	}
	return list
}

// Costs reports whether Capability.Price states a price.
func Costs(price string) bool {
	word := strings.TrimSpace(price)
	return word != "" && !strings.EqualFold(word, "free")
}

// maxAlso is the maximum number of other prices that are named.
const maxAlso = 3

// Dearest returns the dearest of several prices in words, with the others if they are of other amounts: a
// site that contradicts itself may charge any of them. Prices in several currencies cannot be compared; then
// the first one counts. A price whose amount is not known comes first among the others.
func Dearest(prices []string) string {
	var best string
	var most sum
	var unread, others []string
	for i, p := range prices {
		switch amount, known := read(p); {
		case p == "" || slices.Contains(prices[:i], p):
		case !known:
			unread = append(unread, p)
		case best == "":
			best, most = p, amount
		case amount.in != most.in || amount.value.Cmp(most.value) < 0:
			others = append(others, p)
		case amount.value.Cmp(most.value) > 0:
			others = append(others, best)
			best, most = p, amount
		}
	}
	if best == "" && unread != nil {
		best, unread = unread[0], unread[1:]
	}
	also := append(unread, others...)
	if len(also) == 0 {
		return best
	}
	more := ""
	if n := len(also) - maxAlso; n > 0 {
		also, more = also[:maxAlso], fmt.Sprintf(", and %d more", n)
	}
	return best + " (the site also states " + strings.Join(also, ", ") + more + ")"
}

// sum is an amount in a currency and a unit.
type sum struct {
	value *big.Rat
	in    string
}

// maxDigits bounds an amount that is compared.
const maxDigits = 64

// read reads the highest amount of a price in words, which stands before the currency.
func read(price string) (s sum, known bool) {
	words := strings.Fields(price)
	for i, word := range words {
		if len(word) > maxDigits || strings.Trim(word, "0123456789.") != "" {
			continue
		}
		if value, ok := new(big.Rat).SetString(word); ok {
			s = sum{value, strings.ToLower(strings.Join(words[i+1:], " "))}
			known = true
		}
	}
	return s, known
}

// Most is the largest amount that a call may cost.
type Most struct {
	Value    *big.Rat
	Currency string // as written
	Smallest bool   // Value is in the smallest unit of the currency; otherwise in that of everyday prices, or it is not said
}

// mostOf matches a price as wayfind.Offer.String writes it, if it has a largest amount.
var mostOf = regexp.MustCompile(`^(?:up to |[0-9.]{1,64} to )?([0-9.]{1,64}) (\S{1,256})( \(in its smallest unit\))?$`)

// MostOf returns the largest amount of a price in words. known is false for a price without one, such as
// "from 3 USD".
func MostOf(price string) (m Most, known bool) {
	parts := mostOf.FindStringSubmatch(price)
	if parts == nil {
		return m, false
	}
	value, ok := new(big.Rat).SetString(parts[1])
	return Most{value, parts[2], parts[3] != ""}, ok
}

// add adds an offer that says something.
func add(offers []wayfind.Offer, o wayfind.Offer) []wayfind.Offer {
	if o == (wayfind.Offer{}) || o == (wayfind.Offer{Protocol: mpp}) || len(offers) == maxOffers {
		return offers
	}
	return append(offers, o)
}

// charge reads an offer of the Machine Payments Protocol.
func charge(n parse.Node) (o wayfind.Offer, odd bool) {
	o = wayfind.Offer{Protocol: mpp, Method: word(n.Get("method")), Intent: word(n.Get("intent")),
		Amount: amount(n.Get("amount")), Currency: word(n.Get("currency")), Text: prose(n.Get("description"))}
	switch {
	case n.Get("amount").Kind() == parse.Null:
		o.Mode = "dynamic"
	case o.Amount != "" && strings.Contains(o.Amount, "."):
		o.Unit, odd = wayfind.UnitMajor, true
	case o.Amount != "":
		o.Unit = wayfind.UnitSmallest
	}
	return o, odd
}

// priced reads the other dialect: a price, and the protocols that it is paid by.
func priced(info parse.Node) (offers []wayfind.Offer) {
	price := info.Get("price")
	o := wayfind.Offer{Text: prose(info.Get("description"))}
	switch {
	case price.Kind() == parse.Object:
		o.Mode, o.Currency = word(price.Get("mode")), word(price.Get("currency"))
		o.Amount, o.Min, o.Max = amount(price.Get("amount")), amount(price.Get("min")), amount(price.Get("max"))
	case word(info.Get("type")) == "free":
		o.Mode = "free"
	default:
		o.Mode, o.Currency, o.Amount = word(info.Get("pricingMode")), word(info.Get("currency")), amount(price)
	}
	if o.Amount+o.Min+o.Max != "" {
		o.Unit = wayfind.UnitMajor
	}
	for _, p := range info.Get("protocols").Items() {
		own := o
		if own.Protocol = word(p); own.Protocol == "" {
			for name, terms := range p.Members() {
				own = by(o, name, terms)
			}
		}
		offers = add(offers, own)
	}
	if offers == nil {
		offers = add(nil, o)
	}
	return offers
}

// by is an offer in one protocol, whose own terms take precedence. Their unit is not said.
func by(o wayfind.Offer, name string, terms parse.Node) wayfind.Offer {
	o.Protocol, o.Method = clip(name, maxWord), word(terms.Get("method"))
	if own := amount(terms.Get("amount")); own != "" {
		o.Amount, o.Min, o.Max, o.Unit = own, "", "", ""
	}
	if currency := word(terms.Get("currency")); currency != "" {
		o.Currency = currency
	}
	return o
}

// amount is an amount as it is written: digits with a point at most.
func amount(n parse.Node) string {
	written, ok := n.Str()
	if !ok && n.Kind() == parse.Number {
		written = string(n.Raw())
	}
	if len(written) > maxWord || strings.Trim(written, "0123456789") != "" && strings.Trim(strings.Replace(written, ".", "", 1), "0123456789") != "" {
		return ""
	}
	return written
}

func word(n parse.Node) string {
	written, _ := n.Str()
	return clip(written, maxWord)
}

func prose(n parse.Node) string {
	written, _ := n.Str()
	return clip(written, maxText)
}

// clip cleans a text of a stranger; one that is too long is none.
func clip(s string, most int) string {
	clean, _ := text.Clean(s, false, 0)
	if len(clean) > most {
		return ""
	}
	return clean
}
