package cards_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/security/cards"
)

// Keys check the signatures of Agent Cards. They are a JWK Set with the origins for which each
// key signs. client.Options.Trust.Keys accepts it.
func ExampleParseKeys() {
	keys, err := cards.ParseKeys([]byte(`{"keys": [{
		"kty": "EC", "crv": "P-256", "kid": "key-1",
		"x": "ivpx_RhGG8INsXYRfUwUuqz3_M5G-q2IcVkwGVKTA5I", "y": "YWaW_lPnbG8qO04VSAHEcw-zKFQyNWSka78oetKR7P0",
		"origins": ["https://shop.example.com"]
	}]}`))
	fmt.Println(keys.Len(), keys.Expects("https://shop.example.com"), err)

	_, err = cards.ParseKeys([]byte(`{"keys": [
		{"kty": "oct", "k": "c2VjcmV0", "kid": "key-2"}
	]}`))
	fmt.Println(err)
	// Output:
	// 1 true <nil>
	// signature: invalid (sig_key): line 2: keys[0]: it is a private or symmetric key, and must not be here
}
