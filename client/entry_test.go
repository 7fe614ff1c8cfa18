package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// aServer answers a GET as an MCP server does.
var aServer = clienttest.Page{Status: http.StatusMethodNotAllowed, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Method not allowed."}}`,
	Header: http.Header{"Content-Type": {"application/json"}}}

const (
	openAPI  = `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"paths":{"/orders":{"get":{"operationId":"listOrders","responses":{"200":{"description":"ok"}}}}}}`
	someCard = `{"protocolVersion":"0.3.0","name":"Shop agent","description":"Sells","url":"https://shop.example/a2a","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"find","name":"Find","description":"Finds","tags":["a"]}]}`
	someText = "# Shop\n\n> Sells tea.\n\n## Docs\n\n- [Prices](https://shop.example/prices.md): all prices\n"
)

// typed is a Client of all formats whose prober offers one capability, live.
func typed(t *testing.T, internet *clienttest.Internet, options ...func(*client.Options)) (*client.Client, *talker) {
	t.Helper()
	p := offering(time.Hour, "live")
	all := append([]func(*client.Options){withFormats(formats.All()...), func(o *client.Options) { o.Live = []client.LiveProber{p} }}, options...)
	return newClient(t, internet, all...), p
}

// A document is read at whatever URL it has, and no other place of the domain is asked.
func TestAURLIsADocument(t *testing.T) {
	for name, row := range map[string]struct{ path, body, kind, format string }{
		"an API description":       {"/docs/v1/openapi.json", openAPI, "application/json", "openapi"},
		"a card":                   {"/agents/x/card", someCard, "application/json", "a2a"},
		"a card with a query":      {"/.well-known/agent-card.json?assistant_id=7f3a", someCard, "application/json", "a2a"},
		"a text":                   {"/docs/llms.txt", someText, "text/plain", "llmstxt"},
		"with a slash at the end":  {"/docs/", openAPI, "application/json", "openapi"},
		"at the root":              {"/", openAPI, "application/json", "openapi"},
		"at the root with a query": {"/?format=openapi", openAPI, "application/json", "openapi"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.RequestURI() != row.path {
						http.NotFound(w, r)
						return
					}
					page(row.body, "Content-Type", row.kind).ServeHTTP(w, r)
				}))
				c, talk := typed(t, internet)
				site, err := c.Resolve(t.Context(), "https://shop.example"+row.path)
				if err != nil || len(site.Sources) != 1 || site.Sources[0].Format != row.format || site.Sources[0].URL != "https://shop.example"+row.path {
					t.Fatalf("%v, sources %+v", err, site.Sources)
				}
				if site.Base != row.path || site.Probes[0].URL != "https://shop.example"+row.path {
					t.Errorf("base %q, first probe %+v", site.Base, site.Probes[0])
				}
				if paths := host.Paths(); slices.Contains(paths, wellKnown) || slices.Contains(paths, "/llms.txt") {
					t.Errorf("other places were asked: %q", paths)
				}
				talk.want(t, "of a document", nil)
				asked := len(host.Paths())
				if again, err := c.Resolve(t.Context(), "https://shop.example"+row.path); err != nil || again != site || len(host.Paths()) != asked {
					t.Errorf("the Site of a document is not remembered: %v", err)
				}
				if other, _ := c.Peek("shop.example"); other != nil {
					t.Error("the Site of a document is that of its domain")
				}
			})
		})
	}
}

// A URL is asked in the protocol of a server only after an answer with a sign of one. A webhook in a list
// of strangers, which takes every POST, has none.
func TestSignsOfAServer(t *testing.T) {
	header := func(fields ...string) http.Header {
		h := http.Header{"Content-Type": {"text/plain"}}
		for i := 0; i < len(fields); i += 2 {
			h.Set(fields[i], fields[i+1])
		}
		return h
	}
	for name, row := range map[string]struct {
		page          clienttest.Page
		posted, typed bool // by every Client; by one whose targets a person types
	}{
		"a message of JSON-RPC":        {aServer, true, true},
		"the same with 400":            {clienttest.Page{Status: 400, Body: aServer.Body, Header: aServer.Header}, true, true},
		"a text that asks for a field": {clienttest.Page{Status: 400, Body: "Bad Request: GET requires an Mcp-Session-Id header", Header: header()}, true, true},
		"a field of MCP":               {clienttest.Page{Status: 405, Header: header("Mcp-Session-Id", "1")}, true, true},
		"406 and a message":            {clienttest.Page{Status: 406, Body: aServer.Body, Header: aServer.Header}, true, true},
		"a challenge":                  {clienttest.Page{Status: 401, Header: header("WWW-Authenticate", `Bearer resource_metadata="https://shop.example/.well-known/oauth-protected-resource/hook"`)}, true, true},
		"a stream of events":           {clienttest.Page{Header: header("Content-Type", "text/event-stream"), Body: ": hello\n\n"}, true, true},
		"405 alone":                    {clienttest.Page{Status: 405, Header: header("Allow", "POST")}, false, true},
		"406 alone":                    {clienttest.Page{Status: 406, Header: header()}, false, true},
		"a challenge without":          {clienttest.Page{Status: 401, Header: header("WWW-Authenticate", `Bearer realm="x"`)}, false, false},
		"a page":                       {clienttest.Page{Body: "<!doctype html><title>Hook</title>", Header: header("Content-Type", "text/html")}, false, false},
		"nothing":                      {clienttest.Page{Status: 404, Header: header()}, false, false},
		"a message with 200":           {clienttest.Page{Body: aServer.Body, Header: aServer.Header}, false, false},
		"another message, 400":         {clienttest.Page{Status: 400, Body: `{"jsonrpc":"1.0","error":"x"}`, Header: aServer.Header}, false, false},
		"a word in a page, 400":        {clienttest.Page{Status: 400, Body: "no jsonrpc 2.0 here", Header: header()}, false, false},
		"the fault of the server":      {clienttest.Page{Status: 500, Body: aServer.Body, Header: aServer.Header}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				const url = "https://shop.example/hook"
				internet.Host("shop.example", nil).Handle("/hook", row.page)
				for person, posted := range map[bool]bool{false: row.posted, true: row.typed} {
					c, talk := typed(t, internet, func(o *client.Options) {
						if person {
							o.Targets = client.TargetsTyped
						}
					})
					site, err := c.Resolve(t.Context(), url)
					if found := err == nil && slices.Equal(ids(site), []string{"live"}); found != posted {
						t.Errorf("typed %v: %v, capabilities %v", person, err, ids(site))
					}
					want := map[string]int(nil)
					if posted {
						want = map[string]int{url: 1}
					}
					talk.want(t, name, want)
				}
				c, talk := typed(t, internet, func(o *client.Options) { o.Targets = client.TargetsListed })
				_, _ = c.Resolve(t.Context(), url)
				talk.want(t, "of a list", nil)
				_, err := newClient(t, internet).Resolve(t.Context(), url)
				if e, _ := errors.AsType[*wayfind.Error](err); row.posted != (e.Code == wayfind.CodeServer) {
					t.Errorf("without Live: %v", err)
				}
			})
		})
	}
}

// A URL that takes no GET and that has no other sign is named as a server by its prefix, which the error
// says. Then it is the only place that is asked.
func TestAServerByItsPrefix(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("mcp.example.com", nil).Handle("/mcp", clienttest.Page{Status: 405, Header: http.Header{"Allow": {"POST"}}})
		c, talk := typed(t, internet)
		_, err := c.Resolve(t.Context(), "https://mcp.example.com/mcp")
		if !errors.Is(err, wayfind.ErrNotFound) || !strings.Contains(err.Error(), `"mcp+https://mcp.example.com/mcp"`) {
			t.Errorf("%v", err)
		}
		asked := len(host.Paths())
		for i, named := range []string{"mcp+https://mcp.example.com/mcp", "mcp+https://mcp.example.com", "mcp+https://mcp.example.com/"} {
			site, err := c.Resolve(t.Context(), named)
			if err != nil || len(ids(site)) != 1 || site.Base != []string{"/mcp", "/", "/"}[i] {
				t.Errorf("%s: %v, base %q, %v", named, err, site.Base, ids(site))
			}
		}
		talk.want(t, "by its prefix", map[string]int{"https://mcp.example.com/mcp": 1, "https://mcp.example.com/": 1})
		if len(host.Paths()) != asked {
			t.Errorf("other places were asked: %q", host.Paths()[asked:])
		}
	})
}

// The path "/" is a sign for a person only, and only if the domain offers nothing. It is no other name of
// the domain for the memory of Sites.
func TestTheRootAsAServer(t *testing.T) {
	person := func(o *client.Options) { o.Targets = client.TargetsTyped }
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("mcp.example.com", nil)
		internet.Host("shop.example", clienttest.Pages{"/llms.txt": someText})
		internet.Host("auth.example", nil).Handle("/", clienttest.Page{Status: 401, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="https://auth.example/.well-known/oauth-protected-resource"`}}})
		c, talk := typed(t, internet, person)
		for target, want := range map[string]int{"https://mcp.example.com/": 1, "https://mcp.example.com": 0, "mcp.example.com": 0, "https://shop.example/": 0, "https://auth.example/": 1} {
			if site, _ := c.Resolve(t.Context(), target); len(ids(site)) != want || (site.Base == "/") != (want == 1) {
				t.Errorf("%s: base %q, %v", target, site.Base, ids(site))
			}
		}
		talk.want(t, "a person", map[string]int{"https://mcp.example.com/": 1, "https://auth.example/": 1})
		c, talk = typed(t, internet)
		_, _ = c.Resolve(t.Context(), "https://mcp.example.com/")
		_, _ = c.Resolve(t.Context(), "https://auth.example/")
		talk.want(t, "a program", map[string]int{"https://auth.example/": 1})
		_, err := newClient(t, internet).Resolve(t.Context(), "https://auth.example/")
		if e, _ := errors.AsType[*wayfind.Error](err); e == nil || e.Code != wayfind.CodeServer {
			t.Errorf("without Live: %v", err)
		}
	})
}

// A directory costs one GET more, and its Site is that of the directory in every spelling.
func TestAURLIsADirectory(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/shop/.well-known/agent-card.json": someCard})
		c, _ := typed(t, internet)
		site, err := c.Resolve(t.Context(), "https://shop.example/shop/?view=all")
		if err != nil || site.Base != "/shop" || len(site.Sources) != 1 {
			t.Fatalf("%v, base %q, sources %+v", err, site.Base, site.Sources)
		}
		if p := site.Probes[0]; p.URL != "https://shop.example/shop/?view=all" || p.Verdict != wayfind.VerdictAbsent {
			t.Errorf("the first probe is %+v", p)
		}
		asked := len(host.Paths())
		for _, spelling := range []string{"shop.example/shop", "shop.example/shop/?view=all"} { // the first is another URL
			if again, err := c.Resolve(t.Context(), spelling); err != nil || again.Base != "/shop" {
				t.Errorf("%s: %v, %q", spelling, err, again.Base)
			}
		}
		if more := host.Paths()[asked:]; !slices.Equal(more, []string{"/shop"}) {
			t.Errorf("the directory was asked again: %q", more)
		}
	})
}

// A redirect of the URL is followed as that of a place, and a document elsewhere in the site is found.
func TestAURLThatRedirects(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).Handle("/openapi", http.RedirectHandler("https://docs.shop.example/v2/openapi.json", http.StatusFound))
		internet.Host("docs.shop.example", clienttest.Pages{"/v2/openapi.json": openAPI})
		c, _ := typed(t, internet)
		site, err := c.Resolve(t.Context(), "https://shop.example/openapi")
		if err != nil || len(site.Sources) != 1 || site.Sources[0].FinalURL != "https://docs.shop.example/v2/openapi.json" || site.Host != "" {
			t.Errorf("%v, sources %+v, host %q", err, site.Sources, site.Host)
		}
	})
}

// A secret in the query goes to the URL, and nowhere else.
func TestASecretInTheQuery(t *testing.T) {
	const token = "q7Zr2Lw9Xc4Vb8Nm1Kp5Ty6"
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var queries []string
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			queries = append(queries, r.URL.RawQuery)
			if r.URL.Path != "/api" || !strings.HasPrefix(r.URL.Query().Get("api_key"), token) {
				http.NotFound(w, r)
				return
			}
			page(strings.Replace(openAPI, "Shop", "Shop of "+r.URL.Query().Get("api_key")[len(token):], 1), "Cache-Control", "max-age=3600").ServeHTTP(w, r)
		}))
		var shown []string
		store := newFarStore()
		c, _ := typed(t, internet, func(o *client.Options) {
			o.Store = store
			o.Lab.Record = func(x *client.Exchange) { shown = append(shown, x.URL) }
			o.Observe = func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
				shown = append(shown, e.Target)
				return ctx, func(client.Event) {}
			}
		})
		for _, who := range []string{"a", "b"} {
			site, err := c.Resolve(t.Context(), "https://shop.example/api?v=1&api_key="+token+who)
			if err != nil || site.Services[0].Name != "Shop of "+who {
				t.Fatalf("%v: %+v", err, site.Services)
			}
			shown = append(shown, text(t, site))
		}
		if d := cmp.Diff([]string{"v=1&api_key=" + token + "a", "v=1&api_key=" + token + "b"}, queries); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		shown = append(shown, store.dump())
		for _, s := range shown {
			if strings.Contains(s, token) {
				t.Errorf("the secret is in %.300q", s)
			}
		}
	})
}

// A target of a list is asked as one of Resolve.
func TestURLsOfAList(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/docs/openapi.json": openAPI, "/docs/card.json": someCard})
		c, _ := typed(t, internet)
		list := []string{"https://shop.example/docs/openapi.json", "https://shop.example/docs/card.json", "https://shop.example/"}
		var got []string
		for site, err := range c.ResolveAll(t.Context(), slices.Values(list), nil) {
			got = append(got, site.Base+" "+wayfind.KindWord(err))
			if of := resolve.Of(site); of.URL() != site.Origin+site.Base {
				t.Errorf("the target of %s%s is %+v", site.Origin, site.Base, of)
			}
		}
		slices.Sort(got)
		if d := cmp.Diff([]string{" not_found", "/docs/card.json ", "/docs/openapi.json "}, got); d != "" {
			t.Errorf("results (-want +got):\n%s", d)
		}
	})
}

// The places of OAuth metadata are documents as good as others.
func TestAURLOfMetadata(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const place = "/.well-known/oauth-protected-resource"
		internet.Host("shop.example", clienttest.Pages{place: `{"resource":"https://shop.example","authorization_servers":["https://auth.example"]}`})
		c, _ := typed(t, internet)
		site, err := c.Resolve(t.Context(), "https://shop.example"+place)
		if err != nil || len(site.Sources) == 0 || site.Sources[0].URL != "https://shop.example"+place {
			t.Errorf("%v, sources %+v", err, site.Sources)
		}
	})
}

// The Site of one URL is never that of another, nor that of its domain.
func TestTheSiteOfAURLIsItsOwn(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.RequestURI() {
			case "/x.json", "/uploads/evil.json":
				page(openAPI).ServeHTTP(w, r)
			case "/?page=user7":
				page(`<!doctype html><link rel="service-desc" href="/uploads/evil.json">`, "Content-Type", "text/html").ServeHTTP(w, r)
			default:
				http.NotFound(w, r)
			}
		}))
		c, _ := typed(t, internet)
		for _, row := range []struct{ target, want string }{
			{"https://shop.example/x.json/", "not_found"}, {"https://shop.example/x.json", ""}, {"https://shop.example/?page=user7", ""}, {"shop.example", "not_found"}, {"https://shop.example/x.json?y=1", "not_found"},
		} {
			if _, err := c.Resolve(t.Context(), row.target); wayfind.KindWord(err) != row.want {
				t.Errorf("%s: %v, want %q", row.target, err, row.want)
			}
		}
	})
}

// Only who knows a secret gets the answers to it, whatever is shown, forgotten or redirected.
func TestASecretInTheQueryIsNoName(t *testing.T) {
	testkit.Large(t)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var elsewhere atomic.Int32
		internet.Host("www.shop.example", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.URL.Query().Get("api_key")
			switch {
			case r.URL.Path == "/away":
				http.Redirect(w, r, "https://www.shop.example/api?api_key="+key, http.StatusMovedPermanently)
			case !strings.HasPrefix(key, "hunter"):
				http.NotFound(w, r)
			case r.URL.Path == "/api":
				http.Redirect(w, r, "/api/?api_key="+key+"&v=1", http.StatusMovedPermanently)
			default:
				page(strings.Replace(openAPI, "Shop", "Shop of "+key, 1), "Cache-Control", "max-age=86400").ServeHTTP(w, r)
			}
		}))
		store := newFarStore()
		c, _ := typed(t, internet, shared(store))
		site, err := c.Resolve(t.Context(), "https://shop.example/api?api_key=hunter2")
		if err != nil || site.Services[0].Name != "Shop of hunter2" {
			t.Fatalf("%v: %+v", err, site)
		}
		shown := strings.Replace(text(t, site), "Shop of hunter2", "", -1)
		if strings.Contains(shown+store.dump(), "hunter2") {
			t.Errorf("the secret is shown: %s\n%s", shown, store.dump())
		}
		if again, err := c.Resolve(t.Context(), resolve.Of(site).URL()); err != nil || again.Services[0].Name != "Shop of hunter2" {
			t.Errorf("by the URL of its Site: %v", err)
		}
		for i := range 1100 {
			_, _ = c.Resolve(t.Context(), fmt.Sprintf("https://shop.example/api?api_key=nobody%d", i))
		}
		if site, err = c.Resolve(t.Context(), "https://shop.example/api?api_key=hunter3"); err != nil || site.Services[0].Name != "Shop of hunter3" {
			t.Errorf("another secret: %v, %+v", err, site.Services)
		}
		if site, err = c.Resolve(t.Context(), "https://shop.example/api?api_key=REDACTED"); !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("by the mark: %v, %+v", err, site.Services)
		}
		if _, err = c.Resolve(t.Context(), "https://shop.example/away?api_key=hunter2"); err == nil || elsewhere.Load() > 0 {
			t.Errorf("a redirect to another origin: %v, asked %d times", err, elsewhere.Load())
		}
	})
}
