package livemcp_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// card returns a document that names an endpoint and claims two tools, one of which the server
// has.
func card(endpoint string) string {
	return `{"serverInfo": {"name": "Shop", "version": "1"}, "protocolVersion": "2025-06-18",
		"transport": {"type": "streamable-http", "endpoint": "` + endpoint + `"}, "capabilities": {"tools": {}},
		"tools": [{"name": "find", "description": "Claimed.", "inputSchema": {"type": "object"}},
			{"name": "gone", "description": "Claimed.", "inputSchema": {"type": "object"}}]}`
}

// live returns a client that reads documents about servers and asks servers.
func live(internet *clienttest.Internet, change ...func(*client.Options)) *client.Client {
	return internet.Client(append([]func(*client.Options){func(o *client.Options) {
		o.Formats, o.Robots.Mode = []*parse.Format{mcp.Format()}, client.RobotsIgnore
		o.Live = []client.LiveProber{livemcp.New(nil)}
	}}, change...)...)
}

// Resolve asks a server at the origin that a document names, once for as long as its answer is
// valid. The answer has precedence over the claims of the document.
func TestResolve(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		handler := served(server(), &sdk.StreamableHTTPOptions{Stateless: true})
		host := internet.Host("shop.com", clienttest.Pages{mcp.PathCard: card("https://shop.com/mcp")}).Handle("/mcp", handler)
		messages := func() (n int) {
			for _, r := range host.Requests() {
				if r.Path == "/mcp" {
					n++
				}
			}
			return n
		}
		c := live(internet)
		site, err := c.Resolve(t.Context(), "shop.com")
		if err != nil {
			t.Fatal(err)
		}
		claims := map[string]bool{}
		for _, capability := range site.Capabilities() {
			claims[capability.ID] = capability.Claimed
		}
		want := map[string]bool{"delete": false, "find": false, "list": false, "shop://terms": false, "shop://orders/{id}": false, "greet": false, "gone": true}
		if d := cmp.Diff(want, claims); d != "" {
			t.Errorf("what is claimed (-want +got):\n%s", d)
		}
		var find *wayfind.Capability
		for _, capability := range site.Capabilities() {
			if capability.ID == "find" {
				find = capability
			}
		}
		if find.Description != "Tool to find" || len(find.Alternatives) != 1 || find.Alternatives[0].Description != "Claimed." || find.Effects.ReadOnly == nil {
			t.Errorf("find %+v", find)
		}
		source := site.Source("https://shop.com/mcp")
		if source == nil || source.Authority != wayfind.AuthorityLive || source.Trust != wayfind.TrustSameOrigin {
			t.Errorf("source %+v", source)
		}
		before := messages()
		if _, err := c.Resolve(t.Context(), "shop.com"); err != nil || messages() != before {
			t.Errorf("again: %v, asked %v", err, asked(host)[before:])
		}
		time.Sleep(91 * time.Second) // the answers of the server are fresh for 90 seconds
		synctest.Wait()
		if _, err := c.Resolve(t.Context(), "shop.com"); err != nil || messages() != 2*before {
			t.Errorf("later: %v, asked %v", err, asked(host)[before:])
		}
	})
}

// If a server does not answer, no data of documents is lost.
func TestResolveWithoutServer(t *testing.T) {
	for name, handler := range map[string]http.Handler{
		"nothing":   http.NotFoundHandler(),
		"protected": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }),
		"hostile":   legacy(says(`{"tools": [], "nextCursor": "again"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{mcp.PathCard: card(endpoint)}).Handle("/mcp", handler)
				site, err := live(internet).Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, capability := range site.Capabilities() {
					names = append(names, capability.ID)
				}
				if d := cmp.Diff([]string{"find", "gone"}, names); d != "" {
					t.Errorf("capabilities (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A server that demands authentication is reported as such.
func TestResolveProtected(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{mcp.PathCard: card(endpoint)}).
			Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("WWW-Authenticate", `Bearer scope="read"`)
				w.WriteHeader(http.StatusUnauthorized)
			}))
		site, err := live(internet).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == endpoint })
		if i < 0 || site.Probes[i].Verdict != wayfind.VerdictProtected || site.Probes[i].Status != http.StatusUnauthorized {
			t.Errorf("probes %+v", site.Probes)
		}
		wants := 0
		for _, s := range site.Services {
			for _, f := range s.Interfaces {
				if f.Auth != nil && len(f.Auth.Requirements) == 1 && slices.Equal(f.Auth.Requirements[0][0].Scopes, []string{"read"}) {
					wants++
				}
			}
		}
		if wants == 0 {
			t.Errorf("services %+v", site.Services)
		}
	})
}

// Resolve reports a server on another site and does not contact it. Describe contacts it if
// the caller agrees.
func TestDescribeElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{mcp.PathCard: card("https://else.example/mcp")})
		other := internet.Host("else.example", nil).Handle("/mcp", legacy(says(oneTool)))
		var mu sync.Mutex
		var requests []security.ApprovalRequest
		no := errors.New("no")
		answer := no
		c := live(internet, func(o *client.Options) {
			o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
				mu.Lock()
				defer mu.Unlock()
				requests = append(requests, r)
				return answer
			}
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		service := &site.Services[0]
		if f := service.Interfaces[0]; f.Trust != wayfind.TrustNeedsApproval || other.Dials() != 0 || len(requests) != 0 {
			t.Fatalf("interface %+v, %d dials, asked %v", f, other.Dials(), requests)
		}
		if _, err := c.Describe(t.Context(), site, service.ID); !errors.Is(err, no) || !errors.Is(err, wayfind.ErrRefused) || other.Dials() != 0 {
			t.Errorf("not approved: %v, %d dials", err, other.Dials())
		}
		answer = nil
		d, err := c.Describe(t.Context(), site, service.ID)
		if err != nil {
			t.Fatal(err)
		}
		var lived []string
		for _, capability := range d.Service.Capabilities {
			if !capability.Claimed {
				lived = append(lived, capability.ID)
			}
		}
		if diff := cmp.Diff([]string{"find"}, lived); diff != "" || d.Source == nil || d.Source.Authority != wayfind.AuthorityLive {
			t.Errorf("what the server said (-want +got):\n%s\nsource %+v", diff, d.Source)
		}
		if len(requests) != 2 || requests[1].Endpoint != "https://else.example/mcp" || requests[1].DocumentOrigin != "https://shop.example" {
			t.Errorf("asked to approve %+v", requests)
		}
		if other.Dials() != 1 {
			t.Errorf("%d dials", other.Dials())
		}
	})
}

// Hidden text in a server's answers does not reach the Site.
func TestHiddenText(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{mcp.PathCard: card(endpoint)}).
			Handle("/mcp", legacy(says(`{"tools": [{"name": "pay", "description": "Pays.\u200b\udb40\udc41", "inputSchema": {"type": "object", "title": "a\u202eb"}}]}`)))
		site, err := live(internet).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, capability := range site.Capabilities() {
			got = append(got, capability.ID+" "+capability.Description+" "+string(capability.Input))
		}
		if !slices.Contains(got, `pay Pays. {"type": "object", "title": "ab"}`) {
			t.Errorf("%+q", got)
		}
	})
}

// After a server's endpoint is purged, the server is asked again, although the documents of its site
// are still valid.
func TestPurgeOfAnEndpointForgetsTheSiteThatItIsPartOf(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.com", clienttest.Pages{mcp.PathCard: card("https://shop.com/mcp")}).Handle("/mcp", served(server(), &sdk.StreamableHTTPOptions{Stateless: true}))
		paths := func(is func(path string) bool) (n int) {
			for _, r := range host.Requests() {
				if is(r.Path) {
					n++
				}
			}
			return n
		}
		messages := func() int { return paths(func(path string) bool { return path == "/mcp" }) }
		cards := func() int { return paths(func(path string) bool { return path == mcp.PathCard }) }
		c := live(internet)
		for range 2 {
			if _, err := c.Resolve(t.Context(), "shop.com"); err != nil {
				t.Fatal(err)
			}
		}
		asked, read := messages(), cards()
		if err := c.Purge(t.Context(), "https://shop.com/mcp"); err != nil {
			t.Fatal(err)
		}
		if _, known := c.Peek("shop.com"); known {
			t.Error("the Site is known")
		}
		if _, err := c.Resolve(t.Context(), "shop.com"); err != nil || messages() != 2*asked || cards() != read {
			t.Errorf("%v: %d messages, first %d; the card was read %d times, first %d", err, messages(), asked, cards(), read)
		}
	})
}
