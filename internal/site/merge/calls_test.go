package merge

import (
	"context"
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// The calls of a Site are named once, so that tightening one capability takes the
// same steps however many the Site has.
func TestTighteningOneCapabilityDoesNotGrowWithTheSite(t *testing.T) {
	var steps [2]int64
	for i, n := range []int{100, 1000} {
		site := siteOfCalls(n)
		calls := CallsOf(nil, site)
		w := fuel.Under(context.Background())
		service := &site.Services[0]
		for j := range 100 {
			c := service.Capabilities[j]
			c.Key = "adp:" + c.Key
			calls.Tighten(w, service, &c)
			if c.Effects == nil || !*c.Effects.NeedsConfirmation {
				t.Fatalf("%d: %+v", j, c)
			}
		}
		steps[i] = w.Steps()
	}
	if steps[0] == 0 || steps[1] > steps[0] {
		t.Errorf("%d steps among 1,000 capabilities, %d among 100", steps[1], steps[0])
	}
}

// siteOfCalls returns a Site with n capabilities. Each is a separate call that needs a
// confirmation.
func siteOfCalls(n int) *wayfind.Site {
	const from = "https://shop.example/openapi.json"
	list := make([]wayfind.Capability, n)
	for i := range list {
		list[i] = wayfind.Capability{
			Key: fmt.Sprintf("p%04d", i), Effects: &wayfind.Effects{NeedsConfirmation: new(true)}, Sources: []wayfind.Ref{{Source: from}},
			Invocation: &wayfind.Invocation{Protocol: "http", Method: "POST", Template: fmt.Sprintf("https://shop.example/p%04d/{id}{?q}", i)},
		}
	}
	return &wayfind.Site{
		Sources:  []wayfind.Source{{URL: from, Trust: wayfind.TrustSameOrigin}},
		Services: []wayfind.Service{{Capabilities: list}},
	}
}
