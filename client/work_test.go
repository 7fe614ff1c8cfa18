//go:build unix

package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// most is the processor time that a test allows for work of about a second.
const most = 3 * time.Second

// resolveWithin resolves shop.example with default options and gives up on work
// without end. Not in a bubble: its clients could not be closed then.
func resolveWithin(ctx context.Context, t *testing.T, site clienttest.Pages) *wayfind.Site {
	t.Helper()
	internet, stop := clienttest.Start()
	internet.Host("shop.example", site)
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	var found *wayfind.Site
	testkit.WithinCPU(t, most, func() { found, err = c.Resolve(ctx, "shop.example") })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	stop()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// manyRules returns a robots.txt of almost 512 KiB, all of which is read (RFC 9309 §2.5: at least
// 500 KiB).
func manyRules() string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := 0; b.Len() < 500<<10; i++ {
		fmt.Fprintf(&b, "Disallow: /x%d\n", i)
	}
	return b.String()
}

// ruled is a site with a long robots.txt and 2,000 capabilities.
func ruled() clienttest.Pages {
	return clienttest.Pages{"/robots.txt": manyRules(), "/agent.json": manyActions("c"), "/.well-known/agent.json": manyActions("d")}
}

// robots.txt is parsed once for a Site and not once for each capability.
func TestRobotsAreParsedOnceForASite(t *testing.T) {
	site := resolveWithin(t.Context(), t, ruled())
	n := 0
	for range site.Capabilities() {
		n++
	}
	if n != 2000 {
		t.Errorf("%d capabilities", n)
	}
}

// The deadline of a caller also applies to the work after the requests: longer work is given up,
// and Resolve returns.
func TestTheDeadlineOfTheCallerAppliesToWork(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	internet, stop := clienttest.Start()
	internet.Host("shop.example", ruled())
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	testkit.WithinCPU(t, most, func() { _, err = c.Resolve(ctx, "shop.example") })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	stop()
}

// twoDescriptions returns a site with two OpenAPI descriptions of one operation, which differ in
// its requirements.
func twoDescriptions(a, b string) clienttest.Pages {
	describe := func(security string) string {
		return `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"servers":[{"url":"https://shop.example"}],
			"components":{"securitySchemes":{"a":{"type":"http","scheme":"basic"},"b":{"type":"mutualTLS"}}},
			"paths":{"/p":{"get":{"operationId":"o","security":[` + security + `]}}}}`
	}
	return clienttest.Pages{
		"/llms.txt":        "# Shop\n\n> x\n\n## API\n\n- [A](https://shop.example/openapi.json): OpenAPI\n- [B](https://shop.example/v2/openapi.json): OpenAPI\n",
		"/openapi.json":    describe(a),
		"/v2/openapi.json": describe(b),
	}
}

// Two documents about one call are merged in a time that grows with their size, for any scopes.
func TestScopesAreMergedInProportion(t *testing.T) {
	scopes := func(prefix string) string {
		return listOf(70_000, func(i int) string { return fmt.Sprintf(`"%s%x"`, prefix, i) })
	}
	resolveWithin(t.Context(), t, twoDescriptions(`{"a":[`+scopes("x")+`]}`, `{"a":[`+scopes("y")+`]}`))
}

// The same with alternatives of authentication (OpenAPI 3.1, Security
// Requirement Object).
func TestAlternativesAreMergedInProportion(t *testing.T) {
	many := func(requirement string) string {
		return strings.Repeat(requirement+",", 60_000) + requirement
	}
	resolveWithin(t.Context(), t, twoDescriptions(many(`{"a":[]}`), many(`{"b":[]}`)))
}

// Names that are equal after cleaning are made distinct in a time that grows with the size of the
// document.
func TestCollidingNamesAreMadeDistinctInProportion(t *testing.T) {
	// Variation selectors are invisible, so every name cleans to "".
	invisible := func(i int) string {
		var b strings.Builder
		for range 4 {
			b.WriteRune(rune(0xfe00 + i%16))
			i /= 16
		}
		return b.String()
	}
	body := `{"awp_version":"0.2","domain":"shop.example","intent":"x","actions":[{"id":"a","endpoint":"/a","method":"GET"}],"errors":{` +
		listOf(14_000, func(i int) string { return `"` + invisible(i) + `":{"recovery":"x"}` }) + `}}`
	var err error
	testkit.WithinCPU(t, most, func() {
		_, err = client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://shop.example/agent.json", ContentType: "application/json", MaxBytes: 1 << 20})
	})
	if err != nil {
		t.Fatal(err)
	}
}
