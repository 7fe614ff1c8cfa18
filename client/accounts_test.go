package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
)

// These tests show the caller that something is counted for, and the time for which it is
// remembered.

// A redirect of agents.md that may not be followed is remembered for minutes, whatever its header,
// because the document may be at its place again.
func TestRefusedRedirectIsSoonForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		lasting := func(to string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "max-age=86400")
				http.Redirect(w, r, to, http.StatusMovedPermanently)
			})
		}
		away := internet.Host("shop.example", nil).Handle(agentsmd.Path, lasting("https://else.example/agents.md"))
		within := internet.Host("fair.example", clienttest.Pages{"/a.md": agentsDocument}).Handle(agentsmd.Path, lasting("/a.md"))
		c := newClient(t, internet, withFormats(agentsmd.Format()))
		for range 2 {
			if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrNotFound) {
				t.Errorf("to another site: %v", err)
			}
			if _, err := c.Resolve(t.Context(), "fair.example"); err != nil {
				t.Errorf("within the site: %v", err)
			}
			time.Sleep(2 * time.Hour) // past the shortest time between two requests
		}
		asked := func(h *clienttest.Host) (n int) {
			for _, path := range h.Paths() {
				if path == agentsmd.Path {
					n++
				}
			}
			return n
		}
		if n := asked(away); n != 2 {
			t.Errorf("the refused redirect was asked for %d times, want 2", n)
		}
		if n := asked(within); n != 1 {
			t.Errorf("the other one was asked for %d times, want 1", n)
		}
	})
}

// A description that came from another site is not governed by the manifest that
// links to it: the token of one is not for the other.
func TestManifestGovernsItsSiteOnly(t *testing.T) {
	const plugin = `{"schema_version":"v1","name_for_human":"T","name_for_model":"t","description_for_human":"h","description_for_model":"m",
		"auth":{"type":"service_http","authorization_type":"bearer","verification_tokens":{}},"api":{"type":"openapi","url":"https://shop.example/openapi.json"},
		"logo_url":"https://shop.example/l.png","contact_email":"a@shop.example","legal_info_url":"https://shop.example/legal"}`
	for _, away := range []bool{false, true} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": oneOperation("/x")})
			internet.Host("else.example", clienttest.Pages{"/openapi.json": oneOperation("/x")})
			if away {
				host.Handle("/openapi.json", clienttest.Redirect(302, "https://else.example/openapi.json"))
			}
			site, err := newClient(t, internet, withFormats(formats.All()...)).Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			service, c := site.Capability("openapi:openapi/getX")
			if c == nil {
				t.Fatalf("services %+v", site.Services)
			}
			auth := c.Auth
			if auth == nil {
				auth = service.Auth
			}
			governed := auth != nil && slices.ContainsFunc(auth.Requirements, func(r []wayfind.Requirement) bool { return auth.Schemes[r[0].Scheme].Kind == wayfind.SchemeHTTP })
			named := slices.ContainsFunc(service.Sources, func(r wayfind.Ref) bool { return r.Source == "https://shop.example/.well-known/ai-plugin.json" })
			if governed == away || named == away {
				t.Errorf("from another site %t: governed %t, named as a source %t, %+v", away, governed, named, auth)
			}
		})
	}
}

// All keys of one call share its bound of requests to other sites.
func TestAllKeysOfACallShareItsBound(t *testing.T) {
	const keys, most = 5, 3
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var urls []string
		pages := clienttest.Pages{}
		for i := range keys {
			urls = append(urls, fmt.Sprintf("https://else.example/d%d", i))
			pages[fmt.Sprintf("/d%d", i)] = detail(fmt.Sprintf("d%d", i), "/api")
		}
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", urls...)})
		other := internet.Host("else.example", pages)
		c := newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) {
			o.Limits.Foreign = most
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, err := range c.DescribeAll(t.Context(), site) {
			if err == nil {
				read++
			}
		}
		if n := len(other.Requests()); n != most || read != most {
			t.Errorf("%d requests to another site, %d details, want %d", n, read, most)
		}
	})
}

// Where the bound leaves no request for the rules of another site, nothing else of
// it is asked for.
func TestNoRequestIsSentWithoutRules(t *testing.T) {
	for most, want := range map[int]int{1: 0, 2: 1} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", nil).Handle(agentsmd.Path, http.NotFoundHandler()).Handle(wellKnown, clienttest.Redirect(302, "https://victim.com/a"))
			victim := internet.Host("victim.com", clienttest.Pages{"/robots.txt": "User-agent: *\nDisallow: /\n", "/a": manifest("victim.com", "/d")})
			c := newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) { o.Limits.Foreign, o.Robots.Mode = most, client.RobotsEnforce })
			_, _ = c.Resolve(t.Context(), "shop.example") // finds nothing
			if asked := victim.Paths(); len(asked) != want || slices.Contains(asked, "/a") {
				t.Errorf("at most %d requests: asked for %v", most, asked)
			}
		})
	}
}

// A request of a protocol to its own endpoint through Client.HTTP is no request to another site,
// because it belongs to no site.
func TestHTTPIsAboutNoSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/x": "ok", "/robots.txt": "User-agent: *\nDisallow: /y\n"})
		c := newClient(t, internet, func(o *client.Options) { o.Limits.Foreign, o.Robots.Mode = -1, client.RobotsEnforce })
		res, err := c.HTTP("https://shop.example").Get("https://shop.example/x")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	})
}

// lateProber answers when its call ends.
type lateProber struct{}

func (lateProber) Protocol() string { return "mcp" }
func (lateProber) Format() string   { return "mcp" }
func (lateProber) Probe(ctx context.Context, _ *client.LiveRequest) (*client.LiveAnswer, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A Site that was cut short is not fresh, even if every place of the plan was requested.
func TestCutShortIsNotFresh(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp.json": `{"name":"shop","endpoint":"https://shop.example/mcp","transport":"streamable-http","tools":[{"name":"find","description":"x"}]}`})
		c := newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) { o.Live = []client.LiveProber{lateProber{}} })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "shop.example")
		if err != nil || len(site.Services) == 0 {
			t.Fatalf("%v, %+v", err, site.Services)
		}
		for _, p := range site.Probes {
			if p.Reason == "deadline" {
				t.Fatalf("%s was not asked: the test shows nothing", p.URL)
			}
		}
		if !site.FreshUntil.Equal(site.ResolvedAt) {
			t.Errorf("fresh for %v", site.FreshUntil.Sub(site.ResolvedAt))
		}
	})
}
