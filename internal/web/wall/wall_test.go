package wall

import (
	"net/http"
	"strings"
	"testing"
)

// A mark counts at any status, a server only for a page with a status that denies.
func TestByHeader(t *testing.T) {
	header := func(name, value string) http.Header {
		h := http.Header{}
		h.Set(name, value)
		return h
	}
	for _, x := range []struct {
		status int
		header http.Header
		page   bool
		want   string
	}{
		{200, header("cf-mitigated", "challenge"), true, "Cloudflare"},
		{403, header("x-vercel-mitigated", "deny"), false, "Vercel"},
		{405, header("x-amzn-waf-action", "captcha"), true, "AWS WAF"},
		{202, header("sg-captcha", "challenge"), true, "SiteGround"},
		{429, header("x-kpsdk-ct", "0a"), true, "Kasada"},
		{403, header("x-dd-b", "1"), false, "DataDome"},
		{451, nil, false, "a legal block"},
		{403, header("Server", "AkamaiGHost"), true, "Akamai"},
		{403, header("Server", "AkamaiGHost"), false, ""},
		{404, header("Server", "cloudflare"), true, ""},
		{200, header("X-Iinfo", "1-2-3"), true, ""}, // on each answer of a site behind Imperva
		{403, header("X-Iinfo", "1-2-3"), true, ""}, // the site behind it may refuse
		{403, header("Server", "cloudflare"), true, ""},
		{403, header("Server", "AkamaiGHost"), true, "Akamai"},
		{202, header("X-Iinfo", "1-2-3"), true, "Imperva"}, // no site answers so
		{500, header("Server", "cloudflare"), true, ""},
		{202, nil, true, "a page for browsers"},
		{202, nil, false, ""},
		{218, header("Server", "stgw"), true, "Tencent"},
		{226, nil, true, ""},
		{207, nil, true, ""},
		{206, nil, true, ""},
		{403, nil, true, ""},
	} {
		if got := ByHeader(x.status, x.header, x.page); got.Name != x.want {
			t.Errorf("%d %v, page %t: %q, want %q", x.status, x.header, x.page, got.Name, x.want)
		}
	}
}

// Each page of the list is recognised in any case, and only at the beginning of a body.
func TestByBody(t *testing.T) {
	for _, p := range pages {
		body := "<html>" + strings.ToUpper(strings.Join(p.parts, " … ")) + "</html>"
		if got := ByBody([]byte(body)); !got.Is() {
			t.Errorf("%q: no wall", p.parts)
		}
		if len(p.parts) > 1 {
			if got := ByBody([]byte(p.parts[0])); got == p.Wall {
				t.Errorf("%q alone: %v", p.parts[0], got)
			}
		}
		if got := ByBody([]byte(strings.Repeat(" ", maxPage) + body)); got.Is() {
			t.Errorf("%q far behind: %v", p.parts, got)
		}
		for _, part := range p.parts {
			if part != strings.ToLower(part) {
				t.Errorf("%q is not in lower case", part)
			}
		}
	}
	for _, plain := range []string{"", "<html><title>404 Not Found</title></html>", `{"error":"forbidden"}`, "Access Denied"} {
		if got := ByBody([]byte(plain)); got.Is() {
			t.Errorf("%q: %v", plain, got)
		}
	}
}

// Names of fields are in canonical form, as net/http stores them.
func TestFieldsAreCanonical(t *testing.T) {
	for _, f := range append(marks[:], servers[:]...) {
		if f.name != http.CanonicalHeaderKey(f.name) || f.value != strings.ToLower(f.value) || f.Name == "" || f.Asks == "" {
			t.Errorf("%+v", f)
		}
	}
}

// Pages that a product lets pass, and texts about products, are no walls.
func TestPagesThatAreNoWall(t *testing.T) {
	for _, body := range []string{
		`<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><div id="app"></div>`,
		`<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script><h1>Shop</h1>`,
		`<script>window.KPSDK = {}</script><script src="/p.js"></script><h1>Shop</h1>`,
		`<script>AwsWafIntegration.getToken()</script><h1>Shop</h1>`,
		`<h1>How to configure mod_security</h1>`, `<h1>Sucuri Website Firewall, a review</h1>`,
	} {
		if found := ByBody([]byte(body)); found.Is() {
			t.Errorf("%s: %s", body, found)
		}
	}
}
