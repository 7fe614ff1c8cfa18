package resolve_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/resolve"
)

func ExampleParseTarget() {
	target, _, err := resolve.ParseTarget("https://Example.COM./shop/?ref=1")
	fmt.Println(target.Origin, target.Base, target.Tail, err)
	_, _, err = resolve.ParseTarget("2130706433")
	fmt.Println(err)
	// Output:
	// https://example.com /shop /?ref=1 <nil>
	// target 2130706433: invalid (host_numeric): it ends in a number, which some readers take for an IP address
}
