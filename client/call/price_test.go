package call_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A GET with a price is asked about with its price, sent once, and not read-only, in each way to
// state a price: a model or a host must not pay by reading.
func TestAPriceInAnyDialectIsAskedAbout(t *testing.T) {
	for info, price := range map[string]string{
		`{"price":{"mode":"dynamic","min":"1","max":"9","currency":"USD"},"protocols":["x402"]}`: "1 to 9 USD",
		`{"price":{"mode":"dynamic","currency":"USD"}}`:                                          "unknown",
		`{"price":{"mode":"quote"},"protocols":["x402"]}`:                                        "unknown",
		`{"price":{"max":"9","currency":"USD"}}`:                                                 "9 USD",
		`{"protocols":["x402"]}`:                                                                 "unknown",
		`{"price":{"mode":"fixed","amount":"5","currency":"USD"}}`:                               "5 USD",
		`{"intent":"charge","method":"tempo","amount":null,"currency":"USD"}`:                    "unknown",
		`{"offers":[{"intent":"session","method":"tempo","amount":"100","currency":"USD"}]}`:     "100 USD",
		`{"type":"free"}`: "",
	} {
		costs := price != ""
		t.Run(info, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				sent := 0
				s := newShop(t, document("", operation("get", "/api/pay", "pay", `, "x-payment-info": `+info)), func(w http.ResponseWriter, _ *http.Request) {
					sent++
					w.WriteHeader(http.StatusServiceUnavailable)
				})
				var asked []*call.Question
				c := s.caller(&call.Options{Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
					asked = append(asked, q)
					return call.Answer{Verdict: call.AllowOnce}, nil
				}})
				tool := &s.box.Tools()[0]
				if effect := c.Effect(tool); (effect == call.Once) != costs || tool.ReadOnly() == costs {
					t.Errorf("effect %v, read-only %t", effect, tool.ReadOnly())
				}
				c.Call(t.Context(), s.box, tool.Name, []byte(`{}`))
				if (len(asked) == 1 && strings.Contains(asked[0].Price, price)) != costs || costs && sent != 1 {
					t.Errorf("asked %+v, sent %d times", asked, sent)
				}
				box, err := tools.Load(t.Context(), s.client, []string{"shop.example"}, &tools.Options{Only: []tools.Filter{{ReadOnly: true}}})
				if err != nil || (box.Len() == 0) != costs {
					t.Errorf("%d tools that only read, %v", box.Len(), err)
				}
			})
		})
	}
}
