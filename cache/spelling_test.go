package cache_test

import (
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
)

// All spellings of a URL (RFC 3986 §6.2.2) share an answer. No other URL gets it.
func TestASpellingOfAURLGetsItsOwnAnswer(t *testing.T) {
	for name, opts := range everyUse() {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, req.URL.RequestURI(), "Cache-Control", "max-age=600"), nil
		}}
		tr := newTransport(t, o, opts)
		for range 2 {
			for _, spellings := range [][]string{
				{"/", "", "/.", "/a/.."}, {"/?", "?"}, {"/a%2fb", "/a%2Fb"}, {"/a/b", "/a/./b", "/a/%62"}, {"/a", "/%61", "/a/../a"}, {"/A"}, {"//a"},
				{"/a?x=1&y=2"}, {"/a?y=2&x=1"}, {"/a?x=1", "/a?x=%31"}, {"/a?x=1;y"}, {"/a;b"}, {"/a%3Bb"}, {"/a+b"}, {"/a%2Bb"}, {"/a%20b"},
				{"/a?x=a+b"}, {"/a?x=a%20b"}, {"/~u", "/%7Eu", "/%7eu"}, {"/a?x=~", "/a?x=%7e"}, {"/é", "/%C3%A9", "/%c3%a9"}, {"/a?x=é"}, {"/a?x=%zz"},
			} {
				first := newRequest(t.Context(), "http://a.example"+spellings[0]).URL.RequestURI()
				for _, path := range spellings {
					if got := get(t, tr, "http://a.example"+path); got.Body != first {
						t.Errorf("%s: %q gets %+v, want %q", name, path, got, first)
					}
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

// A Purge and an unsafe request end the answer under each spelling of its URL.
func TestASpellingEndsTheAnswerOfTheURL(t *testing.T) {
	onRedis(t, func(t *testing.T, open func() cache.Store, far cache.Store) {
		o := always(200, "x", "Cache-Control", "max-age=600")
		p := begin(open(), far, o)
		defer p.end()
		asked := 0
		for _, spelling := range []string{"/%7Eu/%2F", "/a/../~u/%2f", "/~u/./%2F"} {
			for name, end := range map[string]func(*http.Request){
				"purge": func(req *http.Request) {
					if err := p.Purge(t.Context(), cache.OfURL(req.URL)); err != nil {
						t.Error(err)
					}
				},
				"post": func(req *http.Request) {
					req.Method = http.MethodPost
					do(t, p, req)
					asked++
				},
			} {
				get(t, p, "http://a.example/~u/%2F")
				end(newRequest(t.Context(), "http://a.example"+spelling))
				get(t, p, "http://a.example/~u/%2F")
				asked++
				wantCount(t, name+" of "+spelling, o, asked+1)
			}
		}
	})
}
