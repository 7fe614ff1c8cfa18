package session

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/currency"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/site/offer"
)

// Budget is what a Session may use. A limit of zero is none. A call that begins within a limit of calls
// or bytes is completed.
type Budget struct {
	// Calls is the number of calls of tools. Searches and descriptions are not counted.
	Calls int
	// Bytes is the number of bytes of results for the model, searches and descriptions included.
	Bytes int
	// Time is the time since the first call. It ends calls that are under way.
	Time time.Duration
	// Money contains the largest amount for each currency, by its code (ISO 4217) in the unit of
	// everyday prices, such as {"USD": "2.50"}, or, for a token, by its contract in the smallest unit.
	// If it is nil, prices are not counted. Otherwise the dearest statement of a site about the
	// price of a call is reserved before the call: the maximum of a dynamic price. A call is not made if
	// its price has no amount or is in a currency that is not here. The reservation of a call that
	// may have been carried out is kept.
	Money map[string]string
}

// Used is what a Session has used.
type Used struct {
	Calls int `json:"calls"`
	Bytes int `json:"bytes"`
	// Time is the time since the first call.
	Time time.Duration `json:"time"`
	// Money contains the amounts that are spent or reserved, for each currency of Budget.Money.
	Money map[string]string `json:"money,omitempty"`

	spent, most map[string]*big.Rat
}

// read prepares the counting of money.
func (b *Budget) read(u *Used) error {
	if b.Money == nil {
		return nil
	}
	u.spent, u.most = make(map[string]*big.Rat), make(map[string]*big.Rat)
	for code, amount := range b.Money {
		most, ok := amountOf(amount)
		if !ok || code == "" {
			return fmt.Errorf("session: Budget.Money: %q of %q is no amount: write a decimal number such as 2.50", amount, code)
		}
		u.most[keyOf(code)], u.spent[keyOf(code)] = most, new(big.Rat)
	}
	return nil
}

// keyOf returns the key of a currency: codes are compared without case.
func keyOf(code string) string {
	if len(code) == 3 {
		return strings.ToUpper(code)
	}
	return code
}

// amountOf reads a decimal number that is not negative.
func amountOf(s string) (*big.Rat, bool) {
	if s == "" || len(s) > 40 || strings.Trim(s, "0123456789.") != "" {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(s)
	return r, ok
}

// reserve takes the price of a call from the budget. ok is false if it does not fit or is not known.
func (u *Used) reserve(t *tools.Tool) (taken map[string]*big.Rat, ok bool) {
	does := effect.In(t)
	if u.most == nil || !does.Has(effect.Price) {
		return nil, true
	}
	taken = make(map[string]*big.Rat)
	for _, words := range does.Prices {
		code, price, known := priceOf(words)
		if most := u.most[code]; !known || most == nil || new(big.Rat).Add(u.spent[code], price).Cmp(most) > 0 {
			return nil, false
		}
		if old := taken[code]; old == nil || old.Cmp(price) < 0 {
			taken[code] = price // one of the prices is paid
		}
	}
	for code, price := range taken {
		u.spent[code].Add(u.spent[code], price)
	}
	return taken, len(taken) > 0
}

// giveBack returns a reservation.
func (u *Used) giveBack(taken map[string]*big.Rat) {
	for code, price := range taken {
		u.spent[code].Sub(u.spent[code], price)
	}
}

// priceOf returns the largest amount of a price, in the unit of Budget.Money.
func priceOf(words string) (code string, price *big.Rat, known bool) {
	most, known := offer.MostOf(words)
	if !known {
		return "", nil, false
	}
	code = keyOf(most.Currency)
	unit, err := currency.ParseISO(code)
	switch {
	case err != nil: // a token
		return code, most.Value, most.Smallest
	case most.Smallest:
		digits, _ := currency.Standard.Rounding(unit)
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		return code, most.Value.Quo(most.Value, new(big.Rat).SetInt(scale)), true
	}
	return code, most.Value, true // a unit that is not said is the larger one
}

// shown returns a copy for a program.
func (u *Used) shown(begun time.Time) Used {
	own := Used{Calls: u.Calls, Bytes: u.Bytes}
	if !begun.IsZero() {
		own.Time = time.Since(begun)
	}
	if u.spent != nil {
		own.Money = make(map[string]string)
		for _, code := range slices.Sorted(maps.Keys(u.spent)) {
			own.Money[code] = decimal(u.spent[code])
		}
	}
	return own
}

// decimal writes an amount without a loss: amounts have finitely many digits.
func decimal(r *big.Rat) string {
	digits, exact := r.FloatPrec()
	if !exact {
		digits = 18
	}
	return r.FloatString(digits)
}
