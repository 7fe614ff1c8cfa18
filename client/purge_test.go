package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Purge removes a Site with its documents, from memory and from Options.Store, and no other Site.
// The empty domain stands for all domains.
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

// patient is a store that has its time on a busy machine.
type patient struct{ cache.Store }

func (patient) Budget() time.Duration { return patience }

func (p patient) Purge(ctx context.Context, s cache.Scope) error {
	return p.Store.(cache.Purger).Purge(ctx, s)
}

// Purge of a URL ends its answers in every store, the Sites that were made of them, and
// nothing else. Another Client over the store asks for it too, without conditions.
func TestPurgeOfAURLEndsItsAnswers(t *testing.T) {
	for name, open := range map[string]func(*testing.T) (cache.Store, error){
		"memory": func(*testing.T) (cache.Store, error) { return memory.New(1 << 20) },
		"disk":   func(t *testing.T) (cache.Store, error) { return disk.Open(t.TempDir(), nil) },
		"redis": func(t *testing.T) (cache.Store, error) {
			return redis.Open(testkit.StartRedis(t).URL(), &redis.Options{InsecureUnauthenticated: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			defer store.(io.Closer).Close()
			internet := clienttest.New(t)
			site := func(name string) *clienttest.Host {
				host := internet.Host(name, nil)
				for place, text := range map[string]string{wellKnown: manifest(name, "/a"), "/llms.txt": "# Shop"} {
					host.Handle(place, page(text, "Cache-Control", "max-age=3600", "ETag", `"1"`))
				}
				return host
			}
			shop, other := site("shop.example"), site("other.example")
			anew := func() *client.Client {
				return newClient(t, internet, twoFormats, func(o *client.Options) { o.Store, o.Network.View = patient{store}, "fleet" })
			}
			first := anew()
			resolve := func(when string, c *client.Client, times int) {
				t.Helper()
				for _, target := range []string{"shop.example", "shop.example/", "other.example"} {
					if _, err := c.Resolve(t.Context(), target); err != nil {
						t.Errorf("%s: Resolve(%q): %v", when, target, err)
					}
				}
				if err := client.Flush(c); err != nil {
					t.Error(err)
				}
				for place, want := range map[string]int{wellKnown: times, "/llms.txt": 1} {
					if n, others := asked(shop)[place], asked(other)[place]; n != want || others != 1 {
						t.Errorf("%s: %s was asked for %d times, want %d; of the other site %d times", when, place, n, want, others)
					}
				}
			}
			resolve("at first", first, 1)
			for i, spelled := range []string{"https://shop.example" + wellKnown, "HTTPS://Shop.example:443" + wellKnown + "#part"} {
				if err := first.Purge(t.Context(), spelled); err != nil {
					t.Fatal(err)
				}
				resolve("after a Purge of "+spelled, first, 2+i)
			}
			if err := first.Purge(t.Context(), "https://shop.example"+wellKnown); err != nil {
				t.Fatal(err)
			}
			resolve("another Client", anew(), 4)
			for _, r := range shop.Requests() {
				if r.Header.Get("If-None-Match") != "" {
					t.Error("a purged answer was validated")
				}
			}
		})
	}
}

// A Site of a path, and one of another host with a document of the URL, end with it. So
// they do if the host of the document is purged.
func TestPurgeEndsEverySiteThatWasMadeOfIt(t *testing.T) {
	for purged, ends := range map[string]map[string]bool{
		"https://shop.example/llms.txt":   {"shop.example": true, "shop.example/a": true, "www.shop.example": true},
		"https://shop.example/robots.txt": {"shop.example": true, "shop.example/a": true},
		"https://shop.example/none":       {},
		"shop.example":                    {"shop.example": true, "shop.example/a": true, "www.shop.example": true},
		"www.shop.example":                {"www.shop.example": true, "shop.example": true, "shop.example/a": true},
		"other.example":                   {},
		"":                                {"shop.example": true, "shop.example/a": true, "www.shop.example": true},
	} {
		t.Run(purged, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a"), "/llms.txt": "# Shop"})
				internet.Host("www.shop.example", nil).Handle("/llms.txt", clienttest.Page{
					Status: http.StatusFound, Header: http.Header{"Location": {"https://shop.example/llms.txt"}, "Cache-Control": {"max-age=600"}},
				})
				c := newClient(t, internet, twoFormats)
				for _, target := range []string{"shop.example", "shop.example/a", "www.shop.example"} {
					_, _ = c.Resolve(t.Context(), target)
					if _, known := c.Peek(target); !known {
						t.Fatalf("%s is not known", target)
					}
				}
				if err := c.Purge(t.Context(), purged); err != nil {
					t.Fatal(err)
				}
				for _, target := range []string{"shop.example", "shop.example/a", "www.shop.example"} {
					if _, known := c.Peek(target); known == ends[target] {
						t.Errorf("%s is known: %v", target, known)
					}
				}
			})
		})
	}
}

// A Purge permits what Resolve does: a URL that may not be asked for is refused.
func TestPurgeRefusesAURLThatIsNotAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet)
		for _, refused := range []string{"http://shop.example/llms.txt", "https://127.0.0.1/llms.txt", "https://user:secret@shop.example/llms.txt"} {
			if err := c.Purge(t.Context(), refused); !errors.Is(err, wayfind.ErrInvalid) || strings.Contains(err.Error(), "secret") {
				t.Errorf("Purge(%q): %v", refused, err)
			}
		}
	})
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

// If a store cannot remove the entries of an origin, the error names it, and its answers are still
// not used.
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
