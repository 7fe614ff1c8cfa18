package reading

import (
	"bytes"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/offer"
	"github.com/wayfindhq/wayfind/parse"
)

// paymentInfo is the member in which a description contains the price of a call as data.
const paymentInfo = "x-payment-info"

// takeOffers reads the offers to pay. Offers in a protocol that uses the smallest unit contain the
// price themselves, and are removed from the extensions. A call without a price that may be
// answered by a demand for payment costs something, too.
func takeOffers(w *fuel.Counter, r *parse.Reading, c *wayfind.Capability) {
	if c.Extensions[paymentInfo] != nil {
		q := quoted(w, c.Extensions, paymentInfo)
		offers, odd := offer.Described(q.value)
		c.Offers = offers
		if odd {
			d := rulePriceUnit.Diagnostic("", "an amount of a payment has a decimal point where the smallest unit belongs; it was read in the major unit")
			if len(c.Sources) > 0 {
				d.Pointer = c.Sources[0].Pointer
			}
			r.Diagnostics = append(r.Diagnostics, d)
		}
		if c.Price == "" && len(offers) > 0 && offers[0].Intent != "" {
			c.Price = offers[0].String()
			q.taken = []string{"intent", "method", "amount", "currency", "description", "offers"}
			q.put(c.Extensions, paymentInfo)
		}
	}
	if c.Price == "" && c.Offers == nil && demands(w, c.Extensions["responses"]) && c.Extensions[paymentInfo] == nil {
		c.Price = wayfind.Offer{}.String()
	}
}

var rulePriceUnit = parse.Rule{Code: "price.unit", Severity: wayfind.SeverityWarning,
	Means: "The amount of a payment has a decimal point where the protocol wants an integer in the smallest unit. It was read as a price in the major unit.",
	Mend:  "Write the amount in the smallest unit of the currency, as digits alone: 5 for 0.05 USD."}

// serviceInfo is the member in which a description names pages about a paid service.
const serviceInfo = "x-service-info"

// takeServiceInfo lists the pages, and reads the categories if the service has none.
func takeServiceInfo(w *fuel.Counter, r *parse.Reading, s *wayfind.Service) {
	if s.Extensions[serviceInfo] == nil {
		return
	}
	q := quoted(w, s.Extensions, serviceInfo)
	docs := &quote{value: q.value.Get("docs")}
	for _, member := range [...]string{"apiReference", "homepage", "llms"} {
		if text, ok := docs.value.Get(member).Str(); ok && isURL(text) {
			r.Documents = append(r.Documents, wayfind.Document{Rel: member, URL: text, Sources: s.Sources})
			docs.taken = append(docs.taken, member)
		}
	}
	if len(docs.taken) > 0 && len(docs.taken) == docs.value.Len() {
		q.taken = append(q.taken, "docs")
	}
	var categories []string
	for i, n := range q.value.Get("categories").Items() {
		if text, ok := n.Str(); ok && i < parse.DefaultItems {
			categories = append(categories, text)
		}
	}
	if s.Categories == nil && len(categories) > 0 && len(categories) == q.value.Get("categories").Len() {
		s.Categories, q.taken = categories, append(q.taken, "categories")
	}
	if q.taken != nil {
		q.put(s.Extensions, serviceInfo)
	}
}

// demands reports whether responses, by their statuses, include a demand for payment (402).
func demands(w *fuel.Counter, responses parse.Raw) bool {
	if !bytes.Contains(responses, []byte(`"402"`)) {
		return false
	}
	w.Text(len(responses))
	value, err := (&parse.Input{Body: responses}).JSON()
	return err == nil && value.Get("402").Exists()
}
