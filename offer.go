package wayfind

// Offer is one way to pay for a call, as the site states it. It proves nothing: the
// answer to the call itself (402) decides. This library never pays.
type Offer struct {
	// Protocol of the payment is an open string: "mpp", "x402". Empty if it is not stated.
	Protocol string `json:"protocol,omitempty"`
	// Method is the protocol's word for the way of payment: "tempo", "stripe", "exact".
	// Network is the payment network, if the protocol names it.
	Method  string `json:"method,omitempty"`
	Network string `json:"network,omitempty"`
	// Intent is an open string: "charge", "session".
	Intent string `json:"intent,omitempty"`
	// Mode is an open string: "fixed", "dynamic", "quote", "free".
	Mode string `json:"mode,omitempty"`
	// Amount as written, or Min and Max. Empty if it is not known before the call.
	Amount string `json:"amount,omitempty"`
	Min    string `json:"min,omitempty"`
	Max    string `json:"max,omitempty"`
	// Currency as written: a code of ISO 4217, or the contract of a token.
	Currency string `json:"currency,omitempty"`
	// Unit of the amounts. The same digits are cents in one and dollars in the other.
	Unit AmountUnit `json:"unit,omitempty"`
	Text string     `json:"text,omitempty" clean:"text"`
}

// AmountUnit is the unit of an amount of money; empty if it is not known.
type AmountUnit string

// The units.
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
