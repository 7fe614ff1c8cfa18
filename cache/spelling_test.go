package cache_test

import (
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
)

// Each of these URLs is another resource, or the same in another spelling. No caller gets an answer
// to another request line than its own.
func TestASpellingOfAURLGetsItsOwnAnswer(t *testing.T) {
	for name, opts := range everyUse() {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, req.URL.RequestURI(), "Cache-Control", "max-age=600"), nil
		}}
		tr := newTransport(t, o, opts)
		for range 2 {
			for _, path := range []string{
				"", "/", "?", "/?", "/a%2fb", "/a%2Fb", "/a/b", "/%61", "/a", "/a/../a", "/A", "//a",
				"/a?x=1&y=2", "/a?y=2&x=1", "/a?x=%31", "/a?x=1;y", "/a;b", "/a%3Bb", "/a+b", "/a%2Bb", "/a%20b",
				"/a?x=a+b", "/a?x=a%20b", "/~u", "/%7Eu", "/%7eu", "/a?x=%7e", "/a?x=~", "/é", "/%C3%A9", "/%c3%a9", "/a?x=é", "/a?x=%zz",
			} {
				req := newRequest(t.Context(), "http://a.example"+path)
				if got := do(t, tr, req); got.Body != req.URL.RequestURI() {
					t.Errorf("%s: %q gets %+v", name, path, got)
				}
			}
		}
	}
}

// A host has its own answers, by each spelling that is surely the same host.
func TestAHostGetsItsOwnAnswers(t *testing.T) {
	o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		return response(200, req.URL.Host, "Cache-Control", "max-age=600"), nil
	}}
	tr := newTransport(t, o, nil)
	for _, row := range []struct{ host, of string }{
		{"a.example", ""}, {"A.Example", "a.example"}, {"a.example:80", "a.example"}, {"a.example.", ""}, {"a.example:8080", ""}, {"a.example:443", ""},
		{"127.0.0.1", ""}, {"127.1", ""}, {"[::1]", ""}, {"[0:0:0:0:0:0:0:1]", ""},
	} {
		wanted := result{200, row.host, cache.FromNetwork, ""}
		if row.of != "" {
			wanted = result{200, row.of, cache.FromMemory, ""}
		}
		want(t, row.host, get(t, tr, "http://"+row.host+"/"), wanted)
	}
	want(t, "another scheme", get(t, tr, "https://a.example/"), result{200, "a.example", cache.FromNetwork, ""})
}
