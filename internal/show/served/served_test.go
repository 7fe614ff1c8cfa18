package served

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// header reads lines "Name: value".
func header(lines string) http.Header {
	h := http.Header{}
	for line := range strings.Lines(lines) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

// formatOf is the format of a name, as clients have it.
func formatOf(t *testing.T, name string) *parse.Format {
	t.Helper()
	list := formats.All()
	i := slices.IndexFunc(list, func(f *parse.Format) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("there is no format %q", name)
	}
	return list[i]
}

func TestTheHeaderOfAnAnswerIsJudged(t *testing.T) {
	const good = "Cache-Control: public, max-age=3600\nETag: \"1\"\nAccess-Control-Allow-Origin: *\nVary: Accept-Encoding"
	const hour = "Expires: Thu, 26 Nov 2026 21:00:00 GMT\nDate: Thu, 26 Nov 2026 20:00:00 GMT\nLast-Modified: Thu, 26 Nov 2026 20:00:00 GMT"
	for _, c := range []struct {
		format, header string
		redirects      int
		want           string
	}{
		{"a2a 1.0", good, 1, ""},
		{"mcp server-card", good, 0, ""},
		{"adp", good, 0, ""},
		{"openapi", "", 0, ""},
		{"a2a 1.0", "Cache-Control: no-store", 0, "warning served.no_store"},
		{"openapi", "Cache-Control: private\nCache-Control: No-Store", 0, "warning served.no_store"},
		{"ucp", "Cache-Control: no-store", 0, ""}, // ucp.caching
		{"ucp", "Cache-Control: public, max-age=60", 0, "warning served.validator"},
		{"a2a 1.0", "", 0, "warning served.freshness, warning served.validator"},
		{"a2a union", "", 0, "warning served.freshness, warning served.validator"},
		{"a2a 0.3", "", 0, ""}, // §8.6 came with 1.0
		{"a2a 1.0", hour, 0, ""},
		{"a2a 1.0", "Cache-Control: no-cache\nETag: \"1\"", 0, ""},
		{"agentsmd", "", 0, "warning served.freshness"},
		{"mcp server-card", "Cache-Control: max-age=60", 0, "error served.cors, warning served.validator"},
		{"mcp server-card", hour + "\nAccess-Control-Allow-Origin: https://a.example", 0, "error served.cors"},
		{"mcp servers", "", 0, ""},
		{"adp", "", 0, "info served.cors, info served.freshness"},
		{"adp detail", "Vary: Accept, *\nSet-Cookie: a=b", 0, "warning served.cookie, warning served.vary"},
		{"openapi", "Vary: Accept-Encoding\nVary: Cookie", 0, "warning served.vary"},
		{"ucp", good, 1, "error served.redirect"},
	} {
		name, dialect, _ := strings.Cut(c.format, " ")
		var got []string
		a := Answer{URL: "https://a.example/", Format: formatOf(t, name), Dialect: dialect, Header: header(c.header), Redirects: c.redirects, Size: large - 1}
		for _, d := range Judge(&a) {
			got = append(got, string(d.Severity)+" "+d.Code)
			if d.Spec == nil || d.Spec.Title == "" || d.Spec.Section == "" || d.Spec.URL == "" {
				t.Errorf("%s: no specification: %v", d.Code, d.Spec)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.format, c.header, diff)
		}
	}
}

// A large document is compressed, and a compressed one says on which field of the request that
// depends.
func TestTheCodingOfAnAnswerIsJudged(t *testing.T) {
	for _, c := range []struct {
		size    int
		decoded bool
		vary    string
		want    string
	}{
		{large - 1, false, "", ""},
		{large, false, "", "served.compression"},
		{large, true, "", "served.coding"},
		{10, true, "Accept", "served.coding"},
		{large, true, "Accept, Accept-encoding", ""},
		{large, true, "*", "served.vary"}, // no cache uses it for another request
	} {
		var codes []string
		for _, d := range Judge(&Answer{URL: "https://a.example/", Header: header("Vary: " + c.vary), Size: c.size, Decoded: c.decoded}) {
			codes = append(codes, d.Code)
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%d bytes, decoded %v, Vary %q: %q, want %q", c.size, c.decoded, c.vary, got, c.want)
		}
	}
}

// A cache takes Set-Cookie out of the header and remembers that it was there.
func TestACookieIsFoundWithoutItsField(t *testing.T) {
	a := Answer{URL: "https://a.example/", SetsCookie: true}
	if list := Judge(&a); len(list) != 1 || list[0].Code != ruleCookie.Code {
		t.Errorf("%v", list)
	}
}

func TestClaimsNameFormats(t *testing.T) {
	for _, c := range checks() {
		for _, by := range c.claims {
			formatOf(t, by.format)
		}
	}
}

func TestCachingIsSaidInWords(t *testing.T) {
	for lines, want := range map[string]string{
		"Cache-Control: max-age=3600\nETag: \"1\"":    "kept for 1 h, then asked again with If-None-Match",
		"Cache-Control: max-age=3600\nAge: 3540":      "kept for 1 min, then asked for as a whole",
		"Cache-Control: max-age=90\nLast-Modified: x": "kept for 90 s, then asked again with If-Modified-Since",
		"Cache-Control: no-store, max-age=90":         "not kept: asked for as a whole each time",
		"Cache-Control: no-cache\nETag: \"1\"":        "kept, and asked again with If-None-Match each time",
		"Expires: 0":                                  "kept, and asked for as a whole each time",
		"ETag: \"1\"":                                 "kept for as long as each client guesses, then asked again with If-None-Match",
		"Expires: Fri, 27 Nov 2026 20:00:00 GMT\nDate: Thu, 26 Nov 2026 20:00:00 GMT": "kept for 1 d, then asked for as a whole",
	} {
		if got := Caching(header(lines)); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}

func TestRulesAreInOrderAndExplained(t *testing.T) {
	var listed, judged, seconds []string
	for _, r := range Rules() {
		listed = append(listed, r.Code)
		if !strings.HasSuffix(r.Means, ".") || !strings.HasSuffix(r.Mend, ".") {
			t.Errorf("%s is not explained", r.Code)
		}
	}
	for _, c := range checks() {
		judged = append(judged, c.rule.Code)
	}
	for _, c := range secondChecks() {
		seconds = append(seconds, c.rule.Code)
	}
	if all := slices.Sorted(slices.Values(slices.Concat(judged, seconds))); !slices.Equal(listed, all) || !slices.IsSorted(judged) || !slices.IsSorted(seconds) {
		t.Errorf("listed %q, judged %q and %q", listed, judged, seconds)
	}
}
