package security_test

import (
	"fmt"
	"net/netip"
	"net/url"

	"github.com/wayfindhq/wayfind/security"
)

func Example() {
	var policy *security.Policy // the safe default
	canon, _, err := security.CanonicalHost("Bücher.Example.")
	fmt.Println(canon, err)
	fmt.Println(policy.CheckAnswer(canon, []netip.Addr{netip.MustParseAddr("169.254.169.254")}))
	// Output:
	// xn--bcher-kva.example <nil>
	// dial xn--bcher-kva.example: refused by policy (blocked_address): 169.254.169.254: it is special: Link Local (169.254.0.0/16)
}

func ExampleParseURL() {
	document, _ := url.Parse("https://example.com/.well-known/ai")
	fmt.Println(security.ParseURL("../docs/api.json#top", document))
	fmt.Println(security.ParseURL("https://127.1/admin", document))
	// Output:
	// https://example.com/docs/api.json <nil>
	// <nil> url https://127.1/admin: refused by policy (host_numeric): it ends in a number, which some readers take for an IP address
}

func ExampleSameSite() {
	fmt.Println(security.SameSite("shop.example.co.uk", "API.example.co.uk"))
	fmt.Println(security.SameSite("alice.github.io", "bob.github.io"))
	// Output:
	// true
	// false
}

func ExampleCleanText() {
	text, removed := security.CleanText("Reads a \u202efile\u202c.\r\nSafely\u200b.", true, 0)
	fmt.Printf("%q, without %s\n", text, removed)
	// Output: "Reads a file.\nSafely.", without 2 bidirectional controls, 1 format characters
}

func ExamplePrintable() {
	fmt.Println(security.Printable("done\x1b[2J\nlevel=INFO approved"))
	// Output: done\x1b[2J\nlevel=INFO approved
}
