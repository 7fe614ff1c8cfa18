package client_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// These tests show how much a hostile site can affect its clients.

// A document is used for at most a day after the end of its freshness, whatever its header: an hour
// of a hijacked domain must not poison an agent for years (RFC 5861 lets a cache shorten both
// windows).
func TestADocumentIsStaleForADayAtMost(t *testing.T) {
	for _, directive := range []string{"stale-if-error", "stale-while-revalidate"} {
		t.Run(directive, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle("/agent.json", page(oneAction("/x"), "Cache-Control", "max-age=60, "+directive+"=315360000"))
				c := internet.Client()
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				host.Fail("/agent.json", func(http.Handler) http.Handler { return clienttest.Page{Status: 503} })
				for day := 2; day <= 8; day *= 4 {
					time.Sleep(time.Duration(day) * 24 * time.Hour)
					site, err := c.Resolve(t.Context(), "shop.example")
					if len(site.Services) > 0 {
						t.Errorf("served after another %d days: %v", day, err)
					}
				}
			})
		})
	}
}

// cardOf is an A2A 1.0 card with one requirement for all and for its skill.
func cardOf(schemes string) string {
	needs := `"securityRequirements":[{"schemes":` + schemes + `}]`
	return `{"name":"S","description":"d","version":"1","supportedInterfaces":[{"url":"https://shop.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}],
		"capabilities":{"extendedAgentCard":true},"defaultInputModes":["text"],"defaultOutputModes":["text"],
		"skills":[{"id":"pay","name":"pay","description":"pay","tags":[],` + needs + `}],
		"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://shop.example/t","scopes":{}}}}}},` + needs + `}`
}

// An extended card adds to the public card, and never removes a requirement of it.
func TestAnExtendedCardLowersNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/.well-known/agent-card.json":
				page(cardOf(`{"o":{"list":[]}}`)).ServeHTTP(w, r)
			case strings.HasPrefix(r.URL.Path, "/rest/"):
				page(cardOf(`{}`)).ServeHTTP(w, r)
			default:
				http.NotFound(w, r)
			}
		}))
		internet.OnlyDiscovery(false)
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Describe(t.Context(), site, site.Services[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		free := func(what string, a *wayfind.Auth) {
			if a == nil {
				return
			}
			for _, all := range a.Requirements {
				for _, r := range all {
					if a.Schemes[r.Scheme].Kind == wayfind.SchemeNone {
						t.Errorf("%s can be called without authentication now", what)
					}
				}
			}
		}
		free("the service", d.Service.Auth)
		free("the skill", d.Service.Capabilities[0].Auth)
	})
}

// Names that look alike within one Site are reported (UTS 39 §4, skeletons), and so are spaces in
// an ID.
func TestConfusableNamesAreReported(t *testing.T) {
	for name, second := range map[string]string{"Cyrillic": "p\u0430y", "blank": "pay "} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{"/agent.json": `{"awp_version":"0.2","domain":"shop.example","intent":"x","actions":[
					{"id":"pay","endpoint":"/pay","method":"POST","auth_required":false,"inputs":{},"outputs":{},"description":"d"},
					{"id":"` + second + `","endpoint":"/other","method":"POST","auth_required":false,"inputs":{},"outputs":{},"description":"d"}]}`})
				site, err := internet.Client().Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				if len(site.Diagnostics) == 0 {
					t.Errorf("nothing is said of %q and %q", "pay", second)
				}
			})
		})
	}
}

// A secret is found in each disguise: compatibility characters (NFKC), base64, percent escapes, two
// items of a list.
func TestSecretsInOtherDressAreFound(t *testing.T) {
	key := "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc" // in two parts, so that no scanner takes this file for a leak
	wide := strings.Map(func(r rune) rune { return r + 0xfee0 }, key)
	escaped := "%" + strings.ToUpper(strings.Join(strings.Split(fmt.Sprintf("% x", key), " "), "%"))
	for name, text := range map[string]string{
		"plain":     `"` + key + `"`, // found already
		"fullwidth": `"` + wide + `"`,
		"base64":    `"` + base64.StdEncoding.EncodeToString([]byte("key: "+key)) + `"`,
		"percent":   `"https://shop.example/?k=` + escaped + `"`,
		"two items": `["` + key[:16] + `","` + key[16:] + `"]`,
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.Replace(oneAction("/x"), `"intent":"i"`, `"intent":"i","agent_hints":{"note":`+text+`}`, 1)
			r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://shop.example/agent.json", ContentType: "application/json"})
			if err != nil {
				t.Fatal(err)
			}
			if len(said(r.Site, "text")) == 0 {
				t.Error("a secret is passed on and nothing is said")
			}
		})
	}
}

// The requests of one Resolve to other sites are bounded in number, not by the places that lead
// there, so redirects do not make it a tool against a third site.
func TestRequestsToOtherSitesAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const most = client.DefaultBudget
		var others []*clienttest.Host
		hop := func(next string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://"+next+r.URL.Path, http.StatusFound)
			})
		}
		internet.Host("shop.example", hop("victim1.example"))
		for i := 1; i < 6; i++ {
			others = append(others, internet.Host(fmt.Sprintf("victim%d.example", i), hop(fmt.Sprintf("victim%d.example", i+1))))
		}
		_, _ = internet.Client().Resolve(t.Context(), "shop.example") // finds nothing
		n := 0
		for _, h := range others {
			n += len(h.Requests())
		}
		if n > most {
			t.Errorf("%d requests to other sites in one Resolve, want at most %d", n, most)
		}
	})
}

// The bound is the caller's; -1 asks no other site, and hosts of the site itself
// are asked all the same.
func TestTheBoundOfForeignRequestsIsTheCallers(t *testing.T) {
	for limit, want := range map[int]int{-1: 0, 1: 1, 3: 3, 0: 32} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			other := internet.Host("victim.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
			}))
			away := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://victim.com"+r.URL.Path, http.StatusFound)
			})
			internet.Host("www.shop.com", at(wwwCard, http.NotFoundHandler(), away)) // otherwise no redirect is followed
			internet.Host("shop.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://www.shop.com"+r.URL.Path, http.StatusFound)
			}))
			site, _ := internet.Client(func(o *client.Options) { o.Limits.Foreign = limit }).Resolve(t.Context(), "shop.com")
			if n := len(other.Requests()); n != want {
				t.Errorf("limit %d: %d requests to another site, want %d", limit, n, want)
			}
			skipped := slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.Reason == "foreign" && p.Verdict == wayfind.VerdictSkipped })
			if !skipped {
				t.Errorf("limit %d: no place is skipped", limit)
			}
		})
	}
}

// A model cannot distinguish a name inside this network from one that does not exist.
func TestErrorsTellNoInternalNames(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.DNS("vault.corp.example", clienttest.Addrs(netip.MustParseAddr("10.0.0.5")))
		c := internet.Client()
		class := func(host string) string {
			_, err := c.Resolve(t.Context(), host)
			return strings.ReplaceAll(wayfind.ErrorClass(err), host, "HOST")
		}
		inside, nowhere := class("vault.corp.example"), class("nowhere.corp.example")
		if inside != nowhere {
			t.Errorf("%q for a private name, %q for none", inside, nowhere)
		}
		if inside, nowhere = class("vault.corp.example"), class("nowhere.corp.example"); inside != nowhere {
			t.Errorf("asked again: %q for a private name, %q for none", inside, nowhere)
		}
	})
}

// The same holds for a name that a redirect of a site leads to.
func TestRedirectsTellNoInternalNames(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.DNS("vault.shop.example", clienttest.Addrs(netip.MustParseAddr("10.0.0.5")))
		c := internet.Client()
		class := func(site, to string) string {
			internet.Host(site, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://"+to+r.URL.Path, http.StatusFound)
			}))
			_, err := c.Resolve(t.Context(), site)
			return strings.NewReplacer(site, "SITE", to, "HOST").Replace(wayfind.ErrorClass(err))
		}
		inside, nowhere := class("a.shop.example", "vault.shop.example"), class("b.shop.example", "nowhere.shop.example")
		if inside != nowhere {
			t.Errorf("%q for a private name, %q for none", inside, nowhere)
		}
	})
}

// Describe ends with its context, also while a hook of the caller does not.
func TestDescribeEndsWhileAHookDoesNot(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "https://other.example/pay")})
		internet.Host("other.example", nil)
		end := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(end) })
		c := internet.Client(func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { <-end; return nil }
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err = c.Describe(ctx, site, "adp:pay")
		if took := time.Since(start); took > 2*time.Minute || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", took, err)
		}
		<-end
	})
}

// The same of the hook for credentials.
func TestDescribeEndsWhileCredentialsDoNot(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/agent-card.json": cardOf(`{"o":{"list":[]}}`)})
		end := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(end) })
		c := internet.Client(func(o *client.Options) {
			o.Credentials = func(context.Context, security.CredentialRequest) (security.Credential, error) {
				<-end
				return security.Credential{}, nil
			}
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err = c.Describe(ctx, site, site.Services[0].ID)
		if took := time.Since(start); took > 2*time.Minute || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", took, err)
		}
		<-end
	})
}

// A policy that opens the addresses of metadata services is warned about, as
// is everything else that opens the guard.
func TestOpeningMetadataAddressesIsWarnedAbout(t *testing.T) {
	for _, cidr := range []string{"0.0.0.0/0", "169.254.0.0/16"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			var log bytes.Buffer
			internet.Client(func(o *client.Options) {
				o.Policy.AllowCIDR = []netip.Prefix{netip.MustParsePrefix(cidr)}
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			if !strings.Contains(log.String(), "level=WARN") {
				t.Errorf("%s: no warning", cidr)
			}
		})
	}
}

// privateKeySite returns the Site of a host that publishes a private key.
func privateKeySite(t *testing.T, internet *clienttest.Internet) *wayfind.Site {
	t.Helper()
	mine, card := newSigner(t, "mine"), canonicalCard("shop.example.com", "")
	set := mine.public(t)
	set.Keys[0]["d"] = base64.RawURLEncoding.EncodeToString(make([]byte, 32)) // made up
	internet.Host("shop.example.com", clienttest.Pages{
		"/.well-known/agent-card.json": mine.sign(t, card, card, `,"jku":"https://shop.example.com/set"`), "/set": string(set.json(t))})
	site, err := newClient(t, internet, readA2A, fetchKeys).Resolve(t.Context(), "shop.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// If a site publishes a private key with its key set (RFC 7518 §6.2.2), a diagnostic reports it:
// every reader of the set can sign for the site.
func TestAPublishedPrivateKeyIsReported(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		site := privateKeySite(t, internet)
		for _, d := range site.Diagnostics {
			if strings.Contains(d.Code+" "+d.Message, "private") {
				return
			}
		}
		t.Errorf("nothing is said of it: %+v", site.Diagnostics)
	})
}

// The prompt and the diagnostics show which of two similar names is meant. A name that only looks
// like one of another Site gets no such note.
func TestThePromptShowsWhichOfTwoNamesIsMeant(t *testing.T) {
	body := func(second string) string {
		return `{"awp_version":"0.2","domain":"shop.example","intent":"x","actions":[
			{"id":"pay","endpoint":"/pay","method":"POST","auth_required":false,"inputs":{},"outputs":{},"description":"d"},
			{"id":"` + second + `","endpoint":"/other","method":"POST","auth_required":false,"inputs":{},"outputs":{},"description":"d"}]}`
	}
	for second, want := range map[string]bool{"p\u0430y": true, "\uff50ay": true, "pay ": true, "\u043f\u043b\u0430\u0442\u0438\u0442\u044c": false, "refund": false} {
		r, err := client.Parse(t.Context(), []byte(body(second)), &client.ParseOptions{Format: "awp", URL: "https://shop.example/agent.json"})
		if err != nil {
			t.Fatal(err)
		}
		p := prompt.New()
		p.Site(r.Site)
		told := slices.Contains(said(r.Site, "text"), "text.confusable ")
		shown := strings.Contains(p.String(), "looks like another key")
		if told != want || shown != want {
			t.Errorf("%q: told %t, shown %t, want %t: %v", second, told, shown, want, said(r.Site, "text"))
		}
	}
}
