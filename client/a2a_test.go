package client_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
)

// skillKeys are the keys of all skills, in the order of the Site.
func skillKeys(site *wayfind.Site) (keys []string) {
	for _, c := range site.Capabilities() {
		keys = append(keys, c.Key)
	}
	return keys
}

// Cards are found at all places that versions of the protocol and hosts use.
func TestA2APlaces(t *testing.T) {
	card := agentCard("shop.example", "find")
	rows := []struct {
		name, target string
		at           []string
		keys         []string
		asked        []string
	}{
		{"since 0.3", "shop.example", []string{a2a.Path}, []string{"a2a:agent-card/find"}, []string{a2a.Path, a2a.PathOld}},
		{"before 0.3", "shop.example", []string{a2a.PathOld}, []string{"a2a:agent/find"},
			[]string{a2a.Path, a2a.PathOld, a2a.PathBare, a2a.PathREST}},
		{"without extension", "shop.example", []string{a2a.PathBare}, []string{"a2a:agent-card/find"},
			[]string{a2a.Path, a2a.PathOld, a2a.PathBare, a2a.PathREST}},
		{"below a path", "shop.example/shop", []string{"/shop" + a2a.Path}, []string{"a2a:shop-well-known-agent-card/find"},
			[]string{a2a.Path, a2a.PathOld, "/shop", "/shop" + a2a.Path, a2a.PathBare, a2a.PathREST}},
		{"of a REST server below a path", "shop.example/shop", []string{a2a.Path, "/shop" + a2a.PathREST}, []string{"a2a:agent-card/find"},
			[]string{a2a.Path, a2a.PathOld, "/shop", "/shop" + a2a.Path, "/shop" + a2a.PathREST}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				pages := clienttest.Pages{}
				for _, path := range r.at {
					pages[path] = card
				}
				host := internet.Host("shop.example", pages)
				site, err := newClient(t, internet, readA2A).Resolve(t.Context(), r.target)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(r.keys, skillKeys(site)); d != "" {
					t.Errorf("keys (-want +got):\n%s", d)
				}
				if d := cmp.Diff(slices.Sorted(slices.Values(r.asked)), slices.Sorted(slices.Values(host.Paths()))); d != "" {
					t.Errorf("asked for (-want +got):\n%s", d)
				}
				if len(r.at) > 1 && !slices.Equal(site.Sources[0].AlsoAt, []string{"https://shop.example" + r.at[1]}) {
					t.Errorf("sources %+v", site.Sources)
				}
			})
		})
	}
}

// A host may have several agents: each card is a source with keys of its own.
func TestA2ASeveralCards(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		other := strings.ReplaceAll(agentCard("shop.example", "find"), "/a2a", "/shop/a2a")
		internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), "/shop" + a2a.Path: other})
		site, err := newClient(t, internet, readA2A).Resolve(t.Context(), "shop.example/shop")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"a2a:agent-card/find", "a2a:shop-well-known-agent-card/find"}, skillKeys(site)); d != "" || len(site.Sources) != 2 {
			t.Errorf("keys (-want +got):\n%s", d)
		}
	})
}

// The same bytes at the old and the new place are one source.
func TestA2ASameCardTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		card := agentCard("shop.example", "find")
		internet.Host("shop.example", clienttest.Pages{a2a.Path: card, a2a.PathOld: card})
		site, err := newClient(t, internet, readA2A).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if len(site.Sources) != 1 || !slices.Equal(site.Sources[0].AlsoAt, []string{"https://shop.example" + a2a.PathOld}) {
			t.Errorf("sources %+v", site.Sources)
		}
		if d := cmp.Diff([]string{"a2a:agent-card/find"}, skillKeys(site)); d != "" || len(site.Services) != 1 {
			t.Errorf("keys (-want +got):\n%s", d)
		}
	})
}

// A union card has the interfaces of 1.0 first, and the older ones once.
func TestA2AUnionCard(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		union := strings.Replace(agentCard("shop.example", "find"), `"skills"`, `"supportedInterfaces": [
			{"url": "https://shop.example/v1", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
			{"url": "https://else.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], "skills"`, 1)
		internet.Host("shop.example", clienttest.Pages{a2a.Path: union})
		site, err := newClient(t, internet, readA2A).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		type face struct {
			URL, Transport string
			Trust          wayfind.Trust
		}
		var got []face
		for _, f := range site.Services[0].Interfaces {
			got = append(got, face{f.URL, f.Transport, f.Trust})
		}
		want := []face{{"https://shop.example/v1", "http+json", wayfind.TrustSameOrigin},
			{"https://else.example/rpc", "jsonrpc", wayfind.TrustCrossSite}, {"https://shop.example/a2a", "http+json", wayfind.TrustSameOrigin}}
		if d := cmp.Diff(want, got); d != "" || site.Sources[0].Dialect != "union" {
			t.Errorf("interfaces (-want +got):\n%s\n%+v", d, site.Sources[0])
		}
	})
}

// A document at the place of a card that is no card has a verdict of its own.
func TestA2ANoCard(t *testing.T) {
	rows := []struct {
		name    string
		page    clienttest.Page
		verdict wayfind.Verdict
		err     error
		asked   bool // the fallback
	}{
		{"a protected card", clienttest.Page{Status: 401}, wayfind.VerdictProtected, wayfind.ErrBlocked, false},
		{"a forbidden card", clienttest.Page{Status: 403}, wayfind.VerdictProtected, wayfind.ErrBlocked, false},
		{"a document that says no", page(`{"name": "x", "a2a": {"supported": false}}`), wayfind.VerdictAbsent, wayfind.ErrNotFound, true},
		{"a card that leads nowhere", page(`{"name": "x", "description": "", "version": "1", "supportedInterfaces": [], "defaultInputModes": [], "defaultOutputModes": [], "skills": [], "capabilities": {}}`),
			wayfind.VerdictMalformed, wayfind.ErrInvalid, false},
		{"an index of skills", page(`{"skills": [{"name": "x", "digest": "sha256:0"}]}`), wayfind.VerdictOtherFormat, wayfind.ErrNotFound, false},
		{"no card", clienttest.Page{Status: 404}, wayfind.VerdictAbsent, wayfind.ErrNotFound, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{}).Handle(a2a.Path, r.page)
				site, err := newClient(t, internet, readA2A).Resolve(t.Context(), "shop.example")
				if !errors.Is(err, r.err) || probed(site)[a2a.Path] != r.verdict {
					t.Errorf("%v, verdicts %v", err, probed(site))
				}
				if got := slices.Contains(host.Paths(), a2a.PathBare); got != r.asked {
					t.Errorf("asked for %v", host.Paths())
				}
			})
		})
	}
}

// Two formats claim /.well-known/agent.json: the content of the document decides.
func TestA2AAndAWPShareAPlace(t *testing.T) {
	manifest := `{"awp_version": "0.2", "domain": "shop.example", "intent": "Sells things", "actions": [
		{"id": "find", "description": "Find things", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/find", "method": "GET"}]}`
	rows := []struct {
		name, body string
		want       []string
	}{
		{"a card", agentCard("shop.example", "find"), []string{"a2a:agent/find"}},
		{"an AWP document", manifest, []string{"awp:find"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{a2a.PathOld: r.body})
				c := newClient(t, internet, withFormats(awp.Format(), a2a.Format()))
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(r.want, skillKeys(site)); d != "" || len(site.Sources) != 1 {
					t.Errorf("keys (-want +got):\n%s", d)
				}
				if n := asked(host)[a2a.PathOld]; n != 1 {
					t.Errorf("asked %d times", n)
				}
			})
		})
	}
	t.Run("both", func(t *testing.T) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), a2a.PathOld: manifest})
			site, err := newClient(t, internet, withFormats(awp.Format(), a2a.Format())).Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{"awp:find", "a2a:agent-card/find"}, skillKeys(site)); d != "" {
				t.Errorf("keys (-want +got):\n%s", d)
			}
		})
	})
}

// A card whose only interface is JSON-RPC has no document to fetch: Describe returns the definition
// of the Site.
func TestA2AExtendedCardWithoutGET(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: strings.Replace(agentCard("shop.example", "find"), "HTTP+JSON", "JSONRPC", 1)})
		c := newClient(t, internet, withToken("alice", "t"))
		site := resolvedBy(t, internet, c)
		before := len(host.Paths())
		d, err := c.Describe(t.Context(), site, "a2a:agent-card")
		if err != nil || d.Service.Lazy || d.Service.Extensions["extendedCard"] == nil || len(host.Paths()) != before {
			t.Errorf("%v, %+v", err, d.Service)
		}
	})
}

// An extended card that violates a MUST is read, unless the caller is strict. A document of another
// format is not read as a card.
func TestA2AExtendedCardThatIsWrong(t *testing.T) {
	broken := strings.Replace(agentCard("shop.example", "more"), `"version": "1",`, "", 1)
	rows := []struct {
		name, body string
		strict     bool
		code       wayfind.Code
	}{
		{"broken", broken, false, ""},
		{"broken, strict", broken, true, wayfind.CodeStrict},
		{"of another format", manifest("shop.example", "/d/a"), false, wayfind.CodeSchema},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), extendedCard: r.body})
				c := newClient(t, internet, withFormats(adp.Format(), a2a.Format()), func(o *client.Options) { o.Strict = r.strict })
				d, err := c.Describe(t.Context(), resolvedBy(t, internet, c), "a2a:agent-card")
				if e, _ := errors.AsType[*wayfind.Error](err); (err == nil) != (r.code == "") || e != nil && e.Code != r.code {
					t.Errorf("%v, want %q", err, r.code)
				}
				want := []string{"a2a:agent-card/find"}
				if r.code == "" {
					want = []string{"a2a:agent-card/more"}
				}
				if diff := cmp.Diff(want, skillsOf(d.Service)); diff != "" || d.Service.Lazy != (r.code != "") {
					t.Errorf("skills (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The next place of the extended card is asked after a plain "no" only.
func TestA2AExtendedCardAlternatives(t *testing.T) {
	card := strings.Replace(agentCard("shop.example", "find"), "https://shop.example/a2a", "https://shop.example/a2a/v1", 1)
	for _, r := range []struct {
		name  string
		first http.Handler
		want  error
		asked int
	}{
		{"absent", clienttest.Page{Status: 404}, nil, 1},
		{"protected", clienttest.Page{Status: 401}, wayfind.ErrBlocked, 0},
		{"another document", page(`{"x": 1}`), wayfind.ErrInvalid, 0},
		{"broken", page(`{"x": `), wayfind.ErrInvalid, 0},
	} {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				const first, second = "/a2a/v1/card", "/a2a/v1/v1/card"
				host := internet.Host("shop.example", clienttest.Pages{a2a.Path: card, second: agentCard("shop.example", "more")}).Handle(first, r.first)
				c := newClient(t, internet, readA2A)
				d, err := c.Describe(t.Context(), resolvedBy(t, internet, c), "a2a:agent-card")
				if !errors.Is(err, r.want) || d.Service.Lazy != (r.want != nil) || asked(host)[second] != r.asked {
					t.Errorf("%v, %+v, asked for %v", err, d.Service, host.Paths())
				}
			})
		})
	}
}

// A Site that went through JSON is as good, in another Client as well.
func TestA2ADescribeAfterRoundTrip(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), extendedCard: agentCard("shop.example", "more")})
		site := roundTrip(t, resolvedBy(t, internet, newClient(t, internet, readA2A)))
		var trace client.Trace
		d, err := newClient(t, internet, readA2A).Describe(client.WithTrace(t.Context(), &trace), site, "a2a:agent-card")
		if err != nil || !slices.Equal(skillsOf(d.Service), []string{"a2a:agent-card/more"}) || len(trace.Fetches) != 1 {
			t.Errorf("%v, %+v, %+v", err, d.Service, trace.Fetches)
		}
	})
}
