package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// Purge forgets a Site with the documents that it was made of, here and in
// Options.Store, and no other Site. The empty domain stands for all.
func TestPurgeForgetsASiteAndItsDocuments(t *testing.T) {
	for purged, forgets := range map[string]map[string]bool{
		"shop.example":          {"shop.example": true},
		"https://SHOP.example/": {"shop.example": true},
		"":                      {"shop.example": true, "other.example": true},
	} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprint(purged, stored), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					var change []func(*client.Options)
					if stored {
						store, err := memory.New(1 << 20)
						if err != nil {
							t.Fatal(err)
						}
						defer store.Close()
						change = append(change, func(o *client.Options) { o.Store = farMemory{store} })
					}
					hosts := map[string]*clienttest.Host{}
					for _, name := range []string{"shop.example", "other.example"} {
						hosts[name] = internet.Host(name, clienttest.Pages{"/.well-known/agent": manifest(name, "/a")})
					}
					c := newClient(t, internet, change...)
					ask := func() map[string]int {
						n := map[string]int{}
						for name, host := range hosts {
							if _, err := c.Resolve(t.Context(), name); err != nil {
								t.Fatal(err)
							}
							n[name] = len(host.Paths())
						}
						return n
					}
					before := ask()
					if err := c.Purge(t.Context(), purged); err != nil {
						t.Fatal(err)
					}
					for name := range hosts {
						if _, known := c.Peek(name); known == forgets[name] {
							t.Errorf("%s is known: %v", name, known)
						}
					}
					for name, n := range ask() {
						if (n > before[name]) != forgets[name] {
							t.Errorf("%s was asked %d times before, and %d in all", name, before[name], n)
						}
					}
				})
			})
		}
	}
}

// farMemory is a store that other processes could read.
type farMemory struct{ *memory.Store }

func (farMemory) Local() bool { return false }

// A reading that began before a Purge is not kept after it.
func TestPurgeEndsAReadingThatIsUnderWay(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/agent": manifest("shop.example", "/a")})
		c := newClient(t, internet)
		for _, domain := range []string{"shop.example", ""} {
			ended := make(chan error)
			go func() {
				_, err := c.Resolve(context.WithoutCancel(t.Context()), "shop.example")
				ended <- err
			}()
			if err := c.Purge(t.Context(), domain); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if err := c.Purge(t.Context(), domain); err != nil {
				t.Fatal(err)
			}
			if _, known := c.Peek("shop.example"); known {
				t.Errorf("known after a Purge of %q", domain)
			}
		}
		if err := c.Purge(t.Context(), "no domain"); err == nil {
			t.Error("what is no domain was purged")
		}
	})
}

// A store that cannot forget an origin is named in an error, and its answers are
// not used all the same.
func TestPurgeOfAStoreThatCannot(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/.well-known/agent": manifest("shop.example", "/a")})
		store, err := memory.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		c := newClient(t, internet, func(o *client.Options) { o.Store = struct{ cache.Store }{store} })
		for _, domain := range []string{"shop.example", ""} {
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			if err := client.Flush(c); err != nil {
				t.Fatal(err)
			}
			before := len(host.Paths())
			err := c.Purge(t.Context(), domain)
			if failed := clienttest.CheckError(err); failed != nil || !errors.Is(err, wayfind.ErrUnreachable) {
				t.Errorf("Purge of %q: %v, %v", domain, err, failed)
			}
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(host.Paths()) == before {
				t.Errorf("after a Purge of %q: %v, asked %v", domain, err, host.Paths())
			}
		}
	})
}
