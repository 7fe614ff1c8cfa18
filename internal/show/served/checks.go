package served

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// large is the size in bytes from which a document should be compressed.
const large = 64 << 10

// checks are the rules with the formats that state them, in alphabetical order of codes.
func checks() []check {
	const must, should, recommended = wayfind.SeverityError, wayfind.SeverityWarning, wayfind.SeverityInfo
	const a2a, mcp = "§8.6", "Discovery (SEP-2127)"
	latest, card := []string{"1.0", "union"}, []string{"server-card"}
	manifest := []string{""}
	return []check{
		{rule: ruleCoding, broken: coding},
		{rule: ruleCompression, broken: compression},
		{rule: ruleCookie, broken: cookie},
		{rule: ruleCORS, broken: cors, claims: []claim{{"adp", manifest, "§1", recommended}, {"mcp", card, mcp, must}}},
		{rule: ruleFreshness, broken: freshness, claims: []claim{
			{"a2a", latest, a2a, should}, {"adp", manifest, "§1", recommended}, {"agentsmd", nil, "§1", should}, {"mcp", card, mcp, should},
		}},
		{rule: ruleNoStore, broken: noStore},
		{rule: ruleRedirect, broken: redirect, claims: []claim{{"ucp", nil, "Hosting", must}}},
		{rule: ruleValidator, broken: validator, claims: []claim{{"a2a", latest, a2a, should}, {"mcp", card, mcp, should}, {"ucp", nil, "Hosting", should}}},
		{rule: ruleVary, broken: vary},
	}
}

func coding(a *Answer) string {
	varies := varied(a.Header)
	if !a.Decoded || slices.Contains(varies, "accept-encoding") || slices.Contains(varies, "*") {
		return ""
	}
	return "the answer is compressed, and Vary does not name Accept-Encoding"
}

func compression(a *Answer) string {
	if a.Decoded || a.Size < large {
		return ""
	}
	return fmt.Sprintf("the answer has %d bytes, and no coding makes it smaller", a.Size)
}

func cookie(a *Answer) string {
	if !a.SetsCookie && a.Header.Values("Set-Cookie") == nil {
		return ""
	}
	return "the answer has Set-Cookie"
}

func cors(a *Answer) string {
	switch a.Header.Get("Access-Control-Allow-Origin") {
	case "*":
		return ""
	case "":
		return "the answer has no Access-Control-Allow-Origin: clients in browsers cannot read it"
	}
	return "Access-Control-Allow-Origin is not *: clients in browsers on other sites cannot read it"
}

func freshness(a *Answer) string {
	words := directives(a.Header)
	if _, limited := lifetime(a.Header, words); limited || has(words, "no-store") || has(words, "no-cache") {
		return ""
	}
	return "the answer has neither max-age nor Expires: the document is " + Caching(a.Header)
}

// noStore leaves profiles of UCP to the rule of that format, which is stricter.
func noStore(a *Answer) string {
	if !has(directives(a.Header), "no-store") || a.is("ucp") {
		return ""
	}
	return "Cache-Control has no-store: the document is " + Caching(a.Header)
}

func redirect(a *Answer) string {
	if a.Redirects == 0 {
		return ""
	}
	return fmt.Sprintf("redirects before the document: %d", a.Redirects)
}

func validator(a *Answer) string {
	if validated(a.Header) || has(directives(a.Header), "no-store") {
		return ""
	}
	return "the answer has neither ETag nor Last-Modified: the document is " + Caching(a.Header)
}

func validated(h http.Header) bool { return h.Get("ETag") != "" || h.Get("Last-Modified") != "" }

func vary(a *Answer) string {
	for _, name := range varied(a.Header) {
		switch name {
		case "*", "cookie", "user-agent":
			return fmt.Sprintf("Vary has %q", name)
		}
	}
	return ""
}

// varied are the request fields that Vary names, in lower case.
func varied(h http.Header) (names []string) {
	for field := range strings.SplitSeq(strings.Join(h.Values("Vary"), ","), ",") {
		names = append(names, strings.ToLower(strings.TrimSpace(field)))
	}
	return names
}
