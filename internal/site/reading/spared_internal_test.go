package reading

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// aboutAddresses matches the meanings of rules that demand a public address or https.
var aboutAddresses = regexp.MustCompile("https://`|does not use TLS|not a public name|localhost")

// keptRules are the rules about addresses that apply to a server under development as well, with
// the reasons.
func keptRules() map[string]string {
	return map[string]string{
		"not_https":    "the URL gets credentials, and is not used",
		"oauth_url":    "the URL gets credentials, and is not used",
		"server_local": "the URL lacks its scheme, and is not used",
	}
}

// TestEachRuleAboutAddressesIsSparedOrKept goes through the rules of all formats. A server under
// development is told to mend no address that will be another one when the site is published.
func TestEachRuleAboutAddressesIsSparedOrKept(t *testing.T) {
	rules := parse.ReaderRules()
	for _, f := range append(formats.All(), formats.OnRequest()...) {
		rules = append(rules, f.Rules...)
	}
	found := map[string]bool{}
	for _, rule := range rules {
		about := aboutAddresses.MatchString(rule.Means)
		spared, kept := slices.Contains(addressRules(), rule.Code), keptRules()[rule.Code] != ""
		if about != (spared || kept) || spared && kept {
			t.Errorf("%s: about addresses %v, spared %v, kept %v: %s", rule.Code, about, spared, kept, rule.Means)
		}
		found[rule.Code] = true
	}
	for _, code := range append(addressRules(), slices.Sorted(maps.Keys(keptRules()))...) {
		if !found[code] {
			t.Errorf("no format has a rule %q", code)
		}
	}
}

// TestASparedRuleIsAboutTheServerUnderDevelopment reports each rule about the address of the server
// that a document came from, about the address of another one, and on a site that is published.
func TestASparedRuleIsAboutTheServerUnderDevelopment(t *testing.T) {
	const dev, published = "http://localhost:3000", "https://shop.example"
	body := `{"own": "` + dev + `/a", "path": "/a", "other": "http://other.example/a"}`
	contents := Contents{input: &parse.Input{Body: []byte(body)}}
	for _, code := range append(addressRules(), slices.Sorted(maps.Keys(keptRules()))...) {
		spared := slices.Contains(addressRules(), code)
		for pointer, own := range map[string]bool{"/own": true, "/path": true, "/other": false} {
			for _, from := range []string{dev, published} {
				u, err := url.Parse(from + "/doc.json")
				if err != nil {
					t.Fatal(err)
				}
				got := contents.Spared(At{Requested: u, Final: u}, []wayfind.Diagnostic{{Code: "any." + code, Pointer: pointer}})
				if want := spared && own && from == dev; (len(got) == 0) != want {
					t.Errorf("%s at %s of %s: spared %v, want %v", code, pointer, from, len(got) == 0, want)
				}
			}
		}
	}
}
