package security_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/security"
)

func Example() {
	var policy *security.Guard // the safe default
	canon, _, err := security.CanonicalHost("Bücher.Example.")
	fmt.Println(canon, err)
	_, err = policy.CheckAnswer(canon, []netip.Addr{netip.MustParseAddr("169.254.169.254")})
	fmt.Println(err)
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

func ExampleSuffixList_SameSite() {
	var list *security.SuffixList // the bundled list
	fmt.Println(list.SameSite("shop.example.co.uk", "API.example.co.uk"))
	fmt.Println(list.SameSite("alice.github.io", "bob.github.io"))
	// Output:
	// true
	// false
}

func ExampleParseSuffixList() {
	list, err := security.ParseSuffixList(strings.NewReader("// VERSION: 2026-11-01\ncom\nplatform.com\n"))
	fmt.Println(list.Version(), err)
	fmt.Println(list.SameSite("a.platform.com", "b.platform.com"), (*security.SuffixList)(nil).SameSite("a.platform.com", "b.platform.com"))
	_, err = security.ParseSuffixList(strings.NewReader("com\n\nplat*form.com\n"))
	fmt.Println(err)
	// Output:
	// 2026-11-01 <nil>
	// false true
	// suffix_list: invalid (schema): line 3: rule "plat*form.com": "*" stands for the first label only, and "!" before it all
}

func ExampleGuard_allowNAT64() {
	policy := &security.Guard{AllowNAT64: []netip.Prefix{security.WellKnownNAT64()}}
	fmt.Println(policy.CheckAddr(netip.MustParseAddr("64:ff9b::8.8.8.8")))
	fmt.Println(policy.CheckAddr(netip.MustParseAddr("64:ff9b::169.254.169.254")))
	// Output:
	// <nil>
	// dial 64:ff9b::a9fe:a9fe: refused by policy (blocked_address): it stands for 169.254.169.254: it is special: Link Local (169.254.0.0/16)
}
