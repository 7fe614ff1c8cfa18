package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// A credential for the name is not sent to the site's own host. One for that host is.
func TestCredentialsOfTheNameDoNotMove(t *testing.T) {
	for origin, want := range map[string][]string{"https://example.com": nil, "https://www.example.com": {extendedCard}} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.OnlyDiscovery(false) // a credential is sent
			bare := internet.Host("example.com", leading(301, "https://www.example.com"))
			www := internet.Host("www.example.com", clienttest.Pages{a2a.Path: agentCard("www.example.com", "find"), extendedCard: agentCard("www.example.com", "more")})
			c := newClient(t, internet, byDefault, func(o *client.Options) {
				o.Credentials = func(context.Context, security.CredentialRequest) (security.Credential, error) {
					return security.Bearer(origin, "s3cret"), nil
				}
			})
			site := resolved(t, c, "example.com")
			if site.Host != "www.example.com" {
				t.Fatal(site.Host)
			}
			_, err := c.Describe(t.Context(), site, "a2a:agent-card")
			if got := sentTo(www, "Authorization"); !slices.Equal(got, want) || sentTo(bare, "Authorization") != nil || want != nil && err != nil {
				t.Errorf("for %s: sent to %v, %v", origin, got, err)
			}
		})
	}
}

// A stored approval of what the name's document names does not hold for the document of the site's own
// host. One of that document does.
func TestApprovalsOfTheNameDoNotMove(t *testing.T) {
	for origin, holds := range map[string]bool{"https://example.com": false, "https://www.example.com": true} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("example.com", leading(301, "https://www.example.com"))
			names(internet, "www.example.com", stranger)
			names(internet, "other.example.net", stranger)
			var approvals pins.Approvals
			var last security.ApprovalRequest
			p := offering(time.Hour, "find")
			c := newClient(t, internet, live(p), func(o *client.Options) {
				f := o.Formats[0]
				f.Locations = append(f.Locations, parse.Location{Path: "/.well-known/naming"})
				o.Formats = append(o.Formats, toy("second", parse.Location{Path: "/.well-known/second"}))
				o.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
					last = r
					return approvals.For("me")(ctx, r)
				}
			})
			site := resolved(t, c, "example.com")
			if _, err := c.Describe(t.Context(), site, site.Services[0].ID); !errors.Is(err, wayfind.ErrRefused) || last.DocumentOrigin != "https://www.example.com" {
				t.Fatalf("%v, asked for %+v", err, last)
			}
			given := last
			given.DocumentOrigin = origin
			approvals.Grant("me", given, 0)
			if _, err := c.Describe(t.Context(), site, site.Services[0].ID); holds == errors.Is(err, wayfind.ErrRefused) {
				t.Errorf("approved for %s: %v", origin, err)
			}
		})
	}
}

// AllowNames of a name are not about the host to which it leads.
func TestAllowNamesOfTheNameDoNotMove(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		name, www := internet.Host("shop.corp.internal", leading(301, "https://www.shop.corp.internal")), internet.Host("www.shop.corp.internal", clienttest.Pages{})
		name.At(addr("10.1.2.3"))
		www.At(addr("10.1.2.4"))
		c := newClient(t, internet, byDefault, func(o *client.Options) {
			o.Policy.AllowNames, o.Policy.AllowCIDR = []string{"shop.corp.internal"}, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		})
		if site := siteAt(t, c, "shop.corp.internal"); site.Host != "" || requestsOf(name) == 0 || requestsOf(www) != 0 {
			t.Errorf("at %q, %d and %d requests", site.Host, requestsOf(name), requestsOf(www))
		}
	})
}

// A redirect that is learnt on the way through another site makes no host the site, neither of the name
// that leads there nor of that other site.
func TestARedirectLearntElsewhereMakesNoHostTheSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", at(wwwCard, leading(301, "https://example.net"), clienttest.Pages{"/llms.txt": "# Shop\n"}))
		internet.Host("example.net", at(wwwCard, leading(301, "https://www.example.net"), clienttest.Pages{"/llms.txt": "# Other\n"}))
		www := internet.Host("www.example.net", clienttest.Pages{wwwCard: agentCard("www.example.net", "find")})
		c := newClient(t, internet, byDefault)
		for _, name := range []string{"example.com", "example.net"} {
			if site := resolved(t, c, name); site.Host != "" || len(site.Sources) != 2 {
				t.Errorf("%s is at %q with %d documents", name, site.Host, len(site.Sources))
			}
		}
		if paths := www.Paths(); len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool { return p != wwwCard }) {
			t.Errorf("www was asked %v", paths)
		}
	})
}

// If one of the two leads fails, another well-known place that leads decides with the other one. The
// documents at the host are asked once, and there is at most one request more.
func TestOneLeadThatFails(t *testing.T) {
	for _, place := range []string{wwwCard, "/.well-known/mcp.json", "/.well-known/ai"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("example.com", at(place, clienttest.Page{Status: 500}, leading(301, "https://www.example.com")))
			www := internet.Host("www.example.com", clienttest.Pages{wwwCard: agentCard("www.example.com", "find"), "/llms.txt": "# Shop\n"})
			direct := internet.Host("www.other.com", clienttest.Pages{wwwCard: agentCard("www.other.com", "find"), "/llms.txt": "# Shop\n"})
			_, _ = newClient(t, internet, byDefault).Resolve(t.Context(), "www.other.com")
			site := resolved(t, newClient(t, internet, byDefault), "example.com")
			if site.Host != "www.example.com" || asked(www)[wwwCard] != 1 || requestsOf(www) > requestsOf(direct)+1 {
				t.Errorf("%s fails: at %q, the card was asked %d times, %d requests, %d of another", place, site.Host, asked(www)[wwwCard], requestsOf(www), requestsOf(direct))
			}
		})
	}
}

// A refresh asks a lead that leads alone once.
func TestARefreshAsksALeadOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bare := internet.Host("example.com", at(wwwCard, leading(301, "https://www.example.com"), clienttest.Pages{"/llms.txt": "# Shop\n"}))
		www := internet.Host("www.example.com", clienttest.Pages{wwwCard: agentCard("www.example.com", "find")})
		c := newClient(t, internet, byDefault)
		for n := 1; n <= 3; n++ {
			if _, err := c.Refresh(t.Context(), "example.com"); err != nil || asked(bare)[wwwCard] != n || asked(www)[wwwCard] != n {
				t.Errorf("refreshed %d times: %v; the name was asked %d times, www %d times", n, err, asked(bare)[wwwCard], asked(www)[wwwCard])
			}
		}
	})
}

// A Site that is cut short after a late move has no document of the host that was left.
func TestACallThatEndsAfterALateMove(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		slow := clienttest.Delay(4 * time.Second) // longer than the others wait for a lead
		bare := internet.Host("example.com", at("/llms.txt", page("# Old\n"), leading(301, "https://www.example.com"))).
			Fail(wwwCard, slow).Fail("/.well-known/mcp/server-card.json", slow)
		c := newClient(t, internet, byDefault)
		internet.Host("www.example.com", clienttest.Pages{wwwCard: agentCard("www.example.com", "find")}).Fail("/llms.txt", clienttest.AtHeaders(clienttest.Stall))
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "example.com")
		if asked(bare)["/llms.txt"] != 1 {
			t.Fatal("the typed name was not asked before the move")
		}
		if err != nil || site.Host != "www.example.com" || site.Incomplete == nil {
			t.Fatalf("%v, at %q", err, site.Host)
		}
		for _, s := range site.Sources {
			if !strings.HasPrefix(s.URL, "https://www.example.com/") {
				t.Errorf("it has %s", s.URL)
			}
		}
	})
}

// A deadline of the caller and the time-out of the Client have the same result if most places have answered.
// A call that is canceled has its own error.
func TestAKnownAbsenceAtADeadline(t *testing.T) {
	for name, want := range map[string]error{"deadline": wayfind.ErrNotFound, "timeout": wayfind.ErrNotFound, "canceled": context.Canceled} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("example.com", clienttest.Pages{}).Fail("/llms.txt", clienttest.AtHeaders(clienttest.Stall))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := newClient(t, internet, byDefault, func(o *client.Options) {
				if name == "timeout" {
					o.Timeout = 5 * time.Second
				}
			})
			if name == "deadline" {
				ctx, cancel = context.WithTimeout(ctx, 5*time.Second)
				defer cancel()
			}
			if name == "canceled" {
				time.AfterFunc(5*time.Second, cancel)
			}
			site, err := c.Resolve(ctx, "example.com")
			if !errors.Is(err, want) || site.Incomplete == nil {
				t.Errorf("%s: %v, %+v", name, err, site.Incomplete)
			}
		})
	}
}

// A wave ends after all of its requests, also if one of its leads takes long.
func TestAWaveEndsAfterItsRequests(t *testing.T) {
	type within struct{}
	var mu sync.Mutex
	ended := map[*client.Event]bool{}
	observe := func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
		around, _ := ctx.Value(within{}).(*client.Event)
		return context.WithValue(ctx, within{}, &e), func(client.Event) {
			mu.Lock()
			defer mu.Unlock()
			ended[&e] = true
			if around != nil && ended[around] {
				t.Errorf("%s %s ends after the %s around it", e.Kind, e.Target, around.Kind)
			}
		}
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("example.com", http.NotFoundHandler()).Fail(wwwCard, clienttest.Delay(2*time.Second))
		_, _ = newClient(t, internet, byDefault, func(o *client.Options) { o.Observe = observe }).Resolve(t.Context(), "example.com")
		if len(ended) < requestsOf(host) {
			t.Errorf("%d events for %d requests", len(ended), requestsOf(host))
		}
	})
}
