package client_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
)

const tenYears = 10 * 365 * 24 * time.Hour

// movable is a clock whose wall time somebody moves; monotonic time goes on.
func movable() (now func() time.Time, move func(time.Duration)) {
	var offset atomic.Int64
	now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())).Round(0) }
	return now, func(d time.Duration) { offset.Store(int64(d)) }
}

// If the clock is set back, no place gets a second request in the hour, and no caller waits for
// longer than the hour.
func TestMovingTheClockGivesNoSecondRequestAndNoLongerWait(t *testing.T) {
	for name, jump := range map[string]time.Duration{"back a day": -24 * time.Hour, "back ten years": -tenYears, "back an hour": -time.Hour, "not at all": 0} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", prose("Cache-Control", "no-cache"))
				now, move := movable()
				c := newClient(t, internet, floored, func(o *client.Options) { o.Lab.Now = now })
				if err := client.Forget(c); err != nil {
					t.Fatal(err)
				}
				storm(t, []*client.Client{c})
				time.Sleep(time.Minute)
				move(jump)
				storm(t, []*client.Client{c})
				time.Sleep(59*time.Minute - time.Nanosecond)
				storm(t, []*client.Client{c})
				wantAsked(t, "in the hour", host, map[string]int{agentsmd.Path: 1})
				time.Sleep(time.Nanosecond)
				storm(t, []*client.Client{c})
				wantAsked(t, "after the hour", host, map[string]int{agentsmd.Path: 2})
			})
		})
	}
}

// If the clock was ahead when the request was made, no caller is blocked for longer than the hour,
// neither here nor by a shared store.
func TestAClockThatWasAheadBlocksNoCallerForLonger(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		host := internet.Host("shop.example", prose("Cache-Control", "no-cache"))
		now, move := movable()
		move(tenYears)
		c := newClient(t, internet, floored, shared(store), func(o *client.Options) { o.Lab.Now = now })
		if err := client.Forget(c); err != nil {
			t.Fatal(err)
		}
		storm(t, []*client.Client{c})
		move(0)
		synctest.Wait()
		storm(t, []*client.Client{c})
		wantAsked(t, "in the hour", host, map[string]int{agentsmd.Path: 1})
		time.Sleep(time.Hour)
		storm(t, []*client.Client{c})
		wantAsked(t, "after the hour", host, map[string]int{agentsmd.Path: 2})
		time.Sleep(time.Hour)
		_, _ = newClient(t, internet, floored, shared(store)).Resolve(t.Context(), "shop.example")
		wantAsked(t, "by another an hour later", host, map[string]int{agentsmd.Path: 3})
	})
}

// A fresh document does not become fresher if the clock is set back, and is stale if it is set
// forward.
func TestADocumentIsNotFresherAfterTheClockIsSetBack(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600"))
		now, move := movable()
		c := newClient(t, internet, func(o *client.Options) { o.Lab.Now = now })
		_, _ = again(t, c)
		move(-24 * time.Hour)
		time.Sleep(time.Hour - time.Nanosecond)
		_, _ = again(t, c)
		wantAsked(t, "in its hour, set back", host, map[string]int{wellKnown: 1})
		time.Sleep(time.Nanosecond)
		_, _ = again(t, c)
		wantAsked(t, "after its hour, set back", host, map[string]int{wellKnown: 2})
		move(0)
		_, _ = again(t, c)
		wantAsked(t, "set forward by a day", host, map[string]int{wellKnown: 3})
	})
}

// The same for a whole Site.
func TestASiteIsNotFresherAfterTheClockIsSetBack(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600"))
		now, move := movable()
		c := newClient(t, internet, func(o *client.Options) { o.Lab.Now = now })
		_, _ = c.Resolve(t.Context(), "shop.example")
		move(-24 * time.Hour)
		time.Sleep(time.Hour)
		_, _ = c.Resolve(t.Context(), "shop.example")
		wantAsked(t, "after its hour, set back", host, map[string]int{wellKnown: 2})
		move(0)
		_, _ = c.Resolve(t.Context(), "shop.example")
		wantAsked(t, "set forward by a day", host, map[string]int{wellKnown: 3})
	})
}

// While a laptop sleeps, monotonic time stops and the wall clock goes on. In the morning no answer
// of yesterday evening is fresh.
func TestNothingIsFreshAfterANightOfSleep(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		now, move := movable()
		document := page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600")
		host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
			document.ServeHTTP(w, r)
		}))
		c := newClient(t, internet, func(o *client.Options) { o.Lab.Now = now })
		ask := func(when string, requests int) {
			t.Helper()
			for _, domain := range []string{"shop.example", "Shop.Example."} {
				if _, err := c.Resolve(t.Context(), domain); err != nil {
					t.Error(err)
				}
			}
			wantAsked(t, when, host, map[string]int{wellKnown: requests})
		}
		ask("at first", 1)
		move(time.Hour - time.Second)
		ask("after a nap", 1)
		move(13*time.Hour - time.Second)
		ask("after a night", 2)
	})
}
