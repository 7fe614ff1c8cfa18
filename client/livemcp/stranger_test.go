package livemcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// The effects that a site may have by naming a server.

// serverCard returns a document that names an endpoint.
func serverCard(endpoint string) string {
	return `{"name":"example.shop/lib","version":"1","description":"d","remotes":[{"type":"streamable-http","url":"` + endpoint + `"}]}`
}

// speaking returns a client with default options that contacts servers.
func speaking(internet *clienttest.Internet, change ...func(*client.Options)) *client.Client {
	live := func(o *client.Options) { o.Live = []client.LiveProber{livemcp.New(nil)} }
	return internet.Client(append(change, live)...)
}

// pinsOf returns pins of the present offers of shop.example.
func pinsOf(t *testing.T, internet *clienttest.Internet, keys ...string) *pins.Set {
	t.Helper()
	c := speaking(internet, func(o *client.Options) { o.Trust.Pins = &pins.Set{} })
	defer c.Close()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	held, err := (&pins.Set{}).With(site, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// While a document cannot be read, a tool of the same name on a server does not replace the
// tool in the document.
func TestAToolOfAServerReplacesNoToolOfADocument(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp.json": `{"name":"shop","endpoint":"https://shop.example/mcp","transport":"streamable-http",
			"tools":[{"name":"find","description":"x","inputSchema":{"type":"object"}}]}`})
		held := pinsOf(t, internet, "mcp:mcp/find")
		host.Handle("/.well-known/mcp.json", clienttest.Page{Status: 503}).
			Handle("/.well-known/mcp/server-card.json", clienttest.Page{Body: serverCard(endpoint)}).
			Handle("/mcp", legacy(says(`{"tools": [{"name": "find", "description": "another one", "inputSchema": {"type": "object"}}]}`)))
		c := speaking(internet, func(o *client.Options) { o.Trust.Pins = held })
		site, _ := c.Resolve(t.Context(), "shop.example") // may be refused at once
		d, err := c.Describe(t.Context(), site, "mcp:mcp/find")
		if err == nil {
			t.Errorf("given as pinned: %q", d.Capability.Description)
		}
	})
}

// A tool of a server elsewhere can be pinned. A Resolve, which does not contact that server,
// does not remove it, and another tool of the same name is refused.
func TestALearnedToolCanBePinned(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": serverCard("https://other.example/mcp")})
		other := internet.Host("other.example", nil).Handle("/mcp", legacy(says(oneTool)))
		yes := func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		}
		c := speaking(internet, yes, func(o *client.Options) { o.Trust.Pins = &pins.Set{} })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		id := site.Services[0].ID
		d, err := c.Describe(t.Context(), site, id)
		if err != nil {
			t.Fatal(err)
		}
		learned := d.Service.Capabilities[len(d.Service.Capabilities)-1]
		held, err := (&pins.Set{}).With(site.With(d), learned.Key)
		if err != nil {
			t.Fatal(err)
		}
		pinned := speaking(internet, yes, func(o *client.Options) { o.Trust.Pins = held })
		describe := func() error {
			site, err := pinned.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatalf("what Resolve does not ask for is gone: %v", err)
			}
			_, err = pinned.Describe(t.Context(), site, id)
			return err
		}
		if err := describe(); err != nil {
			t.Errorf("the same: %v", err)
		}
		other.Handle("/mcp", legacy(says(strings.Replace(oneTool, learned.ID, learned.ID+`", "description": "another one`, 1))))
		if err := describe(); !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("another one: %v", err)
		}
	})
}

// A single 401 of a server is not a change of its offers.
func TestASingleUnauthorizedIsNoChange(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{
			"/.well-known/mcp/server-card.json": serverCard(endpoint),
			"/agent.json":                       `{"awp_version":"0.1","domain":"shop.example","intent":"i","actions":[]}`,
		}).Handle("/mcp", served(server(), nil))
		held := pinsOf(t, internet)
		for _, status := range []int{500, 401} { // 500 is right already
			host.Handle("/mcp", failing(status))
			_, err := speaking(internet, func(o *client.Options) { o.Trust.Pins = held }).Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Errorf("%d: %v", status, err)
			}
		}
	})
}

// JSON-RPC 2.0 §5: the id of an answer is the id of the request. RFC 8259 §4: names are
// unique. Anything else is not an answer.
func TestAnswersAreMatchedStrictly(t *testing.T) {
	for name, format := range map[string]string{
		"right":       `{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `}`,
		"fraction":    `{"jsonrpc": "2.0", "id": %s.5, "result": ` + oneTool + `}`,
		"two ids":     `{"jsonrpc": "2.0", "id": 99, "id": %s, "result": ` + oneTool + `}`,
		"two results": `{"jsonrpc": "2.0", "id": %s, "result": {"tools": []}, "result": ` + oneTool + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", nil).Handle("/mcp", listing(func(w http.ResponseWriter, m message) {
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprintf(w, format, m.ID)
				}))
				a, err := probe(t.Context(), t, internet, "", nil)
				switch {
				case name == "right" && err != nil:
					t.Error(err)
				case name != "right" && err == nil:
					t.Errorf("taken for an answer: %v", operations(a.Reading))
				}
			})
		})
	}
}

// listing returns a server whose list of tools comes from a function.
func listing(tools func(w http.ResponseWriter, m message)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := read(r)
		switch {
		case m.Method == "tools/list":
			tools(w, m)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, hello)
		default:
			w.WriteHeader(http.StatusBadRequest)
		}
	})
}

// failing returns a handler that answers every request with a status.
func failing(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// A session ID is visible ASCII (MCP 2025-06-18, transports). An ID that is longer than 256
// characters is not sent back either.
func TestASessionIDIsVisibleASCII(t *testing.T) {
	for name, id := range map[string]string{"long": strings.Repeat("a", 60<<10), "not ASCII": "a\x80\xff"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				server := legacy(says(oneTool))
				host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header()["Mcp-Session-Id"] = []string{id}
					server.ServeHTTP(w, r)
				}))
				_, _ = probe(t.Context(), t, internet, "", nil) // may be refused
				for _, r := range host.Requests() {
					if r.Header.Get("Mcp-Session-Id") == id {
						t.Fatalf("%s %s carries it", r.Method, r.Path)
					}
				}
			})
		})
	}
}

// Without approval, only endpoints at the origin itself are contacted: the hosts of one site
// may belong to many tenants.
func TestSiblingsNeedApproval(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("tenant.example.com", clienttest.Pages{"/.well-known/mcp/server-card.json": serverCard("https://admin.example.com/delete?id=1")})
		sibling := internet.Host("admin.example.com", nil)
		var asked []security.ApprovalRequest
		c := speaking(internet, func(o *client.Options) {
			o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
				asked = append(asked, r)
				return errors.New("no")
			}
		})
		site, err := c.Resolve(t.Context(), "tenant.example.com")
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]*client.Client{"asked": c, "with no one to ask": speaking(internet)} {
			if _, err := c.Describe(t.Context(), site, site.Services[0].ID); !errors.Is(err, wayfind.ErrRefused) {
				t.Errorf("%s: described: %v", name, err)
			}
		}
		if len(asked) != 1 || asked[0].Purpose != "live" || asked[0].Domain != "example.com" || asked[0].Protocol != "mcp" || !slices.Contains(asked[0].Methods, "POST") ||
			asked[0].Document != "https://tenant.example.com/.well-known/mcp/server-card.json" {
			t.Errorf("asked %+v", asked)
		}
		for _, r := range sibling.Requests() {
			t.Errorf("%s %s", r.Method, r.Path)
		}
	})
}

// The request for approval of a server on another site states that the server will be
// contacted, which is more than fetching a document.
func TestTheApprovalOfAServerStatesItsPurpose(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": serverCard("https://other.example/mcp")})
		internet.Host("other.example", nil).Handle("/mcp", legacy(says(oneTool)))
		var purposes []string
		c := speaking(internet, func(o *client.Options) {
			o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
				purposes = append(purposes, r.Purpose)
				return nil
			}
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(t.Context(), site, site.Services[0].ID); err != nil {
			t.Fatal(err)
		}
		if len(purposes) == 0 || !strings.HasPrefix(purposes[0], "live") {
			t.Errorf("purposes %q, want live", purposes)
		}
	})
}

// RFC 6585 §4: 429 means "not now", and does not mean that the server is broken.
func TestAThrottledServerIsNotBroken(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).Handle("/mcp", failing(http.StatusTooManyRequests))
		if _, err := probe(t.Context(), t, internet, "", nil); !errors.Is(err, wayfind.ErrThrottled) {
			t.Error(err)
		}
	})
}

// A tool that a document claims and a server elsewhere completed can be pinned in its
// completed form. A Resolve does not remove it, and the service that Describe returns is
// compared with it.
func TestACompletedToolCanBePinned(t *testing.T) {
	const claims = `{"name":"shop","endpoint":"https://other.example/mcp","transport":"streamable-http","tools":[{"name":"find","description":"as the site has it"}]}`
	tools := func(description string) http.Handler {
		return legacy(says(`{"tools": [{"name": "find", "description": "` + description + `", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}]}`))
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp.json": claims})
		other := internet.Host("other.example", nil).Handle("/mcp", tools("as the server has it"))
		yes := func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		}
		c := speaking(internet, yes, func(o *client.Options) { o.Trust.Pins = &pins.Set{} })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		id, key := site.Services[0].ID, site.Services[0].Capabilities[0].Key
		d, err := c.Describe(t.Context(), site, id)
		if err != nil || d.Service.Capabilities[0].Key != key || d.Service.Capabilities[0].Description != "as the server has it" {
			t.Fatalf("%v, %+v", err, d.Service.Capabilities)
		}
		held := func(site *wayfind.Site, keys ...string) *pins.Set {
			set, err := (&pins.Set{}).With(site, keys...)
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		check := func(name string, pinned *pins.Set, refused bool) {
			t.Helper()
			c := speaking(internet, yes, func(o *client.Options) { o.Trust.Pins = pinned })
			defer c.Close()
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Errorf("%s: what Resolve does not ask for is taken for changed: %v", name, err)
			}
			if _, err := c.Describe(t.Context(), site, id); errors.Is(err, wayfind.ErrRefused) != refused {
				t.Errorf("%s: %v", name, err)
			}
		}
		check("claimed", held(site, key), false)
		check("completed", held(site.With(d), key), false)
		check("completed, the whole", held(site.With(d)), false)
		other.Handle("/mcp", tools("another one"))
		check("claimed, then another one", held(site, key), false) // the pin is of the definition in the Site
		check("another one", held(site.With(d), key), true)
		check("another one, pinned as a whole", held(site.With(d)), true)
		other.Handle("/mcp", tools("as the server has it"))
		host.Handle("/.well-known/mcp.json", clienttest.Page{Body: strings.Replace(claims, "as the site has it", "not as the site had it", 1)})
		// The Site has the claim of the document, which differs from the pin of the completed
		// tool.
		for name, want := range map[string]struct {
			pinned  *pins.Set
			resolve bool
		}{"claimed": {held(site, key), true}, "completed": {held(site.With(d), key), false}} {
			c := speaking(internet, func(o *client.Options) { o.Trust.Pins = want.pinned })
			site, err := c.Resolve(t.Context(), "shop.example")
			if errors.Is(err, wayfind.ErrRefused) != want.resolve {
				t.Errorf("%s, then another claim: %v", name, err)
			}
			unknown := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "pin.unknown" })
			if _, err := c.Describe(t.Context(), site, key); !errors.Is(err, wayfind.ErrRefused) || unknown == want.resolve {
				t.Errorf("%s, described: %v, told that it is not known: %t", name, err, unknown)
			}
		}
	})
}
