package security_test

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind/security"
)

// These targets are servers under development, in this form.
func TestParseDev(t *testing.T) {
	rows := map[string]string{ // "": refused
		"http://localhost:3000/mcp":       "http://localhost:3000",
		"HTTP://LOCALHOST:3000":           "http://localhost:3000",
		"localhost:3000/mcp":              "http://localhost:3000",
		"localhost":                       "http://localhost",
		"http://Notes.LOCALHOST:80/mcp":   "http://notes.localhost",
		"notes.localhost":                 "http://notes.localhost",
		"http://.localhost":               "",
		"http://a_b.localhost":            "",
		"http://notes.localhost.":         "",
		"http://127.0.0.1/":               "http://127.0.0.1",
		"http://127.0.0.1:80":             "http://127.0.0.1",
		"127.0.0.1:8080?x=1":              "http://127.0.0.1:8080",
		"https://127.0.0.1:8443":          "https://127.0.0.1:8443",
		"https://localhost:443":           "https://localhost",
		"http://[::1]:3000/":              "http://[::1]:3000",
		"http://[::1]":                    "http://[::1]",
		"http://staging.example.com:8080": "http://staging.example.com:8080",
		"http://10.0.0.5:3000":            "http://10.0.0.5:3000",
		"https://10.0.0.5:3000":           "",
		"https://example.com":             "",
		"https://example.com:8443":        "",
		"example.com":                     "",
		"10.0.0.5":                        "",
		"http://user@localhost:3000":      "",
		"http://localhost:0":              "",
		"http://localhost:99999":          "",
		"http://localhost.evil.example@x": "",
		"ftp://localhost":                 "",
		"http://[::ffff:127.0.0.1]/":      "",
		"http://[fe80::1%25eth0]/":        "",
		"http://":                         "",
		"":                                "",
		"http://localhost:3000\\@evil":    "",
		"http://2130706433/":              "",
		"http://127.1/":                   "",
		"http://printer/":                 "",
	}
	for text, want := range rows {
		got, err := security.ParseDev(text)
		if got != want || want == "" && err == nil {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
		if want == "" {
			continue
		}
		if again, err := security.ParseDev(got); again != got || err != nil {
			t.Errorf("%q is not its own form: %q, %v", got, again, err)
		}
		if err := (&security.Guard{AllowDev: []string{got}}).Validate(); err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
	for _, origin := range []string{"http://localhost:3000/", "localhost:3000", "http://LOCALHOST", "https://example.com", ""} {
		if err := (&security.Guard{AllowDev: []string{origin}}).Validate(); err == nil {
			t.Errorf("AllowDev takes %q", origin)
		}
	}
}

// One origin is allowed, and nothing else.
func TestDevLoosensNothingElse(t *testing.T) {
	g := &security.Guard{AllowDev: []string{"http://localhost:3000", "http://10.0.0.5:3000"}}
	for ref, ok := range map[string]bool{
		"http://localhost:3000/mcp": true, "http://LOCALHOST:3000/a/../mcp": true, "http://10.0.0.5:3000/": true, "https://example.com/": true,
		"http://localhost:3001/": false, "https://localhost:3000/": false, "http://localhost/": false, "http://127.0.0.1:3000/": false, "http://example.com/": false,
		"http://user@localhost:3000/": false, "//localhost:3000/mcp": false, "/mcp": false, "http:localhost:3000": false, "http://localhost:3000\\@evil.example/": false,
	} {
		if u, err := g.ParseURL(ref, nil); (err == nil) != ok {
			t.Errorf("%q: %v, %v", ref, u, err)
		}
	}
	for to, ok := range map[string]bool{
		"127.0.0.1:3000": true, "[::1]:3000": true,
		"127.0.0.1:443": false, "127.0.0.1:3001": false, "127.0.0.2:3000": false, "10.0.0.5:3000": false, "169.254.169.254:80": false,
	} {
		at := netip.MustParseAddrPort(to)
		if err := g.CheckAddrPort(at); (err == nil) != ok {
			t.Errorf("dialling %s: %v", to, err)
		}
		if err := g.Control(t.Context(), "tcp", to, nil); (err == nil) != ok {
			t.Errorf("at the socket, %s: %v", to, err)
		}
	}
	if g.Fingerprint() == (&security.Guard{}).Fingerprint() || g.Fingerprint() == (&security.Guard{AllowDev: g.AllowDev[:1]}).Fingerprint() {
		t.Error("answers got with the permission may serve without it")
	}
	own := g.Clone()
	if own.AllowDev[0] = "x"; g.AllowDev[0] == "x" {
		t.Error("a clone shares the list")
	}
}

// References from such a server are only valid at its origin.
func TestDevReferences(t *testing.T) {
	base := &url.URL{Scheme: "http", Host: "localhost:3000", Path: "/docs/a"}
	for ref, want := range map[string]string{
		"b":                           "http://localhost:3000/docs/b",
		"/mcp?x=1#y":                  "http://localhost:3000/mcp?x=1",
		"//localhost:3000/c":          "http://localhost:3000/c",
		"http://localhost:3000/d":     "http://localhost:3000/d",
		"https://example.com/e":       "https://example.com/e",
		"//example.com/e":             "https://example.com/e",
		"http://localhost:3001/":      "",
		"http://example.com/":         "",
		"https://localhost:3000/":     "",
		"http://169.254.169.254/meta": "",
	} {
		u, err := security.DevGuard("http://localhost:3000").ParseURL(ref, base)
		if want == "" && err == nil || want != "" && (err != nil || u.String() != want) {
			t.Errorf("%q: %v, %v; want %q", ref, u, err, want)
		}
	}
	for _, origin := range []string{"https://example.com", "http://localhost:3000/", "", "localhost"} {
		if security.DevGuard(origin) != nil {
			t.Errorf("%q is under development", origin)
		}
	}
}
