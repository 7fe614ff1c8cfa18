package cache_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// forEveryone lists what makes the answer to credentials one for everyone in a shared
// cache (RFC 9111 §3.5), and what does not.
func forEveryone() map[string]bool {
	return map[string]bool{
		"public, max-age=600":              true,
		"s-maxage=600":                     true,
		"max-age=600, must-revalidate":     true,
		"max-age=600":                      false,
		"max-age=600, proxy-revalidate":    false,
		"public, private, max-age=600":     false,
		"public, no-store, max-age=600":    false,
		"must-revalidate, private=\"X-A\"": false,
	}
}

// A shared cache by RFC 9111 alone keeps the answer to a caller if the answer is for everyone,
// whatever field identifies the caller. It keeps no answer of a session.
func TestAStrictSharedCacheKeepsAnswersForEveryone(t *testing.T) {
	for _, field := range cache.IdentityFields() {
		for control, may := range forEveryone() {
			t.Run(field+" "+control, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					far := newSerialised()
					tr := newTransportOver(t, far, sees(field, "Cache-Control", control), strict())
					may := may && field != "Mcp-Session-Id"
					for _, who := range []string{"alice", "bob", ""} {
						header := http.Header{strings.ToLower(field): {who}}
						if who == "" {
							header = nil
						}
						body := "for " + who
						if may {
							body = "for alice"
						}
						if got := spelled(t, tr, header); got.Body != body {
							t.Errorf("%q gets %q, want %q", who, got.Body, body)
						}
					}
					if kept := slices.Contains(far.saved(), "for alice"); kept != may {
						t.Errorf("the store was given %q", far.saved())
					}
				})
			})
		}
	}
}

// An answer to a request without credentials is for callers without credentials, unless it is
// declared to be for everyone. A caller's own answer replaces only answers that this caller would
// have got.
func TestCallersOfAStrictSharedCacheKeepTheirOwnView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control := "max-age=600"
		o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
			return response(200, string(rune('a'+n-1))+" for "+req.Header.Get("X-Api-Key"), "Cache-Control", control), nil
		}}
		tr := newTransportOver(t, newSerialised(), o, strict())
		get(t, tr, home)
		want(t, "alice", get(t, tr, home, "X-Api-Key", "alice"), result{200, "b for alice", cache.FromNetwork, ""})
		want(t, "alice again", get(t, tr, home, "X-Api-Key", "alice"), result{200, "c for alice", cache.FromNetwork, ""})
		want(t, "nobody", get(t, tr, home), result{200, "a for ", "disk", ""})
		control = "max-age=600, public"
		want(t, "alice, public", get(t, tr, home, "X-Api-Key", "alice"), result{200, "d for alice", cache.FromNetwork, ""})
		want(t, "bob", get(t, tr, home, "X-Api-Key", "bob"), result{200, "d for alice", "disk", ""})
		control = "max-age=600, private"
		want(t, "a reload", get(t, tr, home, "X-Api-Key", "alice", "Cache-Control", "no-cache"), result{200, "e for alice", cache.FromNetwork, ""})
		want(t, "bob after it", get(t, tr, home, "X-Api-Key", "bob"), result{200, "f for bob", cache.FromNetwork, ""})
	})
}

// A 304 to one caller may end the permission to use the answer for everyone.
func TestA304CanEndTheSharingOfAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(say(200, "alice's", "Cache-Control", "public, max-age=0", "Etag", `"1"`),
			say(304, "", "Cache-Control", "max-age=600", "Etag", `"1"`), say(200, "bob's", "Cache-Control", "max-age=600"))
		tr := newTransportOver(t, newSerialised(), o, strict())
		get(t, tr, home, "Authorization", "alice")
		want(t, "alice", get(t, tr, home, "Authorization", "alice"), result{200, "alice's", cache.FromValidated, ""})
		want(t, "bob", get(t, tr, home, "Authorization", "bob"), result{200, "bob's", cache.FromNetwork, ""})
		want(t, "nobody", get(t, tr, home), result{200, "bob's", cache.FromNetwork, ""})
	})
}

// Callers that ask at the same time wait for no answer to another one.
func TestCallersOfAStrictSharedCacheDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := sees("Authorization", "Cache-Control", "max-age=600")
		o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return next.answer(n, req)
		}}
		tr := newTransportOver(t, newSerialised(), o, strict())
		start := time.Now()
		var asking sync.WaitGroup
		for _, who := range []string{"alice", "bob"} {
			asking.Go(func() {
				if got := get(t, tr, home, "Authorization", who); got.Body != "for "+who {
					t.Errorf("%s gets %q", who, got.Body)
				}
			})
		}
		asking.Wait()
		if took := time.Since(start); took != time.Second {
			t.Errorf("both have their answers after %v, want a second", took)
		}
	})
}

// A Partition or Rules of an Ask confine its answers, even if a shared cache might keep them.
func TestAStrictSharedCacheKeepsNothingThatItsCallerConfines(t *testing.T) {
	for name, change := range map[string]func(*http.Request, *cache.Ask){
		"partition": func(_ *http.Request, a *cache.Ask) { a.Partition = "p" },
		"rules":     func(_ *http.Request, a *cache.Ask) { a.Rules = &cache.TestRules{} },
		"rules that remember a no": func(_ *http.Request, a *cache.Ask) {
			a.Rules = &cache.TestRules{Lifetimes: func(_ *cache.Entry, l cache.Lifetime) cache.Lifetime {
				l.Remembered = true
				return l
			}}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			far := newSerialised()
			tr := cache.Ruled(newTransportOver(t, far, always(200, "x", "Cache-Control", "public, max-age=600"), strict()), change)
			get(t, tr, home, "X-Api-Key", "alice")
			if saved := far.saved(); len(saved) > 0 {
				t.Errorf("%s: the store was given %q", name, saved)
			}
		})
	}
}
