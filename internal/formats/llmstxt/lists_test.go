package llmstxt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

func parsedText(t *testing.T, body string) *client.ParseResult {
	t.Helper()
	r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://example.com/llms.txt", ContentType: "text/plain"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestProseIsNoLink checks that a mail address, or a placeholder of a template, is not the path
// of a page, although it is in the place of a URL in Markdown.
func TestProseIsNoLink(t *testing.T) {
	r := parsedText(t, "# Shop\n\n> A shop.\n\n## Docs\n\n- [Guide]({{BASE}}/guide.md): how\n- [Mail](hello@shop.example): write\n- [Page](/page.md): read\n")
	if len(r.Site.Documents) != 1 || r.Site.Documents[0].URL != "https://example.com/page.md" {
		t.Errorf("%s, documents %+v", r.Verdict, r.Site.Documents)
	}
}

// TestAListOfBareURLsIsRead checks that a file at its place that lists pages is read without a
// title (DIVERGENCES) and without the brackets of Markdown.
func TestAListOfBareURLsIsRead(t *testing.T) {
	r := parsedText(t, "https://example.com/docs/start.md\nhttps://example.com/docs/api.md\n")
	var urls []string
	for _, d := range r.Site.Documents {
		urls = append(urls, d.URL)
	}
	if r.Format != "llmstxt" || r.Verdict != wayfind.VerdictFound || len(urls) != 2 {
		t.Errorf("%q %s, documents %q", r.Format, r.Verdict, urls)
	}
}

// A file without a title, with lines that consist of a label and a URL, is such a list. A text
// with addresses in its sentences is not.
func TestALabelBeforeAURLMakesAnEntry(t *testing.T) {
	r := parsedText(t, "Docs: https://example.com/docs\nOpenAPI: https://example.com/openapi.json\nMCP (SSE): <https://example.com/sse>\n")
	var list []string
	for _, d := range r.Site.Documents {
		list = append(list, d.Title+" "+d.URL)
	}
	want := []string{"Docs https://example.com/docs", "OpenAPI https://example.com/openapi.json", "MCP (SSE) https://example.com/sse"}
	if r.Format != "llmstxt" || r.Verdict != wayfind.VerdictFound || !slices.Equal(list, want) {
		t.Errorf("%q %s, documents %q, want %q", r.Format, r.Verdict, list, want)
	}
	if r := parsedText(t, "We are a shop and write at https://example.com/blog\nabout bread. See https://example.com/docs too.\n"); r.Verdict == wayfind.VerdictFound {
		t.Errorf("prose: %q, documents %+v", r.Format, r.Site.Documents)
	}
}

// TestTheFirstPartOfALongFileIsRead checks that the first part of a file above the limit is
// read, and that the cut is reported.
func TestTheFirstPartOfALongFileIsRead(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Shop\n\n> A shop.\n\n## Docs\n\n")
	for n := 0; b.Len() < 400<<10; n++ {
		fmt.Fprintf(&b, "- [Page %d](https://example.com/docs/page-%d.md): what page %d of the manual says\n", n, n, n)
	}
	r := parsedText(t, b.String())
	if r.Format != "llmstxt" || r.Verdict != wayfind.VerdictFound || len(r.Site.Services) == 0 || r.Site.Services[0].Name != "Shop" {
		t.Errorf("%q %s (%s), services %+v", r.Format, r.Verdict, r.Reason, r.Site.Services)
	}
	if len(r.Diagnostics) == 0 {
		t.Error("no diagnostic says that the file was cut")
	}
}
