package security

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestParseURL(t *testing.T) {
	const base = "https://a.example/.well-known/ai?v=1"
	for _, c := range []struct {
		ref, base, want string
		code            wayfind.Code
	}{
		{"https://Example.COM", "", "https://example.com/", ""},
		{"HTTPS://example.com.:443/a?b=c#d", "", "https://example.com/a?b=c", ""},
		{" https://example.com/x ", "", "https://example.com/x", ""},
		{"https://bücher.example/ü?q=ü&r= ", "", "https://xn--bcher-kva.example/%C3%BC?q=%C3%BC&r=", ""},
		{"https://a.example/a b?c d", "", "https://a.example/a%20b?c%20d", ""},
		{"https://a.example/%2f x", "", "https://a.example/%2f%20x", ""},
		{"https://a.example/a/../../b/./c/%2e%2E/d", "", "https://a.example/b/d", ""},
		{"https://a.example/\u202egpj.exe", "", "https://a.example/%E2%80%AEgpj.exe", ""},
		{"https://a.example?x", "", "https://a.example/?x", ""},
		{"https://a.example//x", "", "https://a.example//x", ""},
		{"https://a.example/{+path}", "", "https://a.example/%7B+path%7D", ""},
		{"/x", base, "https://a.example/x", ""},
		{"../ai.json", base, "https://a.example/ai.json", ""},
		{"?v=2", base, "https://a.example/.well-known/ai?v=2", ""},
		{"#f", base, base, ""},
		{"b:c/../d", base, "", wayfind.CodeScheme},
		{"./b:c", base, "https://a.example/.well-known/b:c", ""},
		{"/%2f/evil.example", base, "https://a.example/%2f/evil.example", ""},
		{".//evil.example/x", base, "https://a.example/.well-known//evil.example/x", ""},
		{"//b.example/x", base, "https://b.example/x", ""},
		{"//u@b.example/x", base, "", wayfind.CodeUserinfo},
		{"///b.example/x", base, "", wayfind.CodeHostSyntax},
		{"/x", "", "", wayfind.CodeHostSyntax},
		{"//b.example/x", "", "", wayfind.CodeHostSyntax},
		{"/x", "http://a.example/", "", wayfind.CodeScheme},
		{"/x", "https://127.0.0.1/", "", wayfind.CodeHostIPLiteral},
		{"", base, "", wayfind.CodeHostSyntax},
		{" ", base, "", wayfind.CodeHostSyntax},
		{`\\evil.example`, base, "", wayfind.CodeHostSyntax},
		{`/\evil.example`, base, "", wayfind.CodeHostSyntax},
		{`https://evil.example\@a.example/`, base, "", wayfind.CodeHostSyntax},
		{"/\t/evil.example", base, "", wayfind.CodeHostSyntax},
		{"ht\ttps://evil.example/", base, "", wayfind.CodeHostSyntax},
		{"/a\r\nX: y", base, "", wayfind.CodeHostSyntax},
		{"/a\x00", base, "", wayfind.CodeHostSyntax},
		{"/a\xff", base, "", wayfind.CodeHostSyntax},
		{"/100%", base, "", wayfind.CodeHostSyntax},
		{"https:b.example/", base, "", wayfind.CodeHostSyntax},
		{"https:/b.example/", base, "", wayfind.CodeHostSyntax},
		{"https:///b.example/", base, "", wayfind.CodeHostSyntax},
		{"https://", base, "", wayfind.CodeHostSyntax},
		{"https:", base, "", wayfind.CodeHostSyntax},
		{"HTTP://a.example/", base, "", wayfind.CodeScheme},
		{"javascript:alert(1)", base, "", wayfind.CodeScheme},
		{"https://u:p@a.example/", base, "", wayfind.CodeUserinfo},
		{"https://@a.example/", base, "", wayfind.CodeUserinfo},
		{"https://a.example:8443/", base, "", wayfind.CodePort},
		{"https://a.example:/", base, "", wayfind.CodePort},
		{"https://a.example:443:443/", base, "", wayfind.CodeHostSyntax},
		{"https://[::1]:443/", base, "", wayfind.CodeHostIPLiteral},
		{"https://[::1]x/", base, "", wayfind.CodeHostSyntax},
		{"https://[fe80::1%25lo]/x", base, "", wayfind.CodeHostIPLiteral},
		{"https://2130706433/x", base, "", wayfind.CodeHostNumeric},
		{"https://{tenant}.example.com/", base, "", wayfind.CodeHostSyntax},
		{"https://a.example.well-known/ai", base, "", wayfind.CodeHostSyntax},
		{"/" + strings.Repeat("a", 2048), base, "", wayfind.CodeLimit},
		{"/" + strings.Repeat("ü", 1000), base, "", wayfind.CodeLimit},
	} {
		var from *url.URL
		if c.base != "" {
			from = mustURL(t, c.base)
		}
		got, err := ParseURL(c.ref, from)
		text := ""
		if got != nil {
			text = got.String()
		}
		if text != c.want || code(err) != c.code || err != nil && !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("ParseURL(%q, %q) = %q, %v; want %q, code %q", c.ref, c.base, text, err, c.want, c.code)
		}
	}
}

// A request with arguments may be longer than a URL in a document. All other rules are the
// same, also for places that a guard adds.
func TestARequestHasEightThousandBytes(t *testing.T) {
	guards := map[string]*Guard{
		"https://a.example":           nil,
		"http://localhost:3000":       {AllowDev: []string{"http://localhost:3000"}},
		"https://api.corp.internal":   {AllowNames: []string{"api.corp.internal"}},
		"https://other.corp.internal": {AllowNames: []string{"*.corp.internal"}},
	}
	for origin, guard := range guards {
		long := origin + "/" + strings.Repeat("a", 8000-len(origin)-1)
		if u, err := guard.ParseRequest(long); err != nil || u.String() != long {
			t.Errorf("%s: %d bytes: %v", origin, len(long), err)
		}
		encoded := origin + "/" + strings.Repeat("ü", (8000-len(origin))/6)
		if u, err := guard.ParseRequest(encoded); err != nil || u.Host == "" {
			t.Errorf("%s: %v", origin, err)
		}
		for _, tooLong := range []string{long + "a", encoded + "ü", long[:len(long)-1] + "ü"} {
			if u, err := guard.ParseRequest(tooLong); code(err) != wayfind.CodeLimit {
				t.Errorf("%s: %v, %v", origin, u, err)
			}
		}
		if u, err := guard.ParseURL(long[:2049], nil); code(err) != wayfind.CodeLimit {
			t.Errorf("%s: %v, %v", origin, u, err)
		}
		if u, err := guard.ParseURL(long[:2048], nil); err != nil {
			t.Errorf("%s: %v, %v", origin, u, err)
		}
	}
	var none *Guard
	for _, ref := range []string{"", "/a", "http://a.example/", "https://localhost/", "https://u@a.example/", "https://a.example/\\", "https://10.0.0.1/"} {
		if u, err := none.ParseRequest(ref); !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("%q is %v, %v", ref, u, err)
		}
	}
}

// TestGluedHost checks that the error names the probable mistake.
func TestGluedHost(t *testing.T) {
	_, err := ParseURL("https://a.example.well-known/ai", nil)
	if err == nil || !strings.Contains(err.Error(), "no slash before .well-known") {
		t.Errorf("got %v", err)
	}
}

// TestPasswordsAreNotRepeated checks that no error contains a password.
func TestPasswordsAreNotRepeated(t *testing.T) {
	_, err := ParseURL("https://user:hunter2@a.example/", nil)
	_, err2 := SplitAuthority("user:hunter2@a.example")
	if err == nil || err2 == nil || strings.Contains(err.Error()+err2.Error(), "hunter2") {
		t.Errorf("got %v, %v", err, err2)
	}
}

// TestLocationsLeadWhereTheirVectorsSay checks the Location column: the target, or the refusal.
func TestLocationsLeadWhereTheirVectorsSay(t *testing.T) {
	type vectors struct {
		Start string
		Cases []struct {
			Name, Want string
			Hops       []struct {
				Status   int
				Location json.RawMessage
			}
		}
	}
	v := golden.VectorJSON[vectors](t, "http", "own_redirects.json")
	refused := map[string]wayfind.Code{
		"downgrade": wayfind.CodeScheme, "HTTP upper case": wayfind.CodeScheme,
		"downgrade then upgrade": wayfind.CodeScheme,
		"userinfo":               wayfind.CodeUserinfo, "port": wayfind.CodePort, "port 0": wayfind.CodePort,
		"port 99999": wayfind.CodePort, "ip literal": wayfind.CodeHostIPLiteral,
		"v6 zone": wayfind.CodeHostIPLiteral, "decimal host": wayfind.CodeHostNumeric,
		"localhost": wayfind.CodeHostSingleLabel, "metadata name": wayfind.CodeHostSpecialUse,
		"file": wayfind.CodeScheme, "javascript": wayfind.CodeScheme, "data": wayfind.CodeScheme,
		"opaque https": wayfind.CodeHostSyntax, "triple slash": wayfind.CodeHostSyntax,
		"backslash":          wayfind.CodeHostSyntax, // a browser goes to the other host
		"backslash userinfo": wayfind.CodeHostSyntax, "tab in scheme": wayfind.CodeHostSyntax,
		"empty Location": wayfind.CodeHostSyntax, "8 KiB Location": wayfind.CodeLimit,
		"redirect to .well-known glued host": wayfind.CodeHostSyntax,
	}
	ran := 0
	for _, c := range v.Cases {
		at := mustURL(t, v.Start)
		for i, hop := range c.Hops {
			var location string
			if json.Unmarshal(hop.Location, &location) != nil || string(hop.Location) == "null" {
				break // none or two: not for ParseURL
			}
			ran++
			next, err := ParseURL(location, at)
			if want, ok := refused[c.Name]; ok && i == 0 {
				delete(refused, c.Name)
				if code(err) != want {
					t.Errorf("%s: %q: got %v, %v; want code %s", c.Name, location, next, err, want)
				}
				break
			}
			if err != nil {
				t.Errorf("%s: %q: %v; want %s", c.Name, location, err, c.Want)
				break
			}
			if next.Fragment != "" || next.User != nil || next.Scheme != "https" {
				t.Errorf("%s: %q gives %s", c.Name, location, next)
			}
			at = next
		}
	}
	t.Logf("%d hops", ran)
	if ran < golden.Least(t, golden.EnvVectors, 45) || len(refused) > 0 && golden.Published(t, golden.EnvVectors) {
		t.Errorf("%d hops; rows that were not found: %v", ran, refused)
	}
}

// parseEndpoint is ParseURL for endpoints in documents, whose specifications only allow a path
// that begins with "/" or an absolute URL.
func parseEndpoint(ref string, document *url.URL) (*url.URL, error) {
	_, absolute := cutURLScheme(ref)
	if !absolute && (!strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, "//")) {
		return nil, urlError(ref, wayfind.CodeHostSyntax, "it is neither an absolute URL nor a path")
	}
	return ParseURL(ref, document)
}

// TestEndpointsAreJudgedAsTheirVectorsSay runs the endpoint strings. "Trusted=false" rows with
// other schemes and ports are refused here, because they are never asked.
func TestEndpointsAreJudgedAsTheirVectorsSay(t *testing.T) {
	type vectors struct {
		Document string `json:"document_url"`
		Cases    []struct{ Endpoint, Want string }
	}
	v := golden.VectorJSON[vectors](t, "ssrf", "own_endpoint_strings.json")
	document := mustURL(t, v.Document)
	for _, c := range v.Cases {
		u, err := parseEndpoint(c.Endpoint, document)
		accepted := strings.HasPrefix(c.Want, "ok") || strings.HasPrefix(c.Want, "Warn") && !strings.Contains(c.Want, "HTTP") && !strings.Contains(c.Want, "Port") ||
			strings.HasPrefix(c.Want, "normalise") || strings.HasPrefix(c.Want, "percent-encode") || strings.HasPrefix(c.Want, "kept") || strings.HasPrefix(c.Want, "redact")
		if accepted != (err == nil) && c.Want != "as above" {
			t.Errorf("%q: got %v, %v; want %s", text.Clip(c.Endpoint), u, err, c.Want)
		}
		if err == nil && u.Host != "shop.example.com" && !strings.HasPrefix(c.Endpoint, "https://"+u.Host) {
			t.Errorf("%q leads to %s", c.Endpoint, u)
		}
		if err != nil && (code(err) == "" || code(err) == "?") {
			t.Errorf("%q: %v has no code", c.Endpoint, err)
		}
	}
	t.Logf("%d rows", len(v.Cases))
	if len(v.Cases) < golden.Least(t, golden.EnvVectors, 40) {
		t.Errorf("%d rows", len(v.Cases))
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("https://example.com/a?b#c", "")
	f.Add("//b.example", "https://a.example/x")
	f.Add("/\\evil.example", "https://a.example/x")
	f.Add("https://[fe80::1%25lo]/", "")
	f.Add("../%2e%2e/ü?ü", "https://a.example/x/y/z?q")
	f.Fuzz(func(t *testing.T, ref, base string) {
		var from *url.URL
		if base != "" {
			u, err := ParseURL(base, nil)
			if err != nil {
				return
			}
			from = u
		}
		u, err := ParseURL(ref, from)
		if err != nil {
			if u != nil || !errors.Is(err, wayfind.ErrRefused) || code(err) == "" {
				t.Fatalf("%q: %v beside %v", ref, u, err)
			}
			return
		}
		text := u.String()
		again, err := ParseURL(text, nil)
		if err != nil || again.String() != text {
			t.Fatalf("%q: %q, then %v, %v", ref, text, again, err)
		}
		if u.Scheme != "https" || u.User != nil || u.Fragment != "" || len(text) > maxURL {
			t.Fatalf("%q: %q", ref, text)
		}
		agreesWithNetURL(t, ref, from, u)
	})
}

// An origin has only one spelling.
func TestCanonicalOrigin(t *testing.T) {
	if got, err := CanonicalOrigin("https://EXAMPLE.com:443/"); got != "https://example.com" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "example.com", "https://example.com/a", "https://example.com/?a", "https://u@example.com", "http://example.com"} {
		if got, err := CanonicalOrigin(text); !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
