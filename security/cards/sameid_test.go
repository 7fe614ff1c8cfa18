package cards_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/security/cards"
)

// If the key set of a site contains two keys with the same ID, neither is used, because it is
// unknown which one signs (RFC 7517 §4.5: different keys should have different IDs).
func TestTwoKeysOfOneIDAreNoKey(t *testing.T) {
	const (
		first  = `{"kty":"EC","crv":"P-256","kid":"a","x":"ivpx_RhGG8INsXYRfUwUuqz3_M5G-q2IcVkwGVKTA5I","y":"YWaW_lPnbG8qO04VSAHEcw-zKFQyNWSka78oetKR7P0"}`
		second = `{"kty":"EC","crv":"P-256","kid":"a","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}`
	)
	for list, want := range map[string]int{first: 1, second: 1, first + "," + second: 0} {
		keys, err := cards.ParseKeySet([]byte(`{"keys":[` + list + `]}`))
		if err != nil && want == 0 {
			continue // refused as a whole
		}
		if keys.Len() != want {
			t.Errorf("%d keys, want %d of %s", keys.Len(), want, list)
		}
	}
}
