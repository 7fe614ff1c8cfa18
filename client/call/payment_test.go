package call_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
)

// A demand for payment ends the call. The program gets the offers, the model does not get the
// address for the payment, and nothing is sent again.
func TestADemandForPaymentIsOfferedAndNeverPaid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		demand := base64.StdEncoding.EncodeToString([]byte(`{"x402Version": 2, "accepts": [{"scheme": "exact", "network": "eip155:8453", "amount": "1000", "asset": "USDC", "payTo": "0xTHIEF"}]}`))
		s := newShop(t, shopDocument, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Payment-Required", demand)
			w.WriteHeader(http.StatusPaymentRequired)
		})
		y := &yes{verdict: call.AllowOnce}
		res, err := s.caller(&call.Options{Confirm: y.confirm}).Call(t.Context(), s.box, "listOrders", []byte(`{}`))
		wantCode(t, res, err, call.Refused)
		want := wayfind.Offer{Protocol: "x402", Method: "exact", Network: "eip155:8453", Amount: "1000", Currency: "USDC", Unit: wayfind.UnitSmallest}
		if got := res.Program.Offers; len(got) != 1 || got[0] != want {
			t.Errorf("offers %+v", got)
		}
		if len(s.calls()) != 1 || strings.Contains(res.Model.Text+string(res.Model.JSON), "THIEF") {
			t.Errorf("sent %d times: %+v", len(s.calls()), res.Model)
		}
	})
}
