package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// seenHosts is a hook that refuses some hosts and remembers all.
type seenHosts struct {
	t      *testing.T
	refuse string

	mu   sync.Mutex
	list []string
}

type callerKey struct{}

func (s *seenHosts) hook(ctx context.Context, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Value(callerKey{}) != nil {
		s.t.Error("a value of a caller came with the hook")
	}
	if !slices.Contains(s.list, host) {
		s.list = append(s.list, host)
	}
	if host == s.refuse {
		return errors.New("not this one")
	}
	return nil
}

// Each name that a caller, a redirect or a document brings is shown to the hook
// before it is looked up; one that it refuses never is.
func TestBeforeHost(t *testing.T) {
	for _, refuse := range []string{"", "shop.com", "www.shop.com", "docs.shop.com"} {
		t.Run("refuses "+refuse, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, "https://www.shop.com"+r.URL.Path, http.StatusFound)
				}))
				internet.Host("www.shop.com", clienttest.Pages{"/llms.txt": linking("https://docs.shop.com/openapi.json")})
				docs := internet.Host("docs.shop.com", clienttest.Pages{"/openapi.json": oneOperation("/x")})
				seen := &seenHosts{t: t, refuse: refuse}
				c := internet.Client(func(o *client.Options) { o.Network.BeforeHost = seen.hook })
				ctx := context.WithValue(t.Context(), callerKey{}, "alice")
				_, err := c.Resolve(ctx, "shop.com")
				want := []string{"shop.com", "www.shop.com", "docs.shop.com"}
				if i := slices.Index(want, refuse); i >= 0 {
					want = want[:i+1]
				}
				if !slices.Equal(seen.list, want) {
					t.Errorf("shown %v, want %v", seen.list, want)
				}
				if n := docs.Dials(); (n == 0) != (refuse != "") {
					t.Errorf("%d dials", n)
				}
				e, _ := errors.AsType[*wayfind.Error](err)
				if refused := refuse == "shop.com" || refuse == "www.shop.com"; refused != (e != nil && e.Code == wayfind.CodeHostRefused && errors.Is(e, wayfind.ErrRefused)) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// The ready detector stops a text that has an agent carry data away in names.
func TestBeforeHost_Detector(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var d security.HostDetector
		c := internet.Client(func(o *client.Options) { o.Network.BeforeHost = d.BeforeHost })
		_, err := c.Resolve(t.Context(), "c2vjcmv0lwtlesaxmjm0nty3.evil.com")
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != wayfind.CodeHostRefused {
			t.Error(err)
		}
	})
}

func TestANameThatCarriesATokenIsNotLookedUp(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const token = "xoxb-176536724815-198746983230-pdfgqajrgdk7x2m9q4w1z8v3"
		internet.Host("shop.example.com", nil).Handle("/.well-known/agent-card.json", http.RedirectHandler("https://"+token+".example.com/card.json", http.StatusFound))
		c := internet.Client()
		_, err := c.Resolve(t.Context(), token+".evil.com")
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != wayfind.CodeSecret || !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("the name of a caller: %v", err)
		}
		_, _ = c.Resolve(t.Context(), "shop.example.com") // led there by a redirect
		for _, asked := range internet.Lookups() {
			if strings.Contains(asked.Name, "xoxb") {
				t.Errorf("%s was looked up", asked.Name)
			}
		}
		if len(internet.Lookups()) == 0 {
			t.Error("nothing was looked up at all")
		}
	})
}
