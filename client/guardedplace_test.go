package client_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// guardedPlaces are places that demand a credential, by the format that reads the document there.
var guardedPlaces = []struct {
	name, path, body, target, key string
}{
	{"a list of agents", "/agents/v1", `{"agents":[{"name":"pirate","description":"Talks."}]}`, "shop.example", "msagents:agents-v1/pirate"},
	{"a manifest", wellKnown, manifest("shop.example", "/c/buy"), "shop.example", "adp:buy"},
	{"an API description", "/openapi.json", strings.ReplaceAll(`{'openapi':'3.1.0','info':{'title':'T','version':'1'},'paths':{'/x':{'get':{'operationId':'buy','responses':{'200':{'description':'d'}}}}}}`, "'", `"`),
		"https://shop.example/openapi.json", "openapi:openapi/buy"},
}

// A place that demands a credential is asked with the caller's, who is asked once for an origin. The
// Site is for that caller alone.
func TestResolveAsksForTheCredentialOfAPlace(t *testing.T) {
	for _, test := range guardedPlaces {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, in *clienttest.Internet) {
				in.OnlyDiscovery(false)
				in.Host("shop.example", clienttest.Pages{}).Handle(test.path, guarded("Authorization", "Bearer "+guardToken, 401, page(test.body), "WWW-Authenticate", "Bearer"))
				a := &asker{give: security.Bearer("https://shop.example", guardToken)}
				c := in.Client(a.options)
				site, err := c.Resolve(t.Context(), test.target)
				if err != nil {
					t.Fatal(err)
				}
				if _, found := site.Capability(test.key); found == nil && site.Service(test.key) == nil {
					t.Errorf("%q is not in the Site: %v", test.key, site.Services)
				}
				if a.calls != 1 || a.last.Purpose != "resolve https://shop.example" || a.last.Origin != "https://shop.example" || !a.last.Challenged {
					t.Errorf("asked %d times, last for %+v", a.calls, a.last)
				}
				if len(site.Sources) == 0 || !site.Sources[0].Private {
					t.Errorf("the source is not private: %+v", site.Sources)
				}
				if peeked, ok := c.Peek(test.target); ok && len(peeked.Services) > 0 {
					t.Error("Peek shows the private Site")
				}
			})
		})
	}
}

// Without a credential, the place stays protected.
func TestResolveWithoutACredentialStaysPublic(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		h := in.Host("shop.example", clienttest.Pages{}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, page(guardedPlaces[0].body), "WWW-Authenticate", "Bearer"))
		a := &asker{}
		_, err := in.Client(a.options).Resolve(t.Context(), "shop.example")
		if err == nil || a.calls != 1 {
			t.Errorf("%v after %d questions", err, a.calls)
		}
		if n := asked(h)["/agents/v1"]; n != 1 {
			t.Errorf("%d requests for the list", n)
		}
	})
}

// A caller without a credential does not get the Site of another caller, and a wrong credential for one
// origin goes to no other.
func TestAPrivateSiteIsForItsCaller(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		in.Host("shop.example", clienttest.Pages{}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, page(guardedPlaces[0].body), "WWW-Authenticate", "Bearer"))
		c := in.Client()
		mine := client.WithCredential(t.Context(), security.Bearer("https://shop.example", guardToken))
		for range 2 {
			if site, err := c.Resolve(mine, "shop.example"); err != nil || len(site.Services) != 1 {
				t.Fatalf("with the credential: %v", err)
			}
			if site, err := c.Resolve(t.Context(), "shop.example"); err == nil || len(site.Services) > 0 {
				t.Errorf("without the credential: %v, %v", err, site.Services)
			}
		}
		other := client.WithCredential(t.Context(), security.Bearer("https://other.example", guardToken))
		if _, err := c.Resolve(other, "shop.example"); err == nil {
			t.Error("the credential of another origin was sent")
		}
	})
}

// A list behind a login whose pages are behind it too is read whole, with one question.
func TestPagesBehindALoginAreFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := `{"agents":[{"name":"pirate","description":"Talks."}],"next":"/agents/v1?page=2"}`
			if r.URL.RawQuery != "" {
				body = `{"agents":[{"name":"cook","description":"Cooks."}]}`
			}
			page(body).ServeHTTP(w, r)
		})
		in.Host("shop.example", clienttest.Pages{}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, pages, "WWW-Authenticate", "Bearer"))
		a := &asker{give: security.Bearer("https://shop.example", guardToken)}
		site, err := in.Client(a.options).Resolve(t.Context(), "shop.example")
		if err != nil || site.Service("msagents:agents-v1~2/cook") == nil {
			t.Errorf("the second page is not read: %v, %v", err, site.Services)
		}
		if a.calls != 1 {
			t.Errorf("asked %d times", a.calls)
		}
	})
}

// An answer that repeats the credential is not used.
func TestAPlaceThatRepeatsTheCredential(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		echo := page(`{"agents":[{"name":"pirate","description":"You are ` + guardToken + `."}]}`)
		in.Host("shop.example", clienttest.Pages{}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, echo, "WWW-Authenticate", "Bearer"))
		a := &asker{give: security.Bearer("https://shop.example", guardToken)}
		site, err := in.Client(a.options).Resolve(t.Context(), "shop.example")
		raw, _ := json.Marshal(site)
		if wayfind.ErrorClass(err) == "" || strings.Contains(string(raw), guardToken) {
			t.Errorf("%v: %s", err, raw)
		}
	})
}

// The query of a target reaches the list, with the caller's credential.
func TestAListIsAskedWithTheQueryOfItsTarget(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		list := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			page(`{"agents":[{"name":"`+r.URL.Query().Get("q")+`","description":"Talks."}]}`).ServeHTTP(w, r)
		})
		in.Host("shop.example", clienttest.Pages{}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, list, "WWW-Authenticate", "Bearer"))
		a := &asker{give: security.Bearer("https://shop.example", guardToken)}
		site, err := in.Client(a.options).Resolve(t.Context(), "https://shop.example/agents/v1?q=pirate&tag=sea")
		if err != nil || len(site.Services) != 1 || site.Services[0].Name != "pirate" {
			t.Errorf("%v, %v", err, site.Services)
		}
	})
}

// A caller without a credential that opens a place is asked once while the public Site is kept, and the
// public places are not asked again. Refresh asks again.
func TestOneRefusalIsEnough(t *testing.T) {
	for name, give := range map[string]security.Credential{
		"no credential":       {},
		"one that is refused": security.Bearer("https://shop.example", "another-token-of-length"),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, in *clienttest.Internet) {
				in.OnlyDiscovery(false)
				h := in.Host("shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n"}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, page(guardedPlaces[0].body), "WWW-Authenticate", "Bearer"))
				a := &asker{give: give}
				c := in.Client(a.options)
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil || a.calls == 0 {
					t.Fatal(err, a.calls)
				}
				requests, calls := len(h.Requests()), a.calls
				for range 3 {
					if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Services) == 0 {
						t.Fatal(err)
					}
				}
				for _, err := range c.ResolveAll(t.Context(), slices.Values([]string{"shop.example"}), nil) {
					if err != nil {
						t.Fatal(err)
					}
				}
				if len(h.Requests()) != requests || a.calls != calls {
					t.Errorf("%d more requests and %d more questions", len(h.Requests())-requests, a.calls-calls)
				}
				if _, err := c.Refresh(t.Context(), "shop.example"); err != nil || a.calls == calls {
					t.Errorf("%v after %d questions", err, a.calls-calls)
				}
			})
		})
	}
}

// A place that opens is asked again for its caller, and no public place is. An answer without a lifetime
// does not bring the question back either.
func TestOnlyTheGuardedPlaceIsAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		h := in.Host("shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n"}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, page(guardedPlaces[0].body), "WWW-Authenticate", "Bearer"))
		c := in.Client()
		mine := client.WithCredential(t.Context(), security.Bearer("https://shop.example", guardToken))
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		before := asked(h)
		for range 2 {
			if site, err := c.Resolve(mine, "shop.example"); err != nil || site.Service("msagents:agents-v1/pirate") == nil {
				t.Fatalf("with the credential: %v", err)
			}
		}
		for path, n := range asked(h) {
			if path != "/agents/v1" && n != before[path] {
				t.Errorf("%d more requests for %s", n-before[path], path)
			}
		}
	})
}

// An answer that repeats a part of the credential, or another spelling of it, is not used.
func TestAPlaceThatRepeatsTheCredentialInAnotherSpelling(t *testing.T) {
	for name, row := range map[string]struct{ value, said string }{
		"the password of Basic":    {"Basic " + base64.StdEncoding.EncodeToString([]byte("user:correct-horse-9")), "correct-horse-9"},
		"with a blank of no width": {"Bearer " + guardToken, guardToken[:5] + "\u200b" + guardToken[5:]},
		"letters of HTML":          {"Bearer a7f<19>&c04b&d8e", "a7f<19>&c04b&d8e"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, in *clienttest.Internet) {
				in.OnlyDiscovery(false)
				said, _ := json.Marshal("You are " + row.said + ".")
				echo := page(`{"agents":[{"name":"pirate","description":` + string(said) + `}]}`)
				in.Host("shop.example", clienttest.Pages{}).Handle("/agents/v1", guarded("Authorization", row.value, 401, echo, "WWW-Authenticate", "Bearer"))
				a := &asker{give: security.Credential{Origin: "https://shop.example", Field: "Authorization", Value: row.value}}
				site, err := in.Client(a.options).Resolve(t.Context(), "shop.example")
				if e, _ := errors.AsType[*wayfind.Error](err); e == nil || e.Code != wayfind.CodeSecret || len(site.Services) > 0 {
					t.Errorf("%v: %+v", err, site.Services)
				}
			})
		})
	}
}

// An error of Options.Credentials is an answer, too: the caller is asked again after 5 minutes, or by
// Refresh. The first Site has the error.
func TestAnErrorOfCredentialsIsRemembered(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		in.Host("shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n"}).Handle("/agents/v1", guarded("Authorization", "Bearer "+guardToken, 401, page(guardedPlaces[0].body), "WWW-Authenticate", "Bearer"))
		calls := 0
		c := in.Client(func(o *client.Options) {
			o.Credentials = func(context.Context, security.CredentialRequest) (security.Credential, error) {
				calls++
				return security.Credential{}, errors.New("the person has closed the window")
			}
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		raw, _ := json.Marshal(site)
		if err != nil || calls != 1 || !strings.Contains(string(raw), "closed the window") {
			t.Fatalf("%v after %d questions: %s", err, calls, raw)
		}
		for range 3 {
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
		}
		if calls != 1 {
			t.Errorf("asked %d times", calls)
		}
		time.Sleep(6 * time.Minute)
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil || calls != 2 {
			t.Errorf("%v: asked %d times after 6 minutes", err, calls)
		}
		if _, err := c.Refresh(t.Context(), "shop.example"); err != nil || calls != 3 {
			t.Errorf("%v: Refresh asks %d times", err, calls-2)
		}
	})
}

// Callers who open the same place at the same time share the public answers, and each gets what its own
// credential opens.
func TestCallersOpenAPlaceAtTheSameTime(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		in.OnlyDiscovery(false)
		in.Host("shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n"}).Handle("/agents/v1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-of-caller-")
			if !ok {
				w.Header().Set("WWW-Authenticate", "Bearer")
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			page(`{"agents":[{"name":"agent`+name+`","description":"Talks."}]}`).ServeHTTP(w, r)
		}))
		c := in.Client()
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		var work sync.WaitGroup
		for n := range 8 {
			work.Go(func() {
				mine := client.WithCredential(t.Context(), security.Bearer("https://shop.example", fmt.Sprint("token-of-caller-", n)))
				for range 4 {
					site, err := c.Resolve(mine, "shop.example")
					if err != nil {
						t.Error(err)
						return
					}
					var own []string
					for i := range site.Services {
						if strings.HasPrefix(site.Services[i].Name, "agent") {
							own = append(own, site.Services[i].Name)
						}
					}
					if !slices.Equal(own, []string{fmt.Sprint("agent", n)}) {
						t.Errorf("caller %d has %v", n, own)
					}
				}
			})
		}
		work.Wait()
		if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Services) != 1 {
			t.Errorf("the public Site: %v, %v", err, site.Services)
		}
	})
}
