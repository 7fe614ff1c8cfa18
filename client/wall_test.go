package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// leads answers each path with a redirect, and with fields.
func leads(to func(*http.Request) string, header ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Location", to(r))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
}

func always(to string) func(*http.Request) string { return func(*http.Request) string { return to } }

func itself(r *http.Request) string { return r.URL.Path }

// If everything redirects to a captcha, a login or a page that asks for consent, the verdict is blocked and
// the error names the wall. A redirect loop whose answers set a cookie has the same result. The target of the
// redirect gets no request, and the verdict is remembered.
func TestARedirectToAWallIsAWall(t *testing.T) {
	for _, row := range []struct {
		name string
		page http.Handler
		says string
	}{
		{"a captcha of the site", leads(always("/captcha?next=1")), "a captcha challenges programs"},
		{"a captcha of a product", leads(always("/.well-known/sgcaptcha/?r=%2F")), "SiteGround challenges programs"},
		{"a loop with a cookie", leads(itself, "Set-Cookie", "sucuri=1", "Server", "Sucuri/Cloudproxy"), "Sucuri challenges programs"},
		{"a loop with a cookie, by an unknown", leads(itself, "Set-Cookie", "seen=1"), "a page for browsers challenges programs"},
		{"a login", leads(always("https://shop.idp.example/cdn-cgi/access/login/shop.example")), "Cloudflare Access asks for a login"},
		{"a mark", leads(always("/x"), "Cf-Mitigated", "challenge"), "Cloudflare challenges programs"},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host, other := internet.Host("shop.example", row.page), internet.Host("shop.idp.example", clienttest.Page{Body: "<!doctype html>"})
				c := newClient(t, internet, withFormats(formats.All()...))
				site, err := c.Resolve(t.Context(), "shop.example")
				var e *wayfind.Error
				if !errors.As(err, &e) || !errors.Is(err, wayfind.ErrBlocked) || e.Code != wayfind.CodeFirewall || !strings.HasSuffix(err.Error(), row.says) {
					t.Errorf("%v", err)
				}
				for _, p := range site.Probes {
					if p.Verdict == wayfind.VerdictAbsent || p.Verdict == wayfind.VerdictSoft404 || p.Verdict == wayfind.VerdictRefused {
						t.Errorf("%s: %s (%s)", p.URL, p.Verdict, p.Reason)
					}
				}
				if n := len(other.Paths()); n > 0 {
					t.Errorf("another site got %d requests", n)
				}
				n := len(host.Paths())
				time.Sleep(9 * time.Minute)
				if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrBlocked) || len(host.Paths()) != n {
					t.Errorf("asked again after nine minutes: %v, %d requests", err, len(host.Paths())-n)
				}
			})
		})
	}
}

// A loop without a cookie is a fault of the server. It stays one.
func TestALoopWithoutACookieIsNoWall(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", leads(itself))
		site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
		if p := only(t, site); !errors.Is(err, wayfind.ErrRefused) || p.Reason != string(wayfind.CodeRedirectLoop) {
			t.Errorf("%v, %s", err, p.Reason)
		}
	})
}

// A 402 that names a price has another reason than a plain 402.
func TestAPriceIsToldApart(t *testing.T) {
	for _, row := range []struct {
		name string
		page clienttest.Page
		code wayfind.Code
		says string
	}{
		{"plain", clienttest.Page{Status: 402}, wayfind.CodePayment, "the site answers 402"},
		{"pay per crawl", clienttest.Page{Status: 402, Header: http.Header{"Crawler-Price": {"USD 0.01"}}}, wayfind.CodePrice, `the site answers 402 and names its price, "USD 0.01"`},
		{"a price without an end", clienttest.Page{Status: 402, Header: http.Header{"Crawler-Price": {strings.Repeat("9", 999)}}}, wayfind.CodePrice, `9"`},
		{"x402 in the header", clienttest.Page{Status: 402, Header: http.Header{"Payment-Required": {"e30="}}}, wayfind.CodePrice, "the site answers 402 and names its price"},
		{"a payment challenge", clienttest.Page{Status: 402, Header: http.Header{"Www-Authenticate": {`Payment id="a"`}}}, wayfind.CodePrice, "names its price"},
		{"another challenge", clienttest.Page{Status: 402, Header: http.Header{"Www-Authenticate": {`Basic realm="a"`}}}, wayfind.CodePayment, "the site answers 402"},
		{"x402 in the body", clienttest.Page{Status: 402, Body: `{"x402Version": 1, "accepts": []}`, Header: http.Header{"Content-Type": {"application/json"}}}, wayfind.CodePrice, "names its price"},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", row.page)
				site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
				var e *wayfind.Error
				p := only(t, site)
				if !errors.As(err, &e) || e.Code != row.code || !errors.Is(err, wayfind.ErrBlocked) || !strings.HasSuffix(err.Error(), row.says) || len(err.Error()) > 300 {
					t.Errorf("%v", err)
				}
				if p.Verdict != wayfind.VerdictProtected || p.Reason != string(row.code) {
					t.Errorf("%s (%s)", p.Verdict, p.Reason)
				}
			})
		})
	}
}

// A replayed recording of a wall has the same verdict, whichever header field names the wall. The recording
// contains no token of the wall.
func TestARecordingKeepsTheWall(t *testing.T) {
	for name, page := range map[string]http.Handler{
		"SiteGround": clienttest.Page{Status: 202, Header: http.Header{"Sg-Captcha": {"challenge"}}},
		"Kasada":     clienttest.Page{Status: 429, Header: http.Header{"X-Kpsdk-Ct": {"t0ken"}}},
		"Sucuri":     leads(itself, "Set-Cookie", "t0ken=1", "Server", "Sucuri/Cloudproxy"),
		`"USD 1"`:    clienttest.Page{Status: 402, Header: http.Header{"Crawler-Price": {"USD 1"}}},
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", page)
			var rec client.Recording
			_, first := newClient(t, internet, func(o *client.Options) { o.Lab.Record = rec.Add }).Resolve(t.Context(), "shop.example")
			files := fstest.MapFS{}
			for path, content := range rec.Files() {
				files[path] = &fstest.MapFile{Data: content}
				if strings.Contains(string(content), "t0ken") {
					t.Errorf("%s has a token:\n%s", path, content)
				}
			}
			_, err := newClient(t, clienttest.Replay(t, files)).Resolve(t.Context(), "shop.example")
			if first == nil || err == nil || !strings.Contains(err.Error(), name) || err.Error() != first.Error() {
				t.Errorf("%v, then %v", first, err)
			}
		})
	}
}

// Each place of a walled site names the wall, and so does the home page, which is asked for its links only.
func TestEachPlaceNamesTheWall(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Page{Status: 202, Header: http.Header{"Sg-Captcha": {"challenge"}}})
		site, _ := newClient(t, internet, withFormats(formats.All()...)).Resolve(t.Context(), "shop.example")
		home := false
		for _, p := range site.Probes {
			home = home || p.URL == "https://shop.example/"
			if !strings.HasSuffix(p.Error, "SiteGround challenges programs") {
				t.Errorf("%s: %s, %q", p.URL, p.Verdict, p.Error)
			}
		}
		if !home {
			t.Error("the home page was not asked")
		}
	})
}
