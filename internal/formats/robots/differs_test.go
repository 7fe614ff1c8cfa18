package robots_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
)

// Files that consist of common parts have the same results as with Google's parser.
func TestAgainstGooglesParser(t *testing.T) {
	lines := []string{
		"User-agent: *", "User-agent: * x", "User-agent: wayfind", "User-agent: Wayfind/2.0", "User-agent: other", "user-agent:",
		"Allow: /", "Disallow: /", "Disallow:", "Allow: /a", "Disallow: /a", "Disallow: /a/b", "Allow: /a/b", "Allow: /a/index.html", "Allow: /*/index.htm",
		"Disallow: /*b", "Disallow: /*.gif$", "Allow: /a$", "Disallow: /a*c", "Allow: *", "Disallow: $", "Disallow: b", "Crawl-delay: 1", "Sitemap: /s", "nonsense", "disalow: /a/b/c",
	}
	paths := []string{"/", "/a", "/a/", "/a/b", "/a/b/c", "/b", "/a/index.html", "/a.gif", "/a.gif?x", "/abc", "/x/y/", "/a?b=c"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var file []string
		for range r.IntN(12) {
			file = append(file, lines[r.IntN(len(lines))])
		}
		body := strings.Join(file, "\n")
		rules := robots.RulesFor([]byte(body), "wayfind")
		for _, path := range paths {
			if got, want := rules.Allowed(path), grobotstxt.AgentAllowed(body, "wayfind", path); got != want {
				t.Fatalf("%q in %q: %t, want %t", path, body, got, want)
			}
		}
	}
}
