package urlref

import (
	"net/url"
	"testing"
)

// Host finds what net/url finds, without an allocation.
func TestHost(t *testing.T) {
	for _, text := range []string{
		"https://a.example", "https://a.example:8443", "https://a.example/x:1/@", "https://a.example?q=http://b.example",
		"https://a.example#f", "https://user:word@a.example:1/", "http://[::1]:80", "http://[::1]", "http://127.0.0.1:8080/x", "https://", "a.example", "",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Host(text); got != u.Hostname() {
			t.Errorf("%q: %q, want %q", text, got, u.Hostname())
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = Host("https://user@a.example:8443/x") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
