package wayfind

// Offer is one way to pay for a call, as the site states it. It proves nothing: the answer to
// the call (402) decides. This library never pays.
type Offer struct {
	// Protocol is the payment protocol, an open string: "mpp", "x402". It is empty if it is not
	// stated.
	Protocol string `json:"protocol,omitempty"`
	// Method is the payment method in the terms of the protocol: "tempo", "stripe", "exact".
	// Network is the payment network, if the protocol names it.
	Method  string `json:"method,omitempty"`
	Network string `json:"network,omitempty"`
	// Intent is an open string: "charge", "session".
	Intent string `json:"intent,omitempty"`
	// Mode is an open string: "fixed", "dynamic", "quote", "free".
	Mode string `json:"mode,omitempty"`
	// Amount is the amount as written. If there is a range, it is in Min and Max. All are empty
	// if the amount is not known before the call.
	Amount string `json:"amount,omitempty"`
	Min    string `json:"min,omitempty"`
	Max    string `json:"max,omitempty"`
	// Currency is the currency as written: a code of ISO 4217, or the contract of a token.
	Currency string `json:"currency,omitempty"`
	// Unit is the unit of the amounts. The same digits are cents in one unit and dollars in
	// another.
	Unit AmountUnit `json:"unit,omitempty"`
	Text string     `json:"text,omitempty" clean:"text"`
}

// AmountUnit is the unit of an amount of money. It is empty if it is not known.
type AmountUnit string

// These are the units.
const (
	// UnitSmallest is the smallest unit of a currency: a cent, an atom of a token.
	UnitSmallest AmountUnit = "smallest"
	// UnitMajor is the unit of everyday prices: a dollar.
	UnitMajor AmountUnit = "major"
)

// String returns the price in words: "1000 USD (in its smallest unit)".
func (o Offer) String() string {
	text := o.Amount
	switch {
	case o.Mode == "free":
		return "free"
	case text == "" && o.Min != "" && o.Max != "":
		text = o.Min + " to " + o.Max
	case text == "" && o.Max != "":
		text = "up to " + o.Max
	case text == "" && o.Min != "":
		text = "from " + o.Min
	case text == "":
		return "payment required, amount unknown"
	}
	if o.Currency != "" {
		text += " " + o.Currency
	}
	if o.Unit == UnitSmallest {
		text += " (in its smallest unit)"
	}
	return text
}
