package cache_test

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

func TestRulesKeepAbsencesForTheirOwnTime(t *testing.T) {
	day := 24 * time.Hour
	overlay := func(e *cache.Entry, l cache.Lifetime) cache.Lifetime {
		if e.Status == 404 || e.Status == 410 {
			return cache.Lifetime{For: day, Source: "negative", Obligation: true}
		}
		return l
	}
	for _, headers := range [][]string{nil, {"Cache-Control", "max-age=5"}, {"Cache-Control", "no-cache"}, {"Cache-Control", "no-store"}, {"Vary", "*"},
		{"Age", "90000"}, {"Date", "Thu, 30 Dec 1999 00:00:00 GMT"}, {"Date", "Thu, 30 Dec 1999 00:00:00 GMT", "Cache-Control", "no-store"}} {
		for _, status := range []int{404, 410} {
			synctest.Test(t, func(t *testing.T) {
				o := always(status, "gone", headers...)
				tr := cache.By(newTransport(t, o, nil), &cache.TestRules{Lifetimes: overlay})
				get(t, tr, home)
				time.Sleep(day - time.Second)
				if got := get(t, tr, home, "Cache-Control", "no-cache"); got.Status != status || got.From != cache.FromMemory {
					t.Errorf("%d %q inside 24 h: %+v", status, headers, got)
				}
				wantCount(t, "inside 24 h", o, 1)
				time.Sleep(time.Second)
				get(t, tr, home)
				wantCount(t, "after 24 h", o, 2)
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []func(*http.Request) (*http.Response, error){
			say(503, "x"), say(500, "x"), say(403, "x"), fail(errors.New("timeout")),
		} {
			o := script(tt, say(200, "up"))
			tr := cache.By(newTransport(t, o, nil), &cache.TestRules{Lifetimes: overlay})
			if resp, err := tr.RoundTrip(newRequest(t.Context(), home)); err == nil && resp.StatusCode == 200 {
				t.Error("the first answer is lost")
			}
			want(t, "a failure is not remembered", get(t, tr, home), result{200, "up", cache.FromNetwork, ""})
		}
	})
}

func TestReadAndLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(say(200, "one", "Etag", `"1"`), say(304, "", "Etag", `"1"`), say(200, "two", "Etag", `"2"`))
		attached := 0
		tr := cache.By(newTransport(t, o, nil), &cache.TestRules{
			Reads: func(e *cache.Entry) any { attached++; return "reading of " + string(e.Body) },
			Lifetimes: func(e *cache.Entry, l cache.Lifetime) cache.Lifetime {
				if e.Note == nil {
					t.Error("Lifetime came before Read")
				}
				return cache.Lifetime{For: time.Hour, Source: "format"}
			},
		})
		var got []any
		for range 4 {
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			e, _, _ := cache.Of(resp)
			got = append(got, cache.Read(e))
			if diff := cmp.Diff(cache.Lifetime{For: time.Hour, Source: "format"}, e.Lifetime); diff != "" {
				t.Errorf("lifetime (-want +got):\n%s", diff)
			}
			time.Sleep(40 * time.Minute)
		}
		if diff := cmp.Diff([]any{"reading of one", "reading of one", "reading of one", "reading of one"}, got); diff != "" {
			t.Errorf("attached (-want +got):\n%s", diff)
		}
		if attached != 1 {
			t.Errorf("Read was called %d times for one body", attached)
		}
		time.Sleep(time.Hour)
		get(t, tr, home)
		if attached != 2 {
			t.Errorf("Read was called %d times for two bodies", attached)
		}
	})
}

func TestAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "x", "Cache-Control", "max-age=60")
		allowed := true
		tr := newTransport(t, o, &cache.Options{Allow: func(netip.AddrPort) bool { return allowed }})
		get(t, tr, home)
		want(t, "allowed", get(t, tr, home), result{200, "x", cache.FromMemory, ""})
		allowed = false
		want(t, "not allowed", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
	})
}
