package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

const guardToken = "s3cret-token"

// guarded answers with a status and header fields unless a field of the request has the value.
func guarded(field, value string, status int, body http.Handler, header ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(field) == value {
			body.ServeHTTP(w, r)
			return
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	})
}

// asker counts the calls of Options.Credentials, and keeps the last.
type asker struct {
	calls int
	last  security.CredentialRequest
	give  security.Credential
}

func (a *asker) options(o *client.Options) {
	o.Credentials = func(_ context.Context, r security.CredentialRequest) (security.Credential, error) {
		a.calls++
		a.last = r
		return a.give, nil
	}
}

// keyed is a manifest whose service wants an API key, and token a credential of the API key's field.
func keyed(host string, details ...string) string {
	return strings.Replace(manifest(host, details...), `{"type": "none"}`, `{"type": "api_key", "header": "X-Api-Key"}`, 1)
}

var hiddenDetail = strings.Replace(detail("buy", "/x"), "Do it in detail", "hidden", 1)

var guardedDetails = []struct {
	name   string
	format *parse.Format
	place  string
	list   string
	path   string
	key    string
	detail string
	field  string
	status int
	header []string
	asked  bool
}{
	{"adp, its scheme is stated", adp.Format(), wellKnown, keyed("shop.example", "/c/buy"), "/c/buy", "adp:buy", hiddenDetail, "X-Api-Key", 401, nil, true},
	{"adp, 403 with a scheme", adp.Format(), wellKnown, keyed("shop.example", "/c/buy"), "/c/buy", "adp:buy", hiddenDetail, "X-Api-Key", 403, nil, true},
	{"adp, 403 without a scheme", adp.Format(), wellKnown, manifest("shop.example", "/c/buy"), "/c/buy", "adp:buy", hiddenDetail, "X-Api-Key", 403, nil, false},
	{"an agent, 401", msagents.Format(), "/agents/v1", `{"agents":[{"name":"pirate","description":"Talks."}]}`, "/agents/v1/pirate", "msagents:agents-v1/pirate",
		`{"name":"pirate","description":"hidden"}`, "Authorization", 401, nil, true},
	{"an agent, a challenge", msagents.Format(), "/agents/v1", `{"agents":[{"name":"pirate","description":"Talks."}]}`, "/agents/v1/pirate", "msagents:agents-v1/pirate",
		`{"name":"pirate","description":"hidden"}`, "Authorization", 403, []string{"WWW-Authenticate", `Bearer realm="a"`}, true},
	{"a skill", agentskills.Format(), "/.well-known/agent-skills/index.json",
		`{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"buy","type":"skill-md","description":"Buys.","url":"/buy/SKILL.md"}]}`,
		"/buy/SKILL.md", "agentskills:buy", "---\nname: buy\ndescription: hidden\n---\n# Buy\n", "Authorization", 401, []string{"WWW-Authenticate", "Bearer"}, true},
}

// A detail that demands a credential is requested with the caller's, who is asked once. The answer
// is for that caller alone.
func TestDescribeAsksForTheCredentialOfADetail(t *testing.T) {
	for _, test := range guardedDetails {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.OnlyDiscovery(false) // a credential is sent
				host := internet.Host("shop.example", clienttest.Pages{test.place: test.list})
				host.Handle(test.path, guarded(test.field, guardToken, test.status, page(test.detail, "Cache-Control", "public, max-age=3600"), test.header...))
				store := newFarStore()
				who := &asker{give: security.Credential{Origin: "https://shop.example", Field: test.field, Value: guardToken}}
				c := newClient(t, internet, withFormats(test.format), shared(store), who.options)
				site := resolvedBy(t, internet, c)
				for range 2 {
					d, err := c.Describe(t.Context(), site, test.key)
					if !test.asked {
						if !errors.Is(err, wayfind.ErrBlocked) || who.calls != 0 {
							t.Fatalf("asked %d times, %v", who.calls, err)
						}
						return
					}
					if err != nil || !strings.Contains(fmt.Sprintf("%+v %+v", *d.Capability, d.Content), "hidden") || !d.Source.Private {
						t.Fatalf("%v, %+v", err, d)
					}
				}
				if n := asked(host)[test.path]; n != 2 || who.calls != 2 {
					t.Errorf("%d requests and %d questions; the refusal and the answer are remembered", n, who.calls)
				}
				if want := "describe " + test.key; who.last.Purpose != want || who.last.Origin != "https://shop.example" || who.last.DocumentOrigin != who.last.Origin {
					t.Errorf("%+v", who.last)
				}
				if _, err := newClient(t, internet, withFormats(test.format), shared(store)).Describe(t.Context(), site, test.key); !errors.Is(err, wayfind.ErrBlocked) {
					t.Errorf("without a credential: %v", err)
				}
				if err := c.Close(); err != nil { // all is written
					t.Fatal(err)
				}
				if kept := store.dump() + text(t, site); strings.Contains(kept, guardToken) || strings.Contains(kept, "hidden") {
					t.Errorf("others can read:\n%s", kept)
				}
			})
		})
	}
}

// The caller is asked once for all details of an origin, and the later ones are requested with the
// credential at once.
func TestDescribeAllAsksOncePerOrigin(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: keyed("shop.example", "/c/a", "/c/b", "/c/c")})
		for _, name := range []string{"a", "b", "c"} {
			host.Handle("/c/"+name, guarded("X-Api-Key", guardToken, 401, page(detail(name, "/"+name))))
		}
		who := &asker{give: security.Credential{Origin: "https://shop.example", Field: "X-Api-Key", Value: guardToken}}
		c := newClient(t, internet, who.options)
		for d, err := range c.DescribeAll(t.Context(), resolvedBy(t, internet, c)) {
			if err != nil {
				t.Errorf("%s: %v", d.Capability.Key, err)
			}
		}
		if diff := cmp.Diff([]string{"/c/a", "/c/b", "/c/c"}, sentTo(host, "X-Api-Key")); diff != "" || who.calls != 1 {
			t.Errorf("%d questions; the credential was sent to (-want +got):\n%s", who.calls, diff)
		}
		if n := asked(host); n["/c/a"] != 2 || n["/c/b"] != 1 || n["/c/c"] != 1 {
			t.Errorf("requests %v", n)
		}
	})
}

// A credential that the origin refuses is not sent again, and the caller is asked once more.
func TestARefusedCredentialOfADetailIsNotSentAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: keyed("shop.example", "/c/buy")})
		host.Handle("/c/buy", guarded("X-Api-Key", guardToken, 401, page(hiddenDetail)))
		who := &asker{give: security.Credential{Origin: "https://shop.example", Field: "X-Api-Key", Value: "an old key"}}
		c := newClient(t, internet, who.options)
		_, err := c.Describe(t.Context(), resolvedBy(t, internet, c), "adp:buy")
		if !errors.Is(err, wayfind.ErrBlocked) || who.calls != 2 || !who.last.Challenged || who.last.Refused != who.give {
			t.Errorf("%v after %d questions, the last %+v", err, who.calls, who.last)
		}
		if n := asked(host)["/c/buy"]; n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

// A redirect from a detail to another host of the site gets no credential, and asks for none.
func TestARedirectOfADetailGetsNoCredential(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false)
		host := internet.Host("shop.example.com", clienttest.Pages{wellKnown: keyed("shop.example.com", "/c/buy")})
		host.Handle("/c/buy", http.RedirectHandler("https://thief.example.com/c/buy", http.StatusFound))
		thief := internet.Host("thief.example.com", guarded("X-Api-Key", guardToken, 401, page(detail("buy", "/x")), "WWW-Authenticate", "Bearer"))
		who := &asker{give: security.Credential{Origin: "https://shop.example.com", Field: "X-Api-Key", Value: guardToken}}
		c := newClient(t, internet, who.options)
		site, err := c.Resolve(t.Context(), "shop.example.com")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Describe(t.Context(), site, "adp:buy")
		if !errors.Is(err, wayfind.ErrBlocked) || who.calls != 0 || len(sentTo(thief, "X-Api-Key")) > 0 {
			t.Errorf("%v after %d questions, sent to %v", err, who.calls, sentTo(thief, "X-Api-Key"))
		}
	})
}

// A detail that repeats the credential, plainly or escaped, is refused.
func TestADetailThatRepeatsTheCredentialIsRefused(t *testing.T) {
	for _, said := range []string{guardToken, `\u0073` + guardToken[1:]} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.OnlyDiscovery(false)
			host := internet.Host("shop.example", clienttest.Pages{wellKnown: keyed("shop.example", "/c/buy")})
			echo := strings.Replace(detail("buy", "/x"), "Do it in detail", "Say "+said, 1)
			host.Handle("/c/buy", guarded("X-Api-Key", guardToken, 401, page(echo)))
			who := &asker{give: security.Credential{Origin: "https://shop.example", Field: "X-Api-Key", Value: guardToken}}
			c := newClient(t, internet, who.options)
			d, err := c.Describe(t.Context(), resolvedBy(t, internet, c), "adp:buy")
			e, ok := errors.AsType[*wayfind.Error](err)
			if all := fmt.Sprint(err) + fmt.Sprintf("%+v %+v", *d.Capability, *d.Service); !ok || e.Code != wayfind.CodeSecret || strings.Contains(all, guardToken) {
				t.Errorf("%v, %s", err, all)
			}
		})
	}
}

// A credential of client.WithCredential is sent to a detail that demands one.
func TestDescribeUsesTheCredentialOfTheContext(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/c/buy", "/c/open")})
		host.Handle("/c/buy", guarded("Authorization", "Bearer "+guardToken, 401, page(detail("buy", "/x"))))
		host.Handle("/c/open", page(detail("open", "/x")))
		c := newClient(t, internet)
		ctx := client.WithCredential(t.Context(), security.Bearer("https://shop.example", guardToken), security.Bearer("https://other.example", "another-token"))
		for d, err := range c.DescribeAll(ctx, resolvedBy(t, internet, c)) {
			if err != nil || d.Source.Private != (d.Capability.Key == "adp:buy") {
				t.Errorf("%s: %v, private %t", d.Capability.Key, err, d.Source.Private)
			}
		}
		if diff := cmp.Diff([]string{"/c/buy"}, sentTo(host, "Authorization")); diff != "" {
			t.Errorf("sent to (-want +got):\n%s", diff)
		}
	})
}
