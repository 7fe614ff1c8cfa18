package openapi_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// Each dialect of x-payment-info becomes offers, with the unit of the amounts.
func TestAnOperationHasItsPriceAsOffers(t *testing.T) {
	for info, want := range map[string]struct {
		price  string
		offers []wayfind.Offer
	}{
		`"x-payment-info": {"intent": "charge", "method": "tempo", "amount": "100", "currency": "usd"}, "responses": {"200": {"description": "ok"}, "402": {"description": "pay"}}`: {
			"100 usd (in its smallest unit)", []wayfind.Offer{{Protocol: "mpp", Method: "tempo", Intent: "charge", Amount: "100", Currency: "usd", Unit: wayfind.UnitSmallest}}},
		`"x-payment-info": {"price": {"mode": "fixed", "amount": "0.02", "currency": "USD"}, "protocols": ["x402"]}, "responses": {"200": {"description": "ok"}}`: {
			"0.02 USD", []wayfind.Offer{{Protocol: "x402", Mode: "fixed", Amount: "0.02", Currency: "USD", Unit: wayfind.UnitMajor}}},
		`"x-payment-info": {"type": "free"}, "responses": {"200": {"description": "ok"}}`:         {"free", []wayfind.Offer{{Mode: "free"}}},
		`"responses": {"200": {"description": "ok"}, "402": {"description": "Payment required"}}`: {"payment required, amount unknown", nil},
		`"responses": {"200": {"description": "ok"}}`:                                             {"", nil},
		`"x-payment-info": true, "responses": {"200": {"description": "ok"}}`:                     {"payment required, amount unknown", nil},
		`"x-payment-info": {"fee": [5]}, "responses": {"200": {"description": "ok"}}`:             {"payment required, amount unknown", nil},
		`"x-payment-info": {"required": false}, "responses": {"200": {"description": "ok"}}`:      {"", nil},
		`"x-payment-info": {}, "responses": {"200": {"description": "ok"}}`:                       {"", nil},
		`"x-payment-info": false, "responses": {"200": {"description": "ok"}}`:                    {"", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := described(t, clienttest.New(t), `{"operationId": "put", `+info+`}`)
			if d := cmp.Diff(want.offers, c.Offers); d != "" || c.Price != want.price {
				t.Errorf("%s: price %q, want %q; extensions %s (-want +got):\n%s", info, c.Price, want.price, c.Extensions, d)
			}
		})
	}
}

// In each published description, each operation with x-payment-info has offers.
func TestPublishedPricesAreOffers(t *testing.T) {
	paths := golden.Files(t, golden.Field(t, "openapi-payment"), "*")
	all := 0
	for _, path := range paths {
		r, err := client.Parse(t.Context(), golden.Read(t, path), &client.ParseOptions{Full: true, URL: "https://shop.example/" + filepath.Base(path)})
		if err != nil {
			t.Fatal(err)
		}
		offered := 0
		for _, c := range r.Site.Capabilities() {
			if len(c.Offers) > 0 {
				offered++
			}
			if c.Extensions["x-payment-info"] != nil && c.Offers == nil {
				t.Errorf("%s %s: no offer of %s", filepath.Base(path), c.Key, c.Extensions["x-payment-info"])
			}
			if slices.ContainsFunc(c.Offers, func(o wayfind.Offer) bool { return strings.ContainsAny(o.Amount, " eE-+") }) {
				t.Errorf("%s: %+v", c.Key, c.Offers)
			}
		}
		t.Logf("%s: %d operations with offers", filepath.Base(path), offered)
		all += offered
	}
	if all == 0 {
		t.Error("no offer at all")
	}
}
