package liverpc_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/liverpc"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/parse"
)

// declared returns a site whose llms.txt leads to a description with an endpoint.
func declared(endpoint string) clienttest.Pages {
	return clienttest.Pages{
		"/llms.txt": "# Ledger\n\n## API\n\n- [Methods](https://ledger.example/openrpc.json)\n",
		"/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Ledger", "version": "1"}, "servers": [{"url": "` + endpoint + `"}],
			"methods": [{"name": "declared", "params": [], "result": {"name": "x", "schema": {}}}]}`,
	}
}

const discovered = `{"jsonrpc": "2.0", "id": 1, "result": {"openrpc": "1.3.2", "info": {"title": "Ledger", "version": "2"},
	"methods": [{"name": "balance", "params": [], "result": {"name": "x", "schema": {}}}]}}`

func options(internet *clienttest.Internet) *client.Options {
	opts := internet.Options()
	opts.Formats, opts.Robots.Mode = []*parse.Format{openrpc.Format(), llmstxt.Format()}, client.RobotsIgnore
	opts.Live = []client.LiveProber{liverpc.New()}
	return opts
}

// resolve resolves a site whose endpoint is at its own origin.
func resolve(t *testing.T, internet *clienttest.Internet, endpoint http.HandlerFunc) *wayfind.Site {
	t.Helper()
	internet.Host("ledger.example", declared("https://ledger.example/rpc")).Handle("/rpc", endpoint)
	c, err := client.New(options(internet))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	site, err := c.Resolve(t.Context(), "ledger.example")
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func probeOf(site *wayfind.Site, u string) wayfind.Probe {
	for _, p := range site.Probes {
		if p.URL == u {
			return p
		}
	}
	return wayfind.Probe{}
}

func TestDiscover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		site := resolve(t, clienttest.New(t), func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = append(asked, r.Method+" "+r.Header.Get("Content-Type")+" "+string(body))
			fmt.Fprint(w, discovered)
		})
		if d := cmp.Diff([]string{"POST application/json " + openrpc.DiscoverRequest}, asked); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		if site.Sources[0].Authority != wayfind.AuthorityLive || site.Sources[0].SHA256 == "" {
			t.Errorf("sources %+v", site.Sources)
		}
		_, live := site.Capability("openrpc:rpc/balance")
		if live == nil || live.Claimed {
			t.Errorf("the live method: %+v", live)
		}
	})
}

func TestRefusals(t *testing.T) {
	rows := []struct {
		name    string
		answer  http.HandlerFunc
		verdict wayfind.Verdict
	}{
		{"unknown method", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}`)
		}, wayfind.VerdictAbsent},
		{"nothing there", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, wayfind.VerdictAbsent},
		{"web page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, wayfind.VerdictMalformed},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, strings.Repeat(" ", 1<<20+1))
		}, wayfind.VerdictTooLarge},
		{"server error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, wayfind.VerdictUnreachable},
		{"redirect", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://else.example/")
			w.WriteHeader(307)
		}, wayfind.VerdictRefused},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := resolve(t, clienttest.New(t), r.answer)
				if p := probeOf(site, "https://ledger.example/rpc"); p.Verdict != r.verdict {
					t.Errorf("verdict %s (%s), want %s", p.Verdict, p.Error, r.verdict)
				}
				if _, declared := site.Capability("openrpc:openrpc/declared"); declared == nil {
					t.Error("what the document declares is gone")
				}
			})
		})
	}
}

// An endpoint that demands authentication describes it in its challenge.
func TestChallenge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := resolve(t, clienttest.New(t), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="ledger", scope="read"`)
			w.WriteHeader(401)
		})
		if p := probeOf(site, "https://ledger.example/rpc"); p.Verdict != wayfind.VerdictProtected {
			t.Errorf("verdict %s", p.Verdict)
		}
		for _, s := range site.Services {
			for _, f := range s.Interfaces {
				if f.Auth == nil || f.Auth.Unknown || len(f.Auth.Schemes) != 1 {
					t.Errorf("interface of %s: auth %+v", s.ID, f.Auth)
				}
			}
		}
	})
}

// An endpoint on another site is not contacted by Resolve.
func TestAnotherSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		internet.Host("ledger.example", declared("https://else.example/rpc"))
		asked := 0
		internet.Host("else.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			fmt.Fprint(w, discovered)
		}))
		opts := options(internet)
		c, err := client.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		site, err := c.Resolve(t.Context(), "ledger.example")
		if err != nil || asked != 0 {
			t.Errorf("%v, asked %d times", err, asked)
		}
		if _, err := c.Describe(t.Context(), site, "openrpc:openrpc"); err == nil || asked != 0 {
			t.Errorf("Describe without approval: %v, asked %d times", err, asked)
		}
	})
}

func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("ledger.example", declared("https://ledger.example/rpc")).
		Handle("/rpc", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, discovered) }))
	c, err := client.New(options(internet))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	site, err := c.Resolve(context.Background(), "ledger.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, capability := range site.Capabilities() {
		fmt.Println(capability.Key, capability.Claimed)
	}
	// Output:
	// openrpc:rpc/balance false
	// openrpc:openrpc/declared true
}
