package wayfind_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wayfindhq/wayfind"
)

// A Site is a plain value: it can be stored as JSON, and read without the client that made it.
func Example() {
	stored := []byte(`{
		"origin": "https://mail.example",
		"services": [{
			"id": "adp",
			"name": "Mail",
			"capabilities": [
				{"key": "adp:send_email", "kind": "operation", "description": "Send a message",
				 "invocation": {"protocol": "http", "method": "POST", "url": "https://mail.example/v1/messages"}},
				{"key": "adp:sort", "kind": "statement", "description": "We sort your mail"}
			]
		}]
	}`)
	var site wayfind.Site
	if err := json.Unmarshal(stored, &site); err != nil {
		fmt.Println(err)
		return
	}
	for service, capability := range site.Capabilities() {
		fmt.Printf("%s: %s: %s\n", service.Name, capability.Key, capability.Description)
	}
	_, send := site.Capability("adp:send_email")
	fmt.Println(send.Invocation.Method, send.Invocation.URL)
	// Output:
	// Mail: adp:send_email: Send a message
	// Mail: adp:sort: We sort your mail
	// POST https://mail.example/v1/messages
}

// Check returns the reason why a described capability cannot be called.
func ExampleCapability_Check() {
	statement := wayfind.Capability{Key: "agentsmd:sort", Kind: wayfind.KindStatement}
	fmt.Println(statement.Check())
	// Output: check agentsmd:sort: invalid (schema): a statement has no contract: talk to an interface of the service
}

// Kinds are for errors.Is. The code is more precise.
func ExampleError() {
	var err error = &wayfind.Error{
		Op:   "dial",
		URL:  "https://intranet.example/.well-known/agent",
		Kind: wayfind.ErrRefused,
		Code: wayfind.CodeBlockedAddress,
		Err:  errors.New("10.0.0.7 is a private address"),
	}
	fmt.Println(errors.Is(err, wayfind.ErrRefused))
	fmt.Println(err)
	// Output:
	// true
	// dial https://intranet.example/.well-known/agent: refused by policy (blocked_address): 10.0.0.7 is a private address
}
