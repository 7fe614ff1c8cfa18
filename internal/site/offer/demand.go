package offer

import (
	"encoding/base64"
	"net/http"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/parse"
)

// maxDemand bounds the field with a demand, in bytes.
const maxDemand = 16 << 10

// Demanded reads the demands of an answer with status 402: the field PAYMENT-REQUIRED
// (x402, version 2), the body (version 1), and challenges of the scheme Payment.
func Demanded(status int, header http.Header, body []byte) (offers []wayfind.Offer) {
	if status != http.StatusPaymentRequired {
		return nil
	}
	if field := header.Get("Payment-Required"); field != "" && len(field) <= maxDemand {
		if decoded, err := base64.StdEncoding.Strict().DecodeString(field); err == nil {
			offers = accepted(offers, decoded)
		}
	}
	if offers == nil {
		offers = accepted(nil, body)
	}
	for _, params := range oauth.Params(header, "payment") {
		offers = add(offers, challenged(params))
	}
	return offers
}

// accepted reads the payments that a demand of x402 accepts.
func accepted(offers []wayfind.Offer, body []byte) []wayfind.Offer {
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return offers
	}
	for _, n := range root.Get("accepts").Items() {
		o := wayfind.Offer{Protocol: x402, Method: word(n.Get("scheme")), Network: word(n.Get("network")), Currency: word(n.Get("asset"))}
		o.Amount = amount(n.Get("amount"))
		if o.Amount == "" {
			o.Amount = amount(n.Get("maxAmountRequired"))
		}
		if o.Amount != "" {
			o.Unit = wayfind.UnitSmallest
		}
		if o.Method != "" || o.Amount != "" {
			offers = add(offers, o)
		}
	}
	return offers
}

// challenged reads a challenge. One without a part that the protocol requires is none.
func challenged(params map[string]string) wayfind.Offer {
	for _, name := range []string{"id", "realm", "method", "intent", "request"} {
		if params[name] == "" {
			return wayfind.Offer{}
		}
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(params["request"])
	if err != nil || len(decoded) > maxDemand {
		return wayfind.Offer{}
	}
	request, err := (&parse.Input{Body: decoded}).JSONObject()
	if err != nil {
		return wayfind.Offer{}
	}
	o, _ := charge(request)
	o.Method, o.Intent = clip(params["method"], maxWord), clip(params["intent"], maxWord)
	o.Text = clip(params["description"], maxText)
	return o
}
