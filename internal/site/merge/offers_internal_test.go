package merge

import (
	"testing"

	"github.com/wayfindhq/wayfind"
)

// A detail takes no price of the list away, and a list that says "free" has none.
func TestADetailKeepsThePricesOfTheList(t *testing.T) {
	for _, row := range []struct {
		list, detail string
		kept         int
	}{{"5 USD", "free", 1}, {"5 USD", "1 USD", 1}, {"5 USD", "5 USD", 0}, {"5 USD", "", 0}, {"Free", "free", 0}, {" FREE ", "5 USD", 0}, {"", "5 USD", 0}} {
		base := &wayfind.Capability{Key: "openapi:root/a", Price: row.list}
		Complete(nil, &wayfind.Service{}, base, &wayfind.Capability{Price: row.detail}, false)
		if len(base.Offers) != row.kept || row.kept == 1 && base.Offers[0].Amount != row.list {
			t.Errorf("%q completed by %q: %+v", row.list, row.detail, base.Offers)
		}
	}
}
