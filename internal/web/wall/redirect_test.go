package wall

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func led(t *testing.T, asked, location string) Wall {
	t.Helper()
	u, err := url.Parse(asked)
	if err != nil {
		t.Fatal(err)
	}
	return ByRedirect(u, http.StatusFound, http.Header{"Location": {location}})
}

// Each door is recognised from the site, and from itself it is an ordinary redirect.
func TestEachDoorIsRecognised(t *testing.T) {
	for _, d := range doors {
		host := d.host
		if host == "" {
			host = "shop.example"
		}
		at := "https://" + host + "/" + strings.TrimPrefix(strings.ToUpper(d.path), "/") + "?return_to=x"
		if got := led(t, "https://shop.example/llms.txt", at); !got.Is() {
			t.Errorf("%s: no wall", at)
		}
		if d.host != "" {
			if got := led(t, "https://"+d.host+d.path+"/a", "https://login."+host+d.path+"/b"); got.Is() && d.path == "" {
				t.Errorf("%s from itself: %v", at, got)
			}
			if got := led(t, "https://shop.example/a", "https://not"+host+"/plain"); got.Is() {
				t.Errorf("another host than %s: %v", d.host, got)
			}
		}
		if d.path != strings.ToLower(d.path) || d.host != strings.ToLower(d.host) || d.host+d.path == "" {
			t.Errorf("%+v", d)
		}
	}
}

func TestByRedirect(t *testing.T) {
	for _, x := range []struct{ asked, location, want string }{
		{"https://shop.example/ai", "https://shop.cloudflareaccess.com/cdn-cgi/access/login/shop.example?kid=1", "Cloudflare Access asks for a login"},
		{"https://shop.example/ai", "https://shop.okta.com/oauth2/v1/authorize", "Okta asks for a login"},
		{"https://shop.example/ai", "https://consent.yahoo.com/v2/collectConsent?sessionId=1", "Yahoo asks for consent"},
		{"https://shop.example/ai", "/captcha?next=/ai", "a captcha challenges programs"},
		{"https://shop.example/ai", "https://validate.perfdrive.com/?ssa=1", "Radware challenges programs"},
		{"https://shop.example/ai", "https://www.shop.example/ai", ""},
		{"https://shop.example/docs/hcaptcha", "/docs/hcaptcha/", ""}, // a page about captchas
		{"https://shop.okta.com/ai", "https://login.okta.com/", ""},   // the company itself
		{"https://shop.example/ai", "", ""},
		{"https://shop.example/ai", "https://www.captcha.example/ai", ""},
	} {
		if got := led(t, x.asked, x.location); strings.TrimSpace(got.String()) != x.want {
			t.Errorf("%s to %s: %q, want %q", x.asked, x.location, got, x.want)
		}
	}
	marked := ByRedirect(&url.URL{Scheme: "https", Host: "shop.example", Path: "/ai"}, 302, http.Header{"Location": {"/x"}, "Sg-Captcha": {"challenge"}})
	if marked.Name != "SiteGround" {
		t.Errorf("a mark on a redirect: %v", marked)
	}
}

// A loop without cookies is a mistake of the server, and so is one behind Cloudflare, whose own cookies
// are in any answer.
func TestByLoop(t *testing.T) {
	for _, x := range []struct {
		cookie bool
		header http.Header
		want   string
	}{
		{true, http.Header{"Server": {"Sucuri/Cloudproxy"}}, "Sucuri"},
		{true, http.Header{"Server": {"nginx"}}, "a page for browsers"},
		{true, nil, "a page for browsers"},
		{false, http.Header{"Server": {"Sucuri/Cloudproxy"}}, ""},
		{true, http.Header{"Server": {"cloudflare"}}, ""},
	} {
		if got := ByLoop(x.cookie, x.header); got.Name != x.want {
			t.Errorf("cookie %t, %v: %v, want %q", x.cookie, x.header, got, x.want)
		}
	}
}

// The sentence of a wall is read again from the text of an error.
func TestSaid(t *testing.T) {
	for _, w := range []Wall{{"Cloudflare", challenges}, {"a legal block", refuses}, {"Okta", login}, {"Yahoo", consents}, {"HUMAN (PerimeterX)", challenges}} {
		for _, before := range []string{"", `match "https://shop.example/ai": blocked (firewall): `} {
			if got := Said(before + w.String()); got != w {
				t.Errorf("%q: %v", before+w.String(), got)
			}
		}
	}
	for _, other := range []string{"", "the site answers 403", "redirect: loop"} {
		if got := Said(other); got.Is() {
			t.Errorf("%q: %v", other, got)
		}
	}
}

// A path that only contains the word is no captcha.
func TestAPathWithTheWordCaptcha(t *testing.T) {
	asked, _ := url.Parse("https://shop.example/.well-known/agent-card.json")
	for to, want := range map[string]bool{"/agents/recaptcha-solver/card.json": false, "/x?next=captcha": false, "/captcha": true, "/security/captcha.html?u=x": true} {
		if found := ByRedirect(asked, http.StatusFound, http.Header{"Location": {to}}); found.Is() != want {
			t.Errorf("%s: %q", to, found.Name)
		}
	}
}
