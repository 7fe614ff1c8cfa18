package robots_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jimsmart/grobotstxt"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// deviations returns the published cases with another result, each with the rule that requires
// it. Google's library does not change URLs and requires its caller to escape them. §2.2.2
// requires the client to do it.
func deviations() map[string]string {
	const encoded = "§2.2.2: octets outside of ASCII MUST be percent-encoded before they are compared"
	const decoded = "§2.2.2: a percent-encoded unreserved octet MUST be decoded before it is compared"
	return map[string]string{
		"/foo/bar/ツ http://foo.bar/foo/bar/ツ":           encoded,
		"/foo/bar/%E3%83%84 http://foo.bar/foo/bar/ツ":   encoded,
		"/foo/bar/%62%61%7A http://foo.bar/foo/bar/baz": decoded,
	}
}

// These are the published cases of Google's parser.
func TestPublishedCasesOfAnotherParserHold(t *testing.T) {
	var file struct {
		Cases []struct {
			Test      string `json:"test"`
			Robots    string `json:"robots"`
			UserAgent string `json:"user_agent"`
			URL       string `json:"url"`
			Allowed   bool   `json:"allowed"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "robots", "google_robotstxt_cases.json")), &file); err != nil {
		t.Fatal(err)
	}
	reasons := deviations()
	for i, c := range file.Cases {
		_, pattern, _ := strings.Cut(strings.TrimSpace(c.Robots), "Allow: ")
		_, deviates := reasons[pattern+" "+c.URL]
		delete(reasons, pattern+" "+c.URL)
		if got := robots.Allowed([]byte(c.Robots), c.UserAgent, c.URL); got != (c.Allowed != deviates) {
			t.Errorf("case %d, %s: %q asks %q in %q: %t", i, c.Test, c.UserAgent, c.URL, c.Robots, got)
		}
	}
	if len(file.Cases) < golden.Least(t, golden.EnvVectors, 142) {
		t.Errorf("%d cases, expected 142", len(file.Cases))
	}
	if diff := cmp.Diff(map[string]string{}, reasons); diff != "" && golden.Published(t, golden.EnvVectors) {
		t.Errorf("deviations that no case needs (-want +got):\n%s", diff)
	}
}

// These are rules of RFC 9309 that the cases do not cover, or cover differently.
func TestAllowed(t *testing.T) {
	const star = "User-agent: *\nDisallow: /\n"
	for _, c := range []struct {
		why, body, url string
		want           bool
	}{
		{"§2.2.2: no rule, no limit", "", "https://a.example/x", true},
		{"§2.2.2: /robots.txt is always allowed", star, "https://a.example/robots.txt", true},
		{"only at the root", star, "https://a.example/a/robots.txt", false},
		{"only the file itself", star, "https://a.example/robots.txt?x", false},
		{"§2.2.1: groups of one token count together", "User-agent: wayfind\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: Wayfind\nDisallow: /c\n", "/c", false},
		{"§2.2.1: the token's group alone counts", star + "User-agent: wayfind\nDisallow: /a\n", "/b", true},
		{"§2.2.1: the token is a prefix of the line's value", "User-agent: wayfind/1.0\nDisallow: /\n", "/b", false},
		{"§2.2.1: a longer token is another one", "User-agent: wayfinder\nDisallow: /\n", "/b", true},
		{"§2.2.2: the longest match wins", "User-agent: *\nAllow: /a/b\nDisallow: /a\n", "/a/b/c", true},
		{"§2.2.2: Allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", true},
		{"§2.2.2: an empty Disallow forbids nothing", "User-agent: *\nDisallow:\n", "/a", true},
		{"§2.2.2: the query belongs to the path", "User-agent: *\nDisallow: /a?b=\n", "https://a.example/a?b=c", false},
		{"an empty query too", "User-agent: *\nDisallow: /a?\n", "https://a.example/a?", false},
		{"§2.2.2: paths have case", "User-agent: *\nDisallow: /A\n", "/a", true},
		{"§2.2.2: a reserved octet stays encoded", "User-agent: *\nDisallow: /a/b\n", "/a%2Fb", true},
		{"§2.2.2: digits of an octet have no case", "User-agent: *\nDisallow: /a%2fb\n", "/a%2Fb", false},
		{"§2.2.2: an unreserved octet is decoded", "User-agent: *\nDisallow: /%7Ejoe\n", "/~joe", false},
		{"§2.2.2: in the URL too", "User-agent: *\nDisallow: /admin\n", "/%61dmin", false},
		{"§2.2.2: and in the query", "User-agent: *\nDisallow: /a?q=ü\n", "/a?q=%c3%bc", false},
		{"a percent sign that encodes nothing is a character", "User-agent: *\nDisallow: /100%\n", "/100%25", false},
		{"§2.2.3: $ in the middle is a character", "User-agent: *\nDisallow: /a$b\n", "/a$b", false},
		{"§2.2.3: what ends twice", "User-agent: *\nDisallow: /*.gif$\n", "/a.gif.gif", false},
		{"§2.2.3: what ends otherwise", "User-agent: *\nDisallow: /*.gif$\n", "/a.gif.png", true},
		{"§2.2.3: the parts do not overlap", "User-agent: *\nDisallow: /aba*aba$\n", "/aba", true},
		{"§2.2.4: other records end no group", "User-agent: wayfind\nSitemap: /s\nUser-agent: b\nCrawl-delay: 1\nDisallow: /\n", "/a", false},
		{"§2.3.1.5: every line that can be read counts", "???\nUser-agent: *\nDisallow /a b\n\x00\nDisallow: /a\n", "/a", false},
		{"a byte order mark", "\ufeffUser-agent: *\nDisallow: /\n", "/a", false},
		{"CR alone", "User-agent: *\rDisallow: /\r", "/a", false},
		{"a web page has no rules", "<html>404</html>\n" + star, "/a", true},
		{"a damaged Disallow forbids more", "User-agent: *\nDisallow: /\x00x\n", "/a", false},
		{"a damaged Allow allows nothing", star + "Allow: /a\x00\n", "/a", false},
		{"what is no URL is not allowed", "", "https://a.example/%zz", false},
		{"nor what has no path", "", "mailto:a@b.example", false},
		{"an empty target is the root", star, "", false},
		{"a host alone is the root", star, "https://a.example", false},
		{"a path without its slash", "User-agent: *\nDisallow: /a\n", "a", false},
	} {
		if got := robots.Allowed([]byte(c.body), "wayfind", c.url); got != c.want {
			t.Errorf("%s: %q in %q: %t", c.why, c.url, c.body, got)
		}
	}
}

// Each token is safe to use, and only its letters are compared.
func TestTokens(t *testing.T) {
	body := []byte("User-agent: Way-Find_er\nDisallow: /\nUser-agent:\nDisallow: /b\n")
	for token, want := range map[string]bool{"way-find_er": false, "WAY-FIND_ER": false, "way-find_er/1.0": true, "way-find": true, "*": true, "\x00": true} {
		if got := robots.Allowed(body, token, "/a"); got != want {
			t.Errorf("%q: %t", token, got)
		}
	}
}

// The matching is the same as in Google's parser, except for its cost. Groups that a reading
// does not list exist for the agents that they name. A delay does not end a group (RFC 9309
// §2.2.4), so the third group has two agents.
func TestPoliciesFor(t *testing.T) {
	file := []byte("User-agent: *\nCrawl-delay: 9\nDisallow: /\n\nUser-agent: Ours\nCrawl-delay: 3\nAllow: /a\n\n" +
		"User-agent: theirs\nCrawl-delay: 4\nUser-agent: GPTBot\nDisallow:\n")
	show := func(token string) (list []string) {
		for _, p := range robots.PoliciesFor(file, token) {
			line := fmt.Sprintf("%s %q line %d", p.Kind, p.Agents, p.Sources[0].Line)
			if p.Limit != nil {
				line += fmt.Sprintf(", %d in %v", p.Limit.N, p.Limit.Per)
			}
			list = append(list, line)
		}
		return list
	}
	want := []string{`robots ["Ours"] line 5`, `crawl_delay ["Ours"] line 6, 1 in 3s`}
	if diff := cmp.Diff(want, show("ours")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, token := range []string{"*", "gptbot", "theirs", "nobody"} {
		if got := show(token); got != nil {
			t.Errorf("%s: %q", token, got)
		}
	}
	if got := robots.PoliciesFor([]byte("<!doctype html>\nUser-agent: ours\nDisallow: /\n"), "ours"); got != nil {
		t.Errorf("a web page: %+v", got)
	}
}

func FuzzMatches(f *testing.F) {
	for _, s := range [][2]string{{"/a/b", "/a*b$"}, {"/aaa", "*a*a$"}, {"/a$b", "/a$"}, {"/", "$"}, {"/ab", "/a**b"}, {"/abab", "*ab$"}, {"/x", ""}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, path, pattern string) {
		if got, want := robots.Matches(path, pattern), grobotstxt.Matches(path, pattern); got != want {
			t.Errorf("%q in %q: %t, want %t", pattern, path, got, want)
		}
	})
}

// Allowed never panics, and the file itself may always be requested.
func FuzzAllowed(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(doc.Body, "wayfind", "https://shop.example/cart?x=%41")
	}
	f.Fuzz(func(t *testing.T, body []byte, token, target string) {
		robots.Allowed(body, token, target)
		if !robots.Allowed(body, token, "https://shop.example"+robots.Path) {
			t.Error("/robots.txt is not allowed")
		}
	})
}

// The longest rule that matches the start of a path is found among all rules, also if rules are
// prefixes of each other.
func TestLongestOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		b := make([]byte, 1+random.IntN(most))
		for i := range b {
			b[i] = "ab/"[random.IntN(3)]
		}
		return "/a" + string(b)
	}
	for range 300 {
		rules := map[string]bool{}
		var body strings.Builder
		body.WriteString("User-agent: *\n")
		for range random.IntN(40) {
			pattern, allow := word(6), random.IntN(2) == 0
			rules[pattern] = rules[pattern] || allow
			fmt.Fprintf(&body, "%s: %s\n", map[bool]string{true: "Allow", false: "Disallow"}[allow], pattern)
		}
		read := robots.RulesFor([]byte(body.String()), "wayfind")
		for range 20 {
			path, want := word(9), true
			longest := 0
			for pattern, allow := range rules {
				if strings.HasPrefix(path, pattern) && len(pattern) > longest {
					longest, want = len(pattern), allow
				}
			}
			if got := read.Allowed(path); got != want {
				t.Fatalf("%s: %t, want %t\n%s", path, got, want, body.String())
			}
		}
	}
}
