package secret_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

func ExampleRedact() {
	key := "gh" + "p_" + "k3VbZ7qLw9Xt" + "R5nMc8JyUa2E" + "hGd6PfTs4WoB" // made up
	fmt.Println(secret.Redact("", "Send Authorization: Bearer "+key+" or YOUR_API_KEY."))
	// Output: Send Authorization: Bearer [redacted: github-token] or YOUR_API_KEY. [github-token]
}
