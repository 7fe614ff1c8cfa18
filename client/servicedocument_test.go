package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/security"
)

const extendedCard = "/a2a/v1/card"

// agentCard is an A2A card of 0.3 with an extended card below the endpoint.
func agentCard(host string, skills ...string) string {
	var list []string
	for _, s := range skills {
		list = append(list, fmt.Sprintf(`{"id": %q, "name": %q, "description": "Does it", "tags": ["t"]}`, s, s))
	}
	return fmt.Sprintf(`{"protocolVersion": "0.3.0", "name": "Agent", "description": "An agent for tests.", "version": "1",
		"url": "https://%s/a2a", "preferredTransport": "HTTP+JSON", "capabilities": {}, "supportsAuthenticatedExtendedCard": true,
		"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
		"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}, "security": [{"key": []}], "skills": [%s]}`, host, strings.Join(list, ", "))
}

// members is a handler that returns to authenticated callers the card of their token.
type members map[string]http.Handler

func (m members) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if m[token] == nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	m[token].ServeHTTP(w, r)
}

// withToken gives requests for a2a documents a bearer token, or none if it is empty.
func withToken(id, token string) func(*client.Options) {
	return func(o *client.Options) {
		readA2A(o)
		o.Credentials = func(_ context.Context, r security.CredentialRequest) (security.Credential, error) {
			if token == "" {
				return security.Credential{}, nil
			}
			c := security.Bearer(r.Origin, token)
			c.ID = id
			return c, nil
		}
	}
}

func readA2A(o *client.Options) { withFormats(a2a.Format())(o) }

// skillsOf are the keys of a service.
func skillsOf(s *wayfind.Service) (keys []string) {
	if s != nil {
		for i := range s.Capabilities {
			keys = append(keys, s.Capabilities[i].Key)
		}
	}
	return keys
}

// sentTo are the paths that a host was asked for with a header field.
func sentTo(host *clienttest.Host, field string) (paths []string) {
	for _, r := range host.Requests() {
		if r.Header.Get(field) != "" {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// resolvedBy is the Site of shop.example.
func resolvedBy(t *testing.T, internet *clienttest.Internet, c *client.Client) *wayfind.Site {
	t.Helper()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	return internet.Watch(site)
}

// An extended card completes the service for the caller that may see it, and for no other caller.
func TestDescribeService(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		internet.OnlyDiscovery(false) // a credential is sent
		const token, hidden = "s3cret-token", "hidden-skill"
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find")})
		host.Handle(extendedCard, members{token: page(agentCard("shop.example", "find", hidden))})
		var log bytes.Buffer
		logged := func(o *client.Options) {
			o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		}
		c := newClient(t, internet, withToken("alice", token), shared(store), logged)
		site := resolvedBy(t, internet, c)
		if s := site.Service("a2a:agent-card"); s == nil || !s.Lazy {
			t.Fatalf("the public service %+v", s)
		}
		d, err := c.Describe(t.Context(), site, "a2a:agent-card")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"a2a:agent-card/find", "a2a:agent-card/" + hidden}, skillsOf(d.Service)); diff != "" {
			t.Errorf("skills (-want +got):\n%s", diff)
		}
		if d.Service.Lazy || d.Service.ID != "a2a:agent-card" || len(d.Service.Sources) != 2 || d.Capability != nil {
			t.Errorf("service %+v", d.Service)
		}
		if d.Source == nil || d.Source.URL != "https://shop.example"+extendedCard || d.Source.Authority != wayfind.AuthorityLinked {
			t.Errorf("source %+v", d.Source)
		}
		if diff := cmp.Diff([]string{extendedCard}, sentTo(host, "Authorization")); diff != "" {
			t.Errorf("the credential was sent to (-want +got):\n%s", diff)
		}
		peeked, _ := c.Peek("shop.example")
		c.Invalidate("shop.example")
		again := resolvedBy(t, internet, c)
		other := resolvedBy(t, internet, newClient(t, internet, readA2A, shared(store)))
		if all := text(t, peeked) + text(t, again) + text(t, other) + log.String(); strings.Contains(all, hidden) || strings.Contains(all, token) {
			t.Errorf("a Site or the log tells what only alice may know:\n%s", all)
		}
		if _, err := newClient(t, internet, readA2A, shared(store)).Describe(t.Context(), other, "a2a:agent-card"); !errors.Is(err, wayfind.ErrBlocked) {
			t.Errorf("without a credential: %v", err)
		}
	})
}

// An answer to a credential never reaches a store that others share.
func TestDescribeServiceLeavesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		const token, hidden = "s3cret-token", "hidden-skill"
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find")})
		host.Handle(extendedCard, members{token: page(agentCard("shop.example", hidden), "Cache-Control", "public, max-age=3600")})
		store := newFarStore()
		c := newClient(t, internet, withToken("alice", token), shared(store))
		site := resolvedBy(t, internet, c)
		before := store.count("load") + store.count("delete")
		for range 2 {
			if d, err := c.Describe(t.Context(), site, "a2a:agent-card"); err != nil || len(d.Service.Capabilities) != 1 {
				t.Fatalf("%v, %+v", err, d)
			}
		}
		if n := asked(host)[extendedCard]; n != 1 {
			t.Errorf("asked %d times: the same user's answer is kept", n)
		}
		if n := store.count("load") + store.count("delete") - before; n != 0 {
			t.Errorf("the store was asked %d times for what it cannot have, with a key made of the credential", n)
		}
		if err := c.Close(); err != nil { // all is written
			t.Fatal(err)
		}
		if kept := store.dump(); !strings.Contains(kept, "find") || strings.Contains(kept, token) || strings.Contains(kept, hidden) || strings.Contains(kept, "alice") {
			t.Errorf("the store has:\n%s", kept)
		}
	})
}

// Each user gets the card of that user, even if the origin allows to share it.
func TestDescribeServiceUsers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find")})
		host.Handle(extendedCard, members{
			"a": page(agentCard("shop.example", "for-alice"), "Cache-Control", "public, max-age=3600"),
			"b": page(agentCard("shop.example", "for-bob"), "Cache-Control", "public, max-age=3600"),
		})
		type user struct{ id, token string }
		var now user
		c := newClient(t, internet, readA2A, func(o *client.Options) {
			o.Credentials = func(_ context.Context, r security.CredentialRequest) (security.Credential, error) {
				if now == (user{}) {
					return security.Credential{}, nil
				}
				credential := security.Bearer(r.Origin, now.token)
				credential.ID = now.id
				return credential, nil
			}
		})
		site := resolvedBy(t, internet, c)
		steps := []struct {
			who   user
			want  []string
			err   error
			asked int // requests so far
		}{
			{user{}, []string{"a2a:agent-card/find"}, wayfind.ErrBlocked, 1},
			{user{"alice", "a"}, []string{"a2a:agent-card/for-alice"}, nil, 2},
			{user{"bob", "b"}, []string{"a2a:agent-card/for-bob"}, nil, 3},
			{user{"alice", "a"}, []string{"a2a:agent-card/for-alice"}, nil, 3},
			{user{"", "a"}, []string{"a2a:agent-card/for-alice"}, nil, 4}, // without a name the token is the name
			{user{"", "b"}, []string{"a2a:agent-card/for-bob"}, nil, 5},
			{user{"", "a"}, []string{"a2a:agent-card/for-alice"}, nil, 5},
			{user{}, []string{"a2a:agent-card/find"}, wayfind.ErrBlocked, 5},
			{user{"carol", "old"}, []string{"a2a:agent-card/find"}, wayfind.ErrBlocked, 6},
			{user{"carol", "a"}, []string{"a2a:agent-card/for-alice"}, nil, 7}, // a new token after a 401
		}
		for i, s := range steps {
			now = s.who
			d, err := c.Describe(t.Context(), site, "a2a:agent-card")
			if !errors.Is(err, s.err) {
				t.Errorf("step %d: %v, want %v", i, err, s.err)
			}
			if diff := cmp.Diff(s.want, skillsOf(d.Service)); diff != "" {
				t.Errorf("step %d: skills (-want +got):\n%s", i, diff)
			}
			if n := asked(host)[extendedCard]; n != s.asked {
				t.Errorf("step %d: %d requests, want %d", i, n, s.asked)
			}
		}
	})
}

// Two users at once cause two requests; two calls of one user at once cause one.
func TestDescribeServiceAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		internet.Latency(time.Second)
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find")})
		host.Handle(extendedCard, members{"alice": page(agentCard("shop.example", "for-alice")), "bob": page(agentCard("shop.example", "for-bob"))})
		type userKey struct{}
		c := newClient(t, internet, readA2A, func(o *client.Options) {
			o.Credentials = func(ctx context.Context, r security.CredentialRequest) (security.Credential, error) {
				return security.Bearer(r.Origin, ctx.Value(userKey{}).(string)), nil
			}
		})
		site := resolvedBy(t, internet, c)
		var wg sync.WaitGroup
		for _, who := range []string{"alice", "bob", "bob", "alice"} {
			wg.Go(func() {
				d, err := c.Describe(context.WithValue(t.Context(), userKey{}, who), site, "a2a:agent-card")
				if diff := cmp.Diff([]string{"a2a:agent-card/for-" + who}, skillsOf(d.Service)); diff != "" || err != nil {
					t.Errorf("%s: %v, skills (-want +got):\n%s", who, err, diff)
				}
			})
		}
		wg.Wait()
		if n := asked(host)[extendedCard]; n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

// A failure that is one user's is no answer for another.
func TestDescribeServiceFailureOfOne(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find")})
		host.Handle(extendedCard, members{
			"large": page(strings.Repeat(" ", 5<<20) + "{}"),
			"loop":  clienttest.Redirect(302, extendedCard),
			"good":  page(agentCard("shop.example", "more")),
		})
		token := ""
		c := newClient(t, internet, readA2A, func(o *client.Options) {
			o.Credentials = func(_ context.Context, r security.CredentialRequest) (security.Credential, error) {
				return security.Bearer(r.Origin, token), nil
			}
		})
		site := resolvedBy(t, internet, c)
		for _, s := range []struct {
			token string
			code  wayfind.Code
		}{{"large", wayfind.CodeTooLarge}, {"loop", wayfind.CodeRedirectLoop}, {"good", ""}} {
			token = s.token
			_, err := c.Describe(t.Context(), site, "a2a:agent-card")
			if e, ok := errors.AsType[*wayfind.Error](err); ok != (s.code != "") || ok && e.Code != s.code {
				t.Errorf("%s: %v, want %q", s.token, err, s.code)
			}
		}
	})
}

// A credential is for one origin: it goes nowhere else, and one for another
// origin is not sent at all.
func TestDescribeServiceCredentialStays(t *testing.T) {
	for _, to := range []string{"api.example.com", "else.example"} {
		t.Run("a redirect to "+to, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.OnlyDiscovery(false) // a credential is sent
				shop := internet.Host("shop.example.com", clienttest.Pages{a2a.Path: agentCard("shop.example.com", "find")})
				shop.Handle(extendedCard, clienttest.Redirect(307, "https://"+to+"/card"))
				other := internet.Host(to, clienttest.Pages{"/card": agentCard("shop.example.com", "more")})
				c := newClient(t, internet, withToken("alice", "t"))
				site, err := c.Resolve(t.Context(), "shop.example.com")
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Describe(t.Context(), site, "a2a:agent-card")
				e, _ := errors.AsType[*wayfind.Error](err)
				if cross := to == "else.example"; cross != (e != nil && e.Code == wayfind.CodeRedirectCrossSite) || cross && len(other.Requests()) > 0 {
					t.Errorf("%v, %s was asked for %v", err, to, other.Paths())
				}
				if got := sentTo(other, "Authorization"); got != nil {
					t.Errorf("the credential went to %s%v", to, got)
				}
				if diff := cmp.Diff([]string{extendedCard}, sentTo(shop, "Authorization")); diff != "" {
					t.Errorf("the credential was sent to (-want +got):\n%s", diff)
				}
			})
		})
	}
	no := errors.New("no")
	rows := []struct {
		name       string
		credential security.Credential
		err        error
	}{
		{"of another origin", security.Bearer("https://api.shop.example", "t"), nil},
		{"of the site, not the origin", security.Bearer("shop.example", "t"), nil},
		{"of no origin", security.Credential{Field: "Authorization", Value: "t"}, nil},
		{"in a field that is ours", security.Credential{Origin: "https://shop.example", Field: "Host", Value: "t"}, nil},
		{"in a field that is none", security.Credential{Origin: "https://shop.example", Field: "a b", Value: "t"}, nil},
		{"with a line end", security.Credential{Origin: "https://shop.example", Field: "Authorization", Value: "t\r\nX-Own: 1"}, nil},
		{"an error", security.Credential{}, no},
	}
	for _, r := range rows {
		t.Run("a credential "+r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.OnlyDiscovery(false) // a credential is sent
				host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), extendedCard: agentCard("shop.example", "more")})
				c := newClient(t, internet, readA2A, func(o *client.Options) {
					o.Credentials = func(context.Context, security.CredentialRequest) (security.Credential, error) {
						return r.credential, r.err
					}
				})
				d, err := c.Describe(t.Context(), resolvedBy(t, internet, c), "a2a:agent-card")
				e, _ := errors.AsType[*wayfind.Error](err)
				if !errors.Is(err, wayfind.ErrRefused) || e == nil || e.Code != wayfind.CodeCredential || r.err != nil && !errors.Is(err, r.err) {
					t.Errorf("%v", err)
				}
				if n := asked(host)[extendedCard]; n != 0 || !d.Service.Lazy {
					t.Errorf("asked %d times, %+v", n, d.Service)
				}
			})
		})
	}
}

// A CredentialRequest contains its purpose. The hook is called only if a credential is needed.
func TestDescribeServiceCredentialRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), extendedCard: agentCard("shop.example", "more")})
		internet.Host("else.example", clienttest.Pages{a2a.Path: agentCard("api.third.example", "find")})
		var got []security.CredentialRequest
		c := newClient(t, internet, readA2A, func(o *client.Options) {
			o.Credentials = func(_ context.Context, r security.CredentialRequest) (security.Credential, error) {
				got = append(got, r)
				return security.Credential{}, nil
			}
		})
		site := resolvedBy(t, internet, c)
		if _, err := c.Describe(t.Context(), site, "a2a:agent-card/find"); err != nil {
			t.Error(err)
		}
		elsewhere, err := c.Resolve(t.Context(), "else.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(t.Context(), elsewhere, "a2a:agent-card"); !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("an extended card on another site, and nobody approved: %v", err)
		}
		if d, err := c.Describe(t.Context(), site, "a2a:agent-card"); err != nil || !slices.Equal(skillsOf(d.Service), []string{"a2a:agent-card/more"}) {
			t.Errorf("%v, %+v", err, d.Service)
		}
		want := []security.CredentialRequest{{Origin: "https://shop.example", URL: "https://shop.example" + extendedCard, Purpose: "describe a2a:agent-card", DocumentOrigin: "https://shop.example", Schemes: site.Service("a2a:agent-card").Auth.Schemes}}
		if diff := cmp.Diff(want, got); diff != "" || len(want[0].Schemes) != 1 {
			t.Errorf("asked for a credential (-want +got):\n%s", diff)
		}
	})
}

// Rules are not secret: they are requested once, without a credential.
func TestDescribeServiceUnderRobots(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		host := internet.Host("shop.example", clienttest.Pages{a2a.Path: agentCard("shop.example", "find"), robotsTxt: forbid("/x")})
		host.Handle(extendedCard, members{"t": page(agentCard("shop.example", "more"))})
		c := newClient(t, internet, withToken("alice", "t"), robotsMode(client.RobotsEnforce))
		site := resolvedBy(t, internet, c)
		time.Sleep(time.Minute)
		if _, err := c.Describe(t.Context(), site, "a2a:agent-card"); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{extendedCard}, sentTo(host, "Authorization")); diff != "" || asked(host)[robotsTxt] != 1 {
			t.Errorf("the credential was sent to (-want +got):\n%s\nasked for %v", diff, host.Paths())
		}
	})
}
