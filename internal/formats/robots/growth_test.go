package robots_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// hostile returns files of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, max(n/len(s), 1)) }
	const head = "User-agent: *\n"
	return map[string]string{
		"groups":         fill("User-agent: *\nDisallow: /\n"),
		"agents":         fill("User-agent: a\n"),
		"rules":          head + fill("Disallow: /a\n"),
		"stars":          head + fill("Disallow: /*a*a*a*a$\n"),
		"one pattern":    head + "Disallow: /" + fill("*a"),
		"encoded":        head + fill("Disallow: /%41%c3é\n"),
		"typos":          fill("disalow: /\n"),
		"no records":     fill("a\n"),
		"blanks":         fill(" \n"),
		"line ends":      fill("\r\n\n\r"),
		"colons":         fill(":"),
		"one line":       fill("a"),
		"comments":       fill("#"),
		"unknown":        fill("a: b\n"),
		"sitemaps":       fill("Sitemap: https://a.example/\n"),
		"agentmaps":      fill("Agentmap: /a\n"),
		"bad URLs":       fill("Sitemap: javascript:\n"),
		"delays":         head + fill("Crawl-delay: 1\n"),
		"agents' delays": strings.Repeat("User-agent: *\n", n/28) + strings.Repeat("Crawl-delay: 1\n", n/30),
		"signals":        fill("Content-Signal: search=yes\n"),
		"one signal":     "Content-Signal: " + fill("search=yes,"),
		"index":          head + fill("Allow: /index.html\n"),
		"not UTF-8":      fill("\xff\n"),
		"controls":       head + fill("Disallow: /\x00\n"),
		"other groups":   fill("User-agent: x\nDisallow: /\n"),
	}
}

// The cost is proportional to the file.
func TestGrowth(t *testing.T) {
	const small, large = 20 << 10, 200 << 10
	cost := func(body string) float64 {
		in := served(t, body)
		return testkit.Allocated(func() {
			robots.Format().Match(in)
			_, _ = robots.Format().Parse(in)
			robots.Allowed(in.Body, "wayfind", "https://shop.example/aaaaaaaaaaaaaaaa")
		})
	}
	testkit.BoundGrowth(t, hostile(small), hostile(large), cost)
}

// Stars cost no more than other characters. A matcher that tries each place for each star would
// need hours for this pattern.
func TestLongPatterns(t *testing.T) {
	path := "/" + strings.Repeat("a", 200<<10)
	for pattern, want := range map[string]bool{
		strings.Repeat("*a", 8000):              false,
		strings.Repeat("*aaaa", 3000):           false,
		strings.Repeat("*a", 8000) + "b":        true,
		strings.Repeat("*a", 8000) + "b$":       true,
		"*" + strings.Repeat("a", 16_000) + "b": true,
	} {
		body := "User-agent: *\n" + strings.Repeat("Disallow: /"+pattern+"\n", 30)
		if got := robots.Allowed([]byte(body), "wayfind", path); got != want {
			t.Errorf("%.10q…: %t", pattern, got)
		}
	}
}
