package offer_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/offer"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	smallest = wayfind.UnitSmallest
	major    = wayfind.UnitMajor
)

func described(t *testing.T, info string) ([]wayfind.Offer, bool) {
	t.Helper()
	root, err := (&parse.Input{Body: []byte(info)}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	return offer.Described(root)
}

// The same digits are another amount in the other dialect: the shape says which.
func TestTheShapeOfAnOfferSaysItsUnit(t *testing.T) {
	for info, want := range map[string][]wayfind.Offer{
		`{"intent": "charge", "method": "tempo", "amount": "100", "currency": "usd", "description": "A query"}`: {
			{Protocol: "mpp", Method: "tempo", Intent: "charge", Amount: "100", Currency: "usd", Unit: smallest, Text: "A query"}},
		`{"offers": [{"intent": "charge", "method": "card", "amount": "5", "currency": "USD"}, {"intent": "session", "method": "tempo", "amount": null}]}`: {
			{Protocol: "mpp", Method: "card", Intent: "charge", Amount: "5", Currency: "USD", Unit: smallest}, {Protocol: "mpp", Method: "tempo", Intent: "session", Mode: "dynamic"}},
		`{"intent": "charge", "method": "tempo", "amount": 100}`:                                   {{Protocol: "mpp", Method: "tempo", Intent: "charge", Amount: "100", Unit: smallest}},
		`{"price": {"mode": "fixed", "currency": "USD", "amount": "0.02"}, "protocols": ["x402"]}`: {{Protocol: "x402", Mode: "fixed", Amount: "0.02", Currency: "USD", Unit: major}},
		`{"price": {"mode": "dynamic", "currency": "USDC", "min": "1", "max": "9"}, "protocols": [{"x402": {}}, {"mpp": {"method": "tempo", "amount": "7", "recipient": "0x1"}}]}`: {
			{Protocol: "x402", Mode: "dynamic", Min: "1", Max: "9", Currency: "USDC", Unit: major}, {Protocol: "mpp", Method: "tempo", Mode: "dynamic", Amount: "7", Currency: "USDC"}},
		`{"pricingMode": "fixed", "price": "10.00", "protocols": ["x402", "barter"]}`: {{Protocol: "x402", Mode: "fixed", Amount: "10.00", Unit: major}, {Protocol: "barter", Mode: "fixed", Amount: "10.00", Unit: major}},
		`{"type": "free"}`:                  {{Mode: "free"}},
		`{"price": 100}`:                    {{Amount: "100", Unit: major}},
		`{"pricingMode": "quote"}`:          {{Mode: "quote"}},
		`{}`:                                nil,
		`"free"`:                            nil,
		`{"offers": []}`:                    nil,
		`{"offers": [7, {}, {"price": 1}]}`: nil,
		`{"intent": "charge", "method": "tempo", "amount": "` + strings.Repeat("9", 10_000) + `"}`: {{Protocol: "mpp", Method: "tempo", Intent: "charge"}},
		`{"intent": "charge", "method": "tempo", "amount": "-1e9"}`:                                {{Protocol: "mpp", Method: "tempo", Intent: "charge"}},
	} {
		got, odd := described(t, info)
		if d := cmp.Diff(want, got); d != "" || odd {
			t.Errorf("%.200s: odd %t (-want +got):\n%s", info, odd, d)
		}
	}
	got, odd := described(t, `{"intent": "charge", "method": "tempo", "amount": "0.005"}`)
	if !odd || len(got) != 1 || got[0].Unit != major {
		t.Errorf("a decimal amount under an intent: %+v, odd %t", got, odd)
	}
	if got, _ := described(t, `{"offers": [`+strings.Repeat(`{"intent": "charge", "method": "a", "amount": "1"},`, 199)+`{}]}`); len(got) != 16 {
		t.Errorf("%d offers", len(got))
	}
}

// demand is what x402 accepts, in base64.
func demand(amount string) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"x402Version": 2, "accepts": [{"scheme": "exact", "network": "eip155:8453", %s, "asset": "0xUSDC", "payTo": "0xTHIEF"}]}`, amount))
}

func TestThreeSchemesOfDemandsGiveOffers(t *testing.T) {
	x402 := []wayfind.Offer{{Protocol: "x402", Method: "exact", Network: "eip155:8453", Amount: "1000", Currency: "0xUSDC", Unit: smallest}}
	request := base64.RawURLEncoding.EncodeToString([]byte(`{"amount":"250","currency":"usd"}`))
	challenge := `Payment id="a", realm="r", method="stripe", intent="charge", request="` + request + `"`
	body, _ := base64.StdEncoding.DecodeString(demand(`"maxAmountRequired": "1000"`))
	for name, row := range map[string]struct {
		header http.Header
		body   string
		want   []wayfind.Offer
	}{
		"header":           {http.Header{"Payment-Required": {demand(`"amount": "1000"`)}}, `{}`, x402},
		"body":             {nil, string(body), x402},
		"broken base64":    {http.Header{"Payment-Required": {"!" + demand(`"amount": "1000"`)}}, `{}`, nil},
		"too long":         {http.Header{"Payment-Required": {demand(`"amount": "1000", "x": "` + strings.Repeat("x", 16<<10) + `"`)}}, `{}`, nil},
		"challenge":        {http.Header{"Www-Authenticate": {"Bearer", challenge}}, `{}`, []wayfind.Offer{{Protocol: "mpp", Method: "stripe", Intent: "charge", Amount: "250", Currency: "usd", Unit: smallest}}},
		"empty id":         {http.Header{"Www-Authenticate": {strings.Replace(challenge, `"a"`, `""`, 1)}}, `{}`, nil},
		"no request":       {http.Header{"Www-Authenticate": {`Payment id="a", realm="r", method="m", intent="charge"`}}, `{}`, nil},
		"padded request":   {http.Header{"Www-Authenticate": {strings.Replace(challenge, request, request+"==", 1)}}, `{}`, nil},
		"nothing":          {nil, `pay`, nil},
		"no demand at all": {nil, `{"accepts": "everything"}`, nil},
	} {
		got := offer.Demanded(402, row.header, []byte(row.body))
		if d := cmp.Diff(row.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if strings.Contains(fmt.Sprint(got), "THIEF") {
			t.Errorf("%s: the address to pay at is kept: %v", name, got)
		}
		if other := offer.Demanded(403, row.header, []byte(row.body)); other != nil {
			t.Errorf("%s: a 403 demands %v", name, other)
		}
	}
	if got := offer.Demanded(402, http.Header{"Payment-Required": {demand(`"amount": "1"`)}, "Www-Authenticate": {challenge}}, nil); len(got) != 2 {
		t.Errorf("two schemes: %v", got)
	}
}

func TestAnOfferSaysItsPriceInWords(t *testing.T) {
	for want, o := range map[string]wayfind.Offer{
		"5 USD": {Amount: "5", Currency: "USD", Unit: major}, "5 USD (in its smallest unit)": {Amount: "5", Currency: "USD", Unit: smallest},
		"1 to 2": {Min: "1", Max: "2"}, "free": {Mode: "free", Amount: "0"}, "payment required, amount unknown": {Mode: "dynamic"},
		"up to 9 USD": {Max: "9", Currency: "USD"}, "from 3 USD": {Mode: "quote", Min: "3", Currency: "USD"},
	} {
		if got := o.String(); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}

func TestTheDearestPriceCounts(t *testing.T) {
	unknown := wayfind.Offer{}.String()
	for want, prices := range map[string][]string{
		"":                                     nil,
		"5 USD":                                {"5 USD", "5 USD"},
		"100 USD (the site also states 1 USD)": {"1 USD", "100 USD", "1 USD"},
		"9.5 USD (the site also states 9 USD)": {"9 USD", "9.5 USD", "9.50 USD"},
		"1 to 90 usd (the site also states " + unknown + ", 5 USD)": {"5 USD", unknown, "1 to 90 usd"},
		"1 USD (the site also states $900)":                         {"$900", "1 USD"},
		"1 USD (the site also states 1,000 USD)":                    {"1 USD", "1,000 USD"},
		"$900 (the site also states 900€)":                          {"$900", "900€"},
		"5 USD (the site also states 500 EUR)":                      {"5 USD", "500 EUR"},
		"2 USD (the site also states " + unknown + ")":              {unknown, "2 USD"},
		unknown: {unknown},
	} {
		if got := offer.Dearest(prices); got != want {
			t.Errorf("%v: %q, want %q", prices, got, want)
		}
	}
	if many := offer.Dearest([]string{"1", "2", "3", "4", "5", "6", "7"}); !strings.HasSuffix(many, ", and 3 more)") {
		t.Errorf("%q", many)
	}
}

// The largest amount of a price in words is known only if the words have one.
func TestTheLargestAmountOfAPrice(t *testing.T) {
	for price, want := range map[string]string{
		"5 USD": "5 USD", "0.05 usd": "1/20 usd", "1000 USD (in its smallest unit)": "1000 USD smallest", "up to 9 USD": "9 USD", "1 to 9 USD": "9 USD",
		"from 3 USD": "", "payment required, amount unknown": "", "free": "", "5": "", "about 5 USD": "", "$5": "", "5 USD a month": "", "1.2.3 USD": "", "-5 USD": "",
	} {
		most, known := offer.MostOf(price)
		got := ""
		if known {
			got = most.Value.RatString() + " " + most.Currency
			if most.Smallest {
				got += " smallest"
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", price, got, want)
		}
	}
}
