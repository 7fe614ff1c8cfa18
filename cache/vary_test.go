package cache

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

func TestVaryMatch(t *testing.T) {
	tests := []struct {
		rule          string
		vary          []string
		stored, asked http.Header
		want          bool
	}{
		{"RFC 9111 §4.1: no Vary", nil, header("Accept", "a"), header("Accept", "b"), true},
		{"RFC 9111 §4.1: same", []string{"accept"}, header("Accept", "a"), header("Accept", "a"), true},
		{"RFC 9111 §4.1: other", []string{"Accept"}, header("Accept", "a"), header("Accept", "b"), false},
		{"RFC 9111 §4.1: whitespace", []string{"X-Y"}, header("X-Y", "a,  b"), header("X-Y", " a ,b"), true},
		{"RFC 9111 §4.1: lines", []string{"X-Y"}, header("X-Y", "a", "X-Y", "b"), header("X-Y", "a, b"), true},
		{"RFC 9111 §4.1: absent in both", []string{"X-Y"}, header(), header(), true},
		{"RFC 9111 §4.1: absent is not empty", []string{"X-Y"}, header(), header("X-Y", ""), false},
		{"RFC 9111 §4.1: all lines", []string{"Accept", "X-Y"}, header("X-Y", "a"), header("X-Y", "b"), false},
		{"RFC 9111 §4.1: blanks in a value that is text", []string{"X-Y"}, header("X-Y", "a  b"), header("X-Y", "a b"), false},
		{"RFC 9111 §4.1: blanks around commas", []string{"X-Y"}, header("X-Y", "a , b"), header("X-Y", "a,b"), true},
		{"RFC 9111 §4.1: case where the field has none", []string{"Accept-Encoding"}, header("Accept-Encoding", "GZIP"), header("Accept-Encoding", "gzip"), true},
		{"RFC 9111 §4.1: case otherwise", []string{"X-Y"}, header("X-Y", "A"), header("X-Y", "a"), false},
		{"RFC 9110 §12.5.4: languages in another order", []string{"Accept-Language"}, header("Accept-Language", "EN, de;q=0.5"), header("Accept-Language", "de;q=0.5,en"), true},
		{"RFC 9110 §12.5.4: languages of other weights", []string{"Accept-Language"}, header("Accept-Language", "en, de;q=0.5"), header("Accept-Language", "de, en;q=0.5"), false},
		{"RFC 9110 §12.5.4: another list of languages", []string{"Accept-Language"}, header("Accept-Language", "en, de"), header("Accept-Language", "fr;q=0.5, de"), false},
		{"RFC 9111 §4.1: media types in another order", []string{"Accept"}, header("Accept", "text/html, text/plain"), header("Accept", "text/plain, text/html"), false},
		{"RFC 9111 §4.1: *", []string{"*"}, header(), header(), false},
		{"RFC 9111 §4.1: * among others", []string{"Accept", "X-Y, *"}, header(), header(), false},
	}
	for _, tt := range tests {
		e := &Entry{}
		e.Vary, e.varyAny = varyOf(http.Header{"Vary": tt.vary}, asking(tt.stored))
		if got := e.matches(asking(tt.asked)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.rule, got, tt.want)
		}
	}
}

func TestVaryHidesCredentials(t *testing.T) {
	fields, _ := varyOf(header("Vary", "Authorization, Cookie"), asking(header("Authorization", "Bearer secret", "Cookie", "secret=1")))
	if got := fmt.Sprint(fields); strings.Contains(got, "secret") || len(fields) != 2 {
		t.Errorf("stored request fields: %s", got)
	}
}

func TestVaryTooManyNames(t *testing.T) {
	var names []string
	for i := range maxVaryNames + 1 {
		names = append(names, fmt.Sprint("X-", i))
	}
	if _, any := varyOf(header("Vary", strings.Join(names, ",")), asking(nil)); !any {
		t.Error("a Vary of 33 names was accepted")
	}
}

// One container of at most eight variants, newest first (RFC 9111 §4.1).
func TestVariants(t *testing.T) {
	var v *Variants
	asked := func(i int) *requestHeader { return asking(header("Accept", fmt.Sprint("type/", i))) }
	add := func(i int, text string) {
		e := &Entry{Body: []byte(text)}
		e.Vary, _ = varyOf(header("Vary", "Accept"), asked(i))
		v = v.with(e, asked(i))
	}
	for i := range MaxVariants + 2 {
		add(i, fmt.Sprint("first ", i))
	}
	before := v
	add(5, "second 5")
	var got []string
	for _, e := range v.Entries {
		got = append(got, string(e.Body))
	}
	want := []string{"second 5", "first 9", "first 8", "first 7", "first 6", "first 4", "first 3", "first 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	if len(before.Entries) != MaxVariants || string(before.choose(asked(5)).Body) != "first 5" {
		t.Error("the container that was replaced has changed")
	}
	if v.choose(asked(0)) != nil {
		t.Error("the oldest variant is still there")
	}
}

func TestFreshen(t *testing.T) {
	addr := netip.MustParseAddrPort("192.0.2.1:443")
	old := newEntry(&call{key: "k", ask: &Ask{}}, &http.Response{StatusCode: 200, Header: header(
		"Cache-Control", "max-age=1", "Etag", `"a"`, "Age", "100", "Date", at(-time.Hour),
		"Content-Type", "text/plain", "Content-Length", "4", "X-Old", "1", "X-Both", "old",
	)}, []byte("body"), &exchange{sent: t0(), received: t0(), remote: addr}, false)
	old.Note, old.read = TestNote{"reading"}, true
	before := old.Header.Clone()

	got := old.freshen(asking(nil), &http.Response{StatusCode: 304, Header: header(
		"Cache-Control", "max-age=60", "Etag", `"a"`, "X-Both", "new", "X-New", "1", "Set-Cookie", "a=b",
		"Content-Type", "text/html", "Content-Length", "0", "Content-Encoding", "gzip", "Content-Range", "bytes 0-1/4",
	)}, &exchange{sent: t0().Add(time.Minute), received: t0().Add(time.Minute)}, false, false)

	want := header("Cache-Control", "max-age=60", "Etag", `"a"`, "Content-Type", "text/plain",
		"Content-Length", "4", "X-Old", "1", "X-Both", "new", "X-New", "1")
	if diff := cmp.Diff(want, got.Header); diff != "" {
		t.Errorf("RFC 9111 §3.2: header (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, old.Header); diff != "" {
		t.Errorf("the old entry has changed:\n%s", diff)
	}
	if got.initialAge != 0 || got.RemoteAddr != addr || Read(got) != "reading" || &got.Body[0] != &old.Body[0] {
		t.Errorf("age %v, address %v, read %v", got.initialAge, got.RemoteAddr, Read(got))
	}
}

func TestValidates(t *testing.T) {
	tests := []struct {
		rule, stored, received string
		want                   bool
	}{
		{"RFC 9111 §4.3.4: same strong", `"a"`, `"a"`, true},
		{"RFC 9111 §4.3.4: other strong", `"a"`, `"b"`, false},
		{"RFC 9111 §4.3.4: none received", `"a"`, "", true},
		{"RFC 9111 §4.3.4: weak received", `"a"`, `W/"a"`, true},
		{"RFC 9111 §4.3.4: other weak", `"a"`, `W/"b"`, false},
		{"RFC 9111 §4.3.4: strong received, none stored", "", `"b"`, false},
		{"compressed on the way out", `W/"a"`, `"a"`, true},
	}
	for _, tt := range tests {
		e := &Entry{Header: header("Etag", tt.stored)}
		if tt.stored == "" {
			e.Header.Del("Etag")
		}
		if got := e.validates(header("Etag", tt.received)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.rule, got, tt.want)
		}
	}
}

func TestCanonicalURL(t *testing.T) {
	tests := []struct{ in, want string }{
		{"HTTPS://Example.COM:443", "https://example.com/"},
		{"https://example.com:8443/a?b#c", "https://example.com:8443/a?b"},
		{"http://example.com:80/", "http://example.com/"},
		{"https://example.com/?", "https://example.com/?"},
		{"https://example.com/a%2Fb", "https://example.com/a%2Fb"},
		{"https://u:p@example.com/", "https://example.com/"},
	}
	for _, tt := range tests {
		u, err := url.Parse(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := urlkey.Of(u); got != tt.want {
			t.Errorf("urlkey.Of(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestURLsAreEqualIfTheirRequestLinesAre: URLs have one canonical form when net/http asks for them
// by one request line, and only then.
func TestURLsAreEqualIfTheirRequestLinesAre(t *testing.T) {
	lines := map[string]string{}
	for _, u := range []*url.URL{
		{Path: "/a"}, {Opaque: "/a"}, {Path: "a"}, {Opaque: "a"}, {Path: "/"}, {},
		{Opaque: "//example.com/a"}, {Opaque: "https://example.com/a"}, {Path: "//example.com/a"},
		{Path: "/a/b", RawPath: "/a%2Fb"}, {Path: "/a/b"}, {Opaque: "/a%2Fb"}, {Path: ".evil/"}, {Opaque: ".evil/"},
		{Path: "/a", RawQuery: "q"}, {Opaque: "/a", RawQuery: "q"}, {Opaque: "/a", ForceQuery: true}, {Path: "/a", ForceQuery: true},
	} {
		u.Scheme, u.Host = "https", "example.com"
		form := urlkey.Of(u)
		if other, seen := lines[form]; seen && other != u.RequestURI() {
			t.Errorf("%q is the form of %q and of %q", form, other, u.RequestURI())
		}
		lines[form] = u.RequestURI()
	}
	if other := urlkey.Of(&url.URL{Scheme: "https", Host: "example.com.evil", Path: "/"}); lines[other] != "" {
		t.Errorf("%q is the form of two hosts", other)
	}
}

// RFC 9111 §7.3 and RFC 9110 §7.6.1: fields for one connection or one recipient are not stored.
func TestStoredHeader(t *testing.T) {
	in := header("Connection", "close, X-Hop", "X-Hop", "1", "Keep-Alive", "1", "Transfer-Encoding", "chunked",
		"Set-Cookie", "a=b", "X-Kept", "1")
	if diff := cmp.Diff(header("X-Kept", "1"), storedHeader(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in.Get("Set-Cookie") == "" {
		t.Error("the response's own header has changed")
	}
}
