package pins_test

import (
	"context"
	"fmt"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Approvals implement client.Options.Approve. Each user has separate approvals.
func ExampleApprovals() {
	var approvals pins.Approvals // or pins.LoadApprovals("approvals.json")
	request := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Endpoint: "https://api.example.net/mcp", Digest: "5d41…"}
	ctx := context.Background()

	approvals.Grant("alice", request, 0)
	fmt.Println(approvals.For("alice")(ctx, request))
	fmt.Println(approvals.For("bob")(ctx, request))
	// Output:
	// <nil>
	// approve https://api.example.net/mcp: refused by policy (not_approved): it has not been approved
}

// Pins compare the definitions of a domain with definitions that a person has reviewed. A
// Client does this with client.Options.Trust.Pins.
func Example() {
	site := func(description string) *wayfind.Site {
		return &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "adp",
			Capabilities: []wayfind.Capability{{Key: "adp:pay", Kind: wayfind.KindOperation, Description: description}}}}}
	}
	var set *pins.Set // or pins.Load("pins.json")
	set, err := set.With(site("Pays an invoice"), "adp:pay")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Check(site("Pays an invoice")).Empty())
	for _, m := range set.Check(site("Pays anybody")).Mismatches {
		fmt.Println(m)
		for _, c := range m.Changes {
			fmt.Printf("%s: %s, now %s\n", c.Field, c.Old, c.New)
		}
	}
	// Output:
	// true
	// adp:pay differs from its pin: text (description)
	// description: "Pays an invoice", now "Pays anybody"
}
