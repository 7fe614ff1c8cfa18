package prompt_test

import (
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/expected"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// What one site adds to the text for a model has a bound, which a site's
// document does not choose.
func TestN22_PromptHasABudget(t *testing.T) {
	expected.Failure(t)
	site := &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "awp"}}}
	for i := range 10_000 {
		key := fmt.Sprintf("awp:c%d", i)
		site.Services[0].Capabilities = append(site.Services[0].Capabilities, wayfind.Capability{
			Key: key, ID: key, Kind: wayfind.KindOperation, Description: "Words and words and words and words and words and words and words.",
			Sources: []wayfind.Ref{{Source: "https://shop.example/agent.json"}}})
	}
	p := prompt.New()
	p.Site(site)
	if n := len(p.String()); n > 512<<10 {
		t.Errorf("%d bytes", n)
	}
}
