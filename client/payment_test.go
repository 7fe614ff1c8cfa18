package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
)

// An answer of 402 stays protected. The accepted payments are kept as data, cleaned, and cause no
// request.
func TestADemandForPaymentIsKeptAsData(t *testing.T) {
	const accepts = `[{"scheme": "exact", "network": "base", "maxAmountRequired": "1000", "payTo": "0xabc", "resource": "https://shop.example/other", "description": "Pay\u202e now"}]`
	for name, row := range map[string]struct {
		status     int
		body       string
		extensions []string
	}{
		"a demand":             {402, `{"x402Version": 1, "accepts": ` + accepts + `, "error": "pay"}`, []string{"accepts", "x402Version"}},
		"without a version":    {402, `{"accepts": ` + accepts + `}`, []string{"accepts"}},
		"no list":              {402, `{"accepts": "everything"}`, nil},
		"no JSON":              {402, `pay`, nil},
		"of another status":    {403, `{"accepts": ` + accepts + `}`, nil},
		"nested beyond limits": {402, `{"accepts": [` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle(adp.Path, clienttest.Page{Status: row.status, Body: row.body, Header: http.Header{"Content-Type": {"application/json"}}})
				c := newClient(t, internet, withFormats(adp.Format()))
				for range 2 { // asked for, then remembered
					c.Invalidate("shop.example")
					site, err := c.Resolve(t.Context(), "shop.example")
					if e := clienttest.CheckError(err); e != nil {
						t.Error(e)
					}
					p := only(t, site)
					if p.Verdict != wayfind.VerdictProtected || len(site.Services)+len(site.Documents) != 0 {
						t.Errorf("%+v, %+v", p, site.Services)
					}
					var names []string
					for name := range p.Extensions {
						names = append(names, name)
					}
					if slices.Sort(names); !slices.Equal(names, row.extensions) {
						t.Errorf("kept %v, want %v", names, row.extensions)
					}
					if raw := string(p.Extensions["accepts"]); len(names) > 0 && (!strings.Contains(raw, `"network"`) || strings.Contains(raw, "\u202e") || strings.Contains(raw, `\u202e`)) {
						t.Errorf("accepts %s", raw)
					}
				}
				if got := host.Paths(); slices.Contains(got, "/other") {
					t.Errorf("asked for %v", got)
				}
			})
		})
	}
}
