package reading

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// takePrices moves prices from the extensions to their place in the model. Hardly any format has a
// member for prices, but publishers of all formats write them, in the same members. Parts without a
// place in the model stay in the extensions.
func takePrices(w *fuel.Counter, r *parse.Reading) {
	for i := range r.Services {
		s := &r.Services[i]
		takeServiceInfo(w, r, s)
		if s.Pricing == nil {
			s.Pricing = pricingIn(w, s.Extensions)
		}
		for j := range s.Capabilities {
			c := &s.Capabilities[j]
			takeOffers(w, r, c)
			if c.Price == "" {
				c.Price = priceIn(w, c.Extensions)
			}
			if c.Price == "" && c.Offers == nil && demandsUnread(w, c.Extensions) {
				c.Price = wayfind.Offer{}.String()
			}
		}
	}
}

// The members that may contain a price, the plainest first.
var priceMembers = [...]string{"price", "pricing", "x-price", "x-pricing", "x-payment-info", "priceUsd", "price_usd", "payment", "x402"}

// demandsUnread reports whether a description has a price that nothing here can read. A word of
// caution that cannot be read adds caution.
func demandsUnread(w *fuel.Counter, extensions map[string]parse.Raw) bool {
	return slices.ContainsFunc([]string{paymentInfo, "x-price", "x-pricing"}, func(member string) bool {
		return extensions[member] != nil && quoted(w, extensions, member).demands()
	})
}

// demands reports whether the value is anything but a no.
func (q *quote) demands() bool {
	switch q.value.Kind() {
	case parse.Object:
		return q.value.Len() > 0 && !q.refused()
	case parse.Array:
		return q.value.Len() > 0
	case parse.Bool:
		on, _ := q.value.Bool()
		return on
	}
	return false
}

// priceIn returns the price of a call from the first member that states it, and removes it there.
func priceIn(w *fuel.Counter, extensions map[string]parse.Raw) string {
	for _, member := range priceMembers {
		if extensions[member] == nil {
			continue
		}
		q := quoted(w, extensions, member)
		if text := q.price(); text != "" {
			q.put(extensions, member)
			return text
		}
	}
	return ""
}

// pricingIn returns the pricing of a service from the first member that states it, and removes it
// there.
func pricingIn(w *fuel.Counter, extensions map[string]parse.Raw) *wayfind.Pricing {
	for _, member := range priceMembers {
		if extensions[member] == nil {
			continue
		}
		q := quoted(w, extensions, member)
		if p := q.pricing(); p != nil {
			q.put(extensions, member)
			return p
		}
	}
	return nil
}

// quote is a value that states a price, and its members that were taken.
type quote struct {
	member string
	value  parse.Node
	taken  []string
}

func quoted(w *fuel.Counter, extensions map[string]parse.Raw, member string) *quote {
	raw := extensions[member]
	w.Text(len(raw))
	value, err := (&parse.Input{Body: raw}).JSON()
	if err != nil {
		return &quote{}
	}
	return &quote{member: member, value: value}
}

// put leaves the other members in the extensions.
func (q *quote) put(extensions map[string]parse.Raw, member string) {
	var rest []rawjson.Member
	for name, value := range q.value.Members() {
		if !slices.Contains(q.taken, name) {
			rest = append(rest, rawjson.Member{Name: name, Value: value.Copy()})
		}
	}
	if rest == nil {
		delete(extensions, member)
		return
	}
	extensions[member] = rawjson.Obj(rest...)
}

// price returns the price in words, for example "0.05 USD" or "free".
func (q *quote) price() string {
	if text := scalar(q.value); text != "" {
		return q.inCurrency(text)
	}
	if q.value.Kind() != parse.Object || q.refused() {
		return ""
	}
	text := q.amount()
	if text == "" {
		return q.take("type", "model", "mode")
	}
	return text
}

// inCurrency adds the currency that is part of the name of a member.
func (q *quote) inCurrency(text string) string {
	if strings.HasSuffix(strings.ToLower(q.member), "usd") && strings.Trim(text, "0123456789.,") == "" {
		return text + " USD"
	}
	return text
}

// refused reports whether an object excludes this way of paying.
func (q *quote) refused() bool {
	for _, member := range [...]string{"available", "enabled", "supported", "required"} {
		if on, ok := q.value.Get(member).Bool(); ok && !on {
			return true
		}
	}
	return false
}

// amount returns an amount with its currency, or the two ends of a range.
func (q *quote) amount() string {
	for _, member := range [...]string{"price", "amount", "priceUsd", "price_usd", "priceUSD", "value", "default"} {
		n := q.value.Get(member)
		inner := quote{member: member, value: n}
		text := scalar(n)
		switch {
		case text != "":
			text = inner.inCurrency(text)
		case n.Kind() == parse.Object:
			if text = inner.amount(); text == "" || len(inner.taken) < n.Len() {
				inner.taken = nil
			}
		}
		if text == "" {
			continue
		}
		if n.Kind() != parse.Object || inner.taken != nil {
			q.taken = append(q.taken, member)
		}
		if text == strings.TrimRight(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
			text = strings.TrimSpace(text + " " + q.take("currency", "asset", "unit"))
		}
		return text
	}
	low, high := scalar(q.value.Get("minPrice")), scalar(q.value.Get("maxPrice"))
	if low == "" || high == "" {
		return ""
	}
	q.taken = append(q.taken, "minPrice", "maxPrice")
	return strings.TrimSpace(low + " to " + high + " " + q.take("currency", "asset", "unit"))
}

// take returns the first of the members that is a non-empty string, and records it as taken.
func (q *quote) take(members ...string) string {
	for _, member := range members {
		if text, ok := q.value.Get(member).Str(); ok && text != "" {
			q.taken = append(q.taken, member)
			return text
		}
	}
	return ""
}

// pricing returns how a service is paid for, or nil if the value does not state it.
func (q *quote) pricing() *wayfind.Pricing {
	p := &wayfind.Pricing{}
	if text := scalar(q.value); text != "" {
		switch {
		case isURL(text):
			p.URL = text
		case strings.ContainsAny(text, "0123456789"):
			p.Plans = []wayfind.Plan{{Price: q.inCurrency(text)}}
		default:
			p.Model = text
		}
		return p
	}
	if q.value.Kind() != parse.Object || q.refused() {
		return nil
	}
	p.Model = q.take("model", "type", "protocol")
	p.Plans = q.plans()
	if text := q.amount(); text != "" {
		p.Plans = append(p.Plans, wayfind.Plan{Price: text})
	}
	for _, member := range [...]string{"url", "plans_url", "plansUrl", "pricingUrl", "pricing_url", "documentationUrl"} {
		if text, ok := q.value.Get(member).Str(); ok && p.URL == "" && isURL(text) {
			p.URL, q.taken = text, append(q.taken, member)
		}
	}
	switch {
	case p.Model == "" && q.member == "x402":
		p.Model = q.member
	case p.Model == "" && p.Plans == nil && p.URL == "":
		return nil
	}
	return p
}

// plans returns a list of offers. Its member is recorded as taken only if the offers contain
// nothing more.
func (q *quote) plans() []wayfind.Plan {
	for _, member := range [...]string{"plans", "tiers"} {
		var list []wayfind.Plan
		whole := true
		for _, item := range q.value.Get(member).Items() {
			offer := quote{value: item}
			plan := wayfind.Plan{Name: offer.take("name", "id"), Price: offer.amount(), Limits: offer.take("limits", "quota")}
			if plan == (wayfind.Plan{}) || len(list) == parse.DefaultItems {
				whole = false
				continue
			}
			list = append(list, plan)
			whole = whole && len(offer.taken) == item.Len()
		}
		if whole && list != nil {
			q.taken = append(q.taken, member)
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// scalar returns a string or number as it is written, or "" for any other value.
func scalar(n parse.Node) string {
	switch n.Kind() {
	case parse.String:
		text, _ := n.Str()
		return strings.TrimSpace(text)
	case parse.Number:
		return string(n.Raw())
	}
	return ""
}

func isURL(text string) bool {
	_, err := urlref.AbsoluteURL(text)
	return err == nil && urlref.CheckReference(text) == nil
}
