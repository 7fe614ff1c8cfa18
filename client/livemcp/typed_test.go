package livemcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// named is the endpoint, as a target that the caller knows to be a server.
const named = "mcp+" + endpoint

// typing is the option for targets that a person types.
func typing(o *client.Options) { o.Targets = client.TargetsTyped }

// probeAt returns the Probe in a Site for a URL that was contacted.
func probeAt(site *wayfind.Site, url string) wayfind.Probe {
	for _, p := range site.Probes {
		if p.URL == url {
			return p
		}
	}
	return wayfind.Probe{}
}

// liveNames returns the IDs of the capabilities that come from a server itself.
func liveNames(site *wayfind.Site) (names []string) {
	for _, c := range site.Capabilities() {
		if !c.Claimed && c.Kind == wayfind.KindTool {
			names = append(names, c.ID)
		}
	}
	slices.Sort(names)
	return names
}

// A URL that a person typed is asked by GET first and then as a server, whatever its protocol, with or
// without a card. With a card it is one service.
func TestTyped(t *testing.T) {
	rows := map[string]http.Handler{
		"modern":         served(server(), &sdk.StreamableHTTPOptions{Stateless: true}),
		"modern, JSON":   served(server(), &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
		"legacy":         served(server("2025-06-18"), nil),
		"event stream":   streamed(server("2024-11-05")),
		"modern, script": modern(says(oneTool)),
		"legacy, script": legacy(says(oneTool)),
	}
	for name, handler := range rows {
		for _, withCard := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, card %t", name, withCard), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					pages := clienttest.Pages{}
					if withCard {
						pages["/.well-known/mcp/server-card.json"] = serverCard(endpoint)
					}
					host := internet.Host("shop.example", pages).Handle("/mcp", handler)
					c := speaking(internet, typing)
					site, err := c.Resolve(t.Context(), endpoint)
					if err != nil {
						t.Fatal(err)
					}
					if first := host.Requests()[0]; first.Method != "GET" || first.Path != "/mcp" {
						t.Errorf("asked first: %s %s", first.Method, first.Path)
					}
					if len(site.Services) != 1 || len(site.Services[0].Interfaces) != 1 || site.Services[0].Interfaces[0].URL != endpoint {
						t.Fatalf("services %+v", site.Services)
					}
					if names := liveNames(site); !slices.Contains(names, "find") || probeAt(site, endpoint).Verdict != wayfind.VerdictFound {
						t.Errorf("tools %v, probe %+v", names, probeAt(site, endpoint))
					}
					asked := len(host.Requests())
					d, err := c.Describe(t.Context(), site, liveKey(site))
					if err != nil || d.Capability == nil || len(d.Capability.Input) == 0 {
						t.Errorf("described: %+v, %v", d, err)
					}
					if again, err := c.Resolve(t.Context(), "shop.example/mcp"); err != nil || again != site || len(host.Requests()) != asked {
						t.Errorf("again: %v, %d requests more", err, len(host.Requests())-asked)
					}
				})
			})
		}
	}
}

func liveKey(site *wayfind.Site) string {
	for _, c := range site.Capabilities() {
		if !c.Claimed && c.ID == "find" {
			return c.Key
		}
	}
	return ""
}

// If the options do not allow contact with endpoints, or the URL has no path, no POST is sent.
func TestTypedNotAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n"}).Handle("/mcp", legacy(says(oneTool))).Handle("/", http.NotFoundHandler())
		if _, err := internet.Client().Resolve(t.Context(), endpoint); err != nil {
			t.Fatal(err)
		}
		if _, err := speaking(internet).Resolve(t.Context(), "https://shop.example/"); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(asked(host), "POST") {
			t.Errorf("asked %v", asked(host))
		}
	})
}

// Two URLs of one host are two targets, each with its own server and key.
func TestTypedTwoURLs(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		tool := func(name string) func(message) string {
			return says(`{"tools": [{"name": "` + name + `", "inputSchema": {"type": "object"}}]}`)
		}
		internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": serverCard("https://shop.example/b")}).
			Handle("/a", legacy(tool("of_a"))).Handle("/b", modern(tool("of_b")))
		c := speaking(internet, typing)
		for _, row := range []struct{ url, names string }{
			{"https://shop.example/a", "of_a of_b"}, {"https://shop.example/b", "of_b"},
		} {
			site, err := c.Resolve(t.Context(), row.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(liveNames(site), " "); got != row.names {
				t.Errorf("%s: tools %q, want %q; services %+v", row.url, got, row.names, site.Services)
			}
		}
	})
}

// Redirects within the origin are followed. The answer there matches a card for either URL. No
// request goes elsewhere.
func TestTypedRedirects(t *testing.T) {
	rows := []struct {
		status   int
		to, card string
		found    bool
		code     wayfind.Code
	}{
		{307, "/v2/mcp", "", true, ""},
		{308, "/mcp/", "", true, ""},
		{301, "https://shop.example/v2/mcp", "", true, ""},
		{302, "/v2/mcp", "https://shop.example/mcp", true, ""},
		{307, "/v2/mcp", "https://shop.example/v2/mcp", true, ""},
		{303, "/v2/mcp", "", false, wayfind.CodeRedirectLocation},
		{307, "/mcp", "", false, wayfind.CodeRedirectLocation},
		{307, "/hop", "", false, wayfind.CodeRedirectLocation},
		{307, "https://other.example/mcp", "", false, wayfind.CodeRedirectCrossSite},
		{307, "http://shop.example/mcp", "", false, wayfind.CodeRedirectCrossSite},
		{307, "https://mcp.shop.example/mcp", "", false, wayfind.CodeRedirectCrossSite},
		{307, "", "", false, wayfind.CodeRedirectLocation},
	}
	for _, r := range rows {
		t.Run(fmt.Sprint(r.status, r.to, r.card), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				to := func(where string) http.HandlerFunc {
					return func(w http.ResponseWriter, _ *http.Request) {
						if where != "" {
							w.Header().Set("Location", where)
						}
						w.WriteHeader(r.status)
					}
				}
				pages := clienttest.Pages{}
				if r.card != "" {
					pages["/.well-known/mcp/server-card.json"] = serverCard(r.card)
				}
				internet.Host("shop.example", pages).Handle("/mcp", to(r.to)).Handle("/hop", to("/mcp")).
					Handle("/v2/mcp", legacy(says(oneTool))).Handle("/mcp/", legacy(says(oneTool)))
				other := internet.Host("other.example", nil).Handle("/mcp", legacy(says(oneTool)))
				sibling := internet.Host("mcp.shop.example", nil).Handle("/mcp", legacy(says(oneTool)))
				site, err := speaking(internet).Resolve(t.Context(), named)
				if r.found {
					if err != nil {
						t.Fatal(err)
					}
					if len(site.Services) != 1 || !slices.Equal(liveNames(site), []string{"find"}) {
						t.Errorf("services %+v", site.Services)
					}
					p := probeAt(site, endpoint)
					if len(p.Redirects) != 1 || p.Redirects[0] != site.Services[0].Interfaces[0].URL {
						t.Errorf("redirects %v, interfaces %+v", p.Redirects, site.Services[0].Interfaces)
					}
					return
				}
				if e, _ := errors.AsType[*wayfind.Error](err); e == nil || len(site.Services) != 0 {
					t.Errorf("found %+v, %v", site.Services, err)
				}
				p := probeAt(site, endpoint)
				if p.Verdict == wayfind.VerdictFound || !strings.Contains(p.Error+p.Reason, string(r.code)) {
					t.Errorf("probe %+v, want code %s", p, r.code)
				}
				if len(other.Requests())+len(sibling.Requests()) != 0 {
					t.Error("a server elsewhere was asked")
				}
			})
		})
	}
}

// The status of a refusal is reported. It is the error if nothing else is found.
func TestTypedRefusals(t *testing.T) {
	rows := map[int]struct {
		verdict wayfind.Verdict
		kind    error
	}{
		401: {wayfind.VerdictProtected, wayfind.ErrBlocked}, 403: {wayfind.VerdictProtected, wayfind.ErrBlocked},
		404: {wayfind.VerdictAbsent, wayfind.ErrNotFound}, 405: {wayfind.VerdictEndpointLike, wayfind.ErrNotFound},
		429: {wayfind.VerdictThrottled, wayfind.ErrThrottled}, 500: {wayfind.VerdictUnreachable, wayfind.ErrUnreachable},
	}
	for status, want := range rows {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", nil).Handle("/mcp", failing(status))
				site, err := speaking(internet).Resolve(t.Context(), named)
				if !errors.Is(err, want.kind) {
					t.Errorf("error %v, want kind %v", err, want.kind)
				}
				if p := probeAt(site, endpoint); p.Verdict != want.verdict || p.Status != status {
					t.Errorf("probe %+v", p)
				}
			})
		})
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).
			Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte("<!doctype html><title>Shop</title>"))
			}))
		site, err := speaking(internet).Resolve(t.Context(), named)
		if p := probeAt(site, endpoint); err == nil || p.Verdict == wayfind.VerdictFound || !strings.Contains(p.Error+p.Reason, string(wayfind.CodeHTML)) {
			t.Errorf("a page: %v, %+v", err, p)
		}
	})
}

// Offline a server is not asked, which is not the same as "no server".
func TestTypedOffline(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Handle("/mcp", legacy(says(oneTool)))
		c := speaking(internet, func(o *client.Options) { o.Offline = true })
		site, err := c.Resolve(t.Context(), named)
		p := probeAt(site, endpoint)
		if err == nil || errors.Is(err, wayfind.ErrNotFound) || p.Verdict != wayfind.VerdictSkipped || len(host.Requests()) != 0 {
			t.Errorf("%v, %+v, %d requests", err, p, len(host.Requests()))
		}
	})
}

// With FirstMatch the named server is the first match.
func TestTypedFirstMatch(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Handle("/mcp", legacy(says(oneTool)))
		c := speaking(internet, func(o *client.Options) { o.Mode = client.FirstMatch })
		if _, err := c.Resolve(t.Context(), named); err != nil {
			t.Fatal(err)
		}
		for _, r := range host.Requests() {
			if r.Path != "/mcp" && r.Path != "/robots.txt" {
				t.Errorf("%s was asked too", r.Path)
			}
		}
	})
}

// A URL that a document named first, and that was not contacted then, is contacted when the
// user names it.
func TestTypedAfterNamed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": serverCard(endpoint)}).
			Handle("/mcp", http.RedirectHandler("/v2/mcp", http.StatusTemporaryRedirect)).Handle("/v2/mcp", legacy(says(oneTool)))
		c := speaking(internet, typing)
		if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(liveNames(site)) != 0 {
			t.Fatalf("named: %v, %v", err, liveNames(site))
		}
		site, err := c.Resolve(t.Context(), endpoint)
		if err != nil || !slices.Equal(liveNames(site), []string{"find"}) {
			t.Errorf("typed: %v, %v, %+v", err, liveNames(site), probeAt(site, endpoint))
		}
	})
}
