package urlkey

import (
	"net/url"
	"testing"
)

// All spellings of a URL by RFC 3986 §6.2.2 are one key, and no others.
func TestSpellings(t *testing.T) {
	for want, spellings := range map[string][]string{
		"http://a.example/a":         {"/a", "/%61", "/./a", "/b/../a", "/../a", "/%2e%2E/a", "/b/%2e%2e/./a"},
		"http://a.example/a/":        {"/a/", "/a/.", "/a/b/..", "/a/%2e"},
		"http://a.example/":          {"", "/", "/.", "/..", "/a/..", "/a/../.."},
		"http://a.example//a":        {"//a", "/b/..//a"},
		"http://a.example/a%2Fb":     {"/a%2Fb", "/a%2fb", "/%61%2f%62"},
		"http://a.example/~u":        {"/~u", "/%7Eu", "/%7eu"},
		"http://a.example/%C3%A9":    {"/é", "/%C3%A9", "/%c3%a9"},
		"http://a.example/a?x=1~":    {"/a?x=1~", "/a?x=%31%7e"},
		"http://a.example/a?x=%2F..": {"/a?x=%2f..", "/a?x=%2F%2e%2e"},
		"http://a.example/a?x=/../b": {"/a?x=/../b"},
		"http://a.example/a?x=%zz%4": {"/a?x=%zz%4"},
		"http://a.example/a?x=%+1":   {"/a?x=%+1"},
		"http://a.example/...":       {"/..."},
		"http://a.example/.a/..b":    {"/.a/..b"},
		"http://a.example/a;b":       {"/a;b"},
		"http://a.example/a%3Bb":     {"/a%3Bb", "/a%3bb"},
	} {
		for _, spelling := range spellings {
			u, err := url.Parse("HTTP://A.example" + spelling)
			if err != nil {
				t.Fatal(err)
			}
			got := Of(u)
			if got != want {
				t.Errorf("%q is %q, want %q", spelling, got, want)
			}
			again, err := url.Parse(got)
			if err != nil || Of(again) != got {
				t.Errorf("%q is not its own key: %v", got, err)
			}
		}
	}
}

// A key takes no memory of its own, whatever the spelling: net/url allocates the path at most.
func TestAppendAllocatesNothing(t *testing.T) {
	for text, most := range map[string]float64{"https://a.example/a?b": 0, "https://a.example/%c3%a9/./b?x=%31": 1} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 0, 256)
		if n := testing.AllocsPerRun(10, func() { b, _ = Append(b[:0], u) }); n > most {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
