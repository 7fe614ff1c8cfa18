package reading_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// priced reads a service and a capability with the same extensions.
func priced(t *testing.T, member, value string) *wayfind.Service {
	t.Helper()
	extensions := func() map[string]parse.Raw { return map[string]parse.Raw{member: parse.Raw(value)} }
	f := dishes()
	f.Parse = func(*parse.Input) (*parse.Reading, error) {
		return &parse.Reading{Services: []wayfind.Service{{Extensions: extensions(),
			Capabilities: []wayfind.Capability{{ID: "soup", Extensions: extensions()}}}}}, nil
	}
	own := link(t, "https://shop.example.com/dishes.json")
	readings, _ := (&reading.Reader{Formats: []*parse.Format{f}, MaxBytes: 1 << 10}).Read(nil, answer(t, `{}`)).At(reading.At{Requested: own, Final: own})
	if len(readings) != 1 {
		t.Fatal("no reading")
	}
	return &readings[0].Services[0]
}

// A price in an extension of any format moves to its field. Members without a field stay, once.
func TestPricesInExtensionsOfEveryFormatGoToTheirPlace(t *testing.T) {
	for _, c := range []struct {
		member, value string
		price         string
		pricing       *wayfind.Pricing
		rest, left    string // of the capability, and of the service; "": nothing
	}{
		{"price", `"0.01 USD"`, "0.01 USD", &wayfind.Pricing{Plans: []wayfind.Plan{{Price: "0.01 USD"}}}, "", ""},
		{"price", `0.50`, "0.50", &wayfind.Pricing{Plans: []wayfind.Plan{{Price: "0.50"}}}, "", ""},
		{"priceUsd", `0.005`, "0.005 USD", &wayfind.Pricing{Plans: []wayfind.Plan{{Price: "0.005 USD"}}}, "", ""},
		{"pricing", `"free"`, "free", &wayfind.Pricing{Model: "free"}, "", ""},
		{"pricing", `"https://shop.example/prices"`, "https://shop.example/prices", &wayfind.Pricing{URL: "https://shop.example/prices"}, "", ""},
		{"pricing", `{"model": "paid", "currency": "USD", "details": "$9"}`, "paid", &wayfind.Pricing{Model: "paid"},
			`{"currency":"USD","details":"$9"}`, `{"currency":"USD","details":"$9"}`},
		{"x-payment-info", `{"price": "0.05", "currency": "USD"}`, "0.05 USD", &wayfind.Pricing{Plans: []wayfind.Plan{{Price: "0.05 USD"}}}, "", ""},
		{"x-payment-info", `{"price": {"mode": "fixed", "amount": "0.05", "currency": "USD"}}`, "0.05 USD",
			&wayfind.Pricing{Plans: []wayfind.Plan{{Price: "0.05 USD"}}}, `{"price":{"mode": "fixed", "amount": "0.05", "currency": "USD"}}`,
			`{"price":{"mode": "fixed", "amount": "0.05", "currency": "USD"}}`},
		{"x-payment-info", `{"minPrice": 1, "maxPrice": "2", "currency": "EUR"}`, "1 to 2 EUR", &wayfind.Pricing{Plans: []wayfind.Plan{{Price: "1 to 2 EUR"}}}, "", ""},
		{"x-payment-info", `{"type": "free", "description": "No charge"}`, "free", &wayfind.Pricing{Model: "free"},
			`{"description":"No charge"}`, `{"description":"No charge"}`},
		{"payment", `{"protocol": "x402", "priceUsd": 0.005, "payTo": "0x1"}`, "0.005 USD",
			&wayfind.Pricing{Model: "x402", Plans: []wayfind.Plan{{Price: "0.005 USD"}}}, `{"protocol":"x402","payTo":"0x1"}`, `{"payTo":"0x1"}`},
		{"pricing", `{"plans": [{"name": "Pro", "price": {"amount": 9, "currency": "EUR"}}, {"name": "Free"}]}`, "",
			&wayfind.Pricing{Plans: []wayfind.Plan{{Name: "Pro", Price: "9 EUR"}, {Name: "Free"}}}, `{"plans": [{"name": "Pro", "price": {"amount": 9, "currency": "EUR"}}, {"name": "Free"}]}`, ""},
		{"x402", `{"facilitator": "https://pay.example"}`, "", &wayfind.Pricing{Model: "x402"},
			`{"facilitator": "https://pay.example"}`, `{"facilitator":"https://pay.example"}`},
		{"x402", `{"available": false, "type": "none"}`, "", nil, `{"available": false, "type": "none"}`, `{"available": false, "type": "none"}`},
		{"payment", `{"handlers": []}`, "", nil, `{"handlers": []}`, `{"handlers": []}`},
		{"payment", `["card"]`, "", nil, `["card"]`, `["card"]`},
		{"x-price", `{"fee": [5]}`, "payment required, amount unknown", nil, `{"fee": [5]}`, `{"fee": [5]}`},
		{"x-pricing", `true`, "payment required, amount unknown", nil, `true`, `true`},
		{"x-price", `{}`, "", nil, `{}`, `{}`},
	} {
		s := priced(t, c.member, c.value)
		if got := s.Capabilities[0].Price; got != c.price {
			t.Errorf("%s %s: price %q, want %q", c.member, c.value, got, c.price)
		}
		if diff := cmp.Diff(c.pricing, s.Pricing); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.member, c.value, diff)
		}
		for want, extensions := range map[string]map[string]json.RawMessage{"capability " + c.rest: s.Capabilities[0].Extensions, "service " + c.left: s.Extensions} {
			if _, kind, _ := strings.Cut(want, " "); kind != string(extensions[c.member]) {
				t.Errorf("%s %s: left %s, want %s", c.member, c.value, extensions[c.member], want)
			}
		}
	}
}

// The pages of a paid service, like its prices, move to their fields.
func TestAServiceThatIsPaidForNamesItsPages(t *testing.T) {
	s := priced(t, "x-service-info", `{"categories": ["search"], "docs": {"homepage": "https://shop.example/", "llms": "https://shop.example/llms.txt"}, "tier": "beta"}`)
	if len(s.Categories) != 1 || s.Categories[0] != "search" || string(s.Extensions["x-service-info"]) != `{"tier":"beta"}` {
		t.Errorf("categories %q, rest %s", s.Categories, s.Extensions)
	}
	s = priced(t, "x-payment-info", `{"intent": "charge", "method": "tempo", "amount": "0.05", "currency": "USD"}`)
	if c := s.Capabilities[0]; c.Price != "0.05 USD" || len(c.Offers) != 1 || c.Offers[0].Unit != wayfind.UnitMajor || c.Extensions["x-payment-info"] != nil {
		t.Errorf("%q %+v %s", c.Price, c.Offers, c.Extensions)
	}
}
