package security_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/expected"
	"github.com/wayfindhq/wayfind/security"
)

// To fetch a document of another site is not to speak with its server: an
// answer to the one is none to the other.
func TestN13_ApprovalIsForOnePurpose(t *testing.T) {
	expected.Failure(t)
	request := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Endpoint: "https://other.example/mcp", Digest: "d", Purpose: "describe"}
	var approvals security.Approvals
	approvals.Grant("", request, time.Hour)
	if err := approvals.Approve(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	request.Purpose = "live"
	if err := approvals.Approve(t.Context(), request); !errors.Is(err, wayfind.ErrRefused) {
		t.Errorf("a yes to %q is a yes to %q: %v", "describe", "live", err)
	}
}

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
	p := security.NewPrompt()
	p.Site(site)
	if n := len(p.String()); n > 512<<10 {
		t.Errorf("%d bytes", n)
	}
}

// Of a set that a site serves, two keys of one ID are no key: which one signs
// is not said (RFC 7517 §4.5: different keys should have different IDs).
func TestN24_OneKeyForAnID(t *testing.T) {
	expected.Failure(t)
	const (
		first  = `{"kty":"EC","crv":"P-256","kid":"a","x":"ivpx_RhGG8INsXYRfUwUuqz3_M5G-q2IcVkwGVKTA5I","y":"YWaW_lPnbG8qO04VSAHEcw-zKFQyNWSka78oetKR7P0"}`
		second = `{"kty":"EC","crv":"P-256","kid":"a","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}`
	)
	for list, want := range map[string]int{first: 1, second: 1, first + "," + second: 0} {
		keys, err := security.ParseKeySet([]byte(`{"keys":[` + list + `]}`))
		if err != nil && want == 0 {
			continue // refused as a whole
		}
		if keys.Len() != want {
			t.Errorf("%d keys, want %d of %s", keys.Len(), want, list)
		}
	}
}
