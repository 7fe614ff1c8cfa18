package discover

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// A Site does not stay where one that is made of newer responses was put
// together at the same time. Of two responses that came at one instant each may be
// the newer one.
func TestMayReplace(t *testing.T) {
	at := func(came time.Duration, body string) *cache.Entry {
		moment := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC).Add(came)
		return cache.Restore(cache.Entry{RequestTime: moment, ResponseTime: moment, Body: []byte(body), Digest: sha256.Sum256([]byte(body))})
	}
	rows := []struct {
		name      string
		own, have *cache.Entry
		may       bool
	}{
		{"younger", at(1, "a"), at(0, "b"), true},
		{"older", at(0, "a"), at(1, "b"), false},
		{"of one instant, the same", at(0, "a"), at(0, "a"), false},
		{"of one instant, another", at(0, "a"), at(0, "b"), true},
	}
	for _, row := range rows {
		if got := (EntryPins{{whole: row.own}}).newerThan(EntryPins{{whole: row.have}}); got != row.may {
			t.Errorf("%s: may replace is %v", row.name, got)
		}
	}
}

// A flight that ends later does not put an older answer in the place of a newer
// one, and of two that each have something newer neither is kept.
func TestNewerSiteIsKept(t *testing.T) {
	now := time.Now()
	answers := func(a, b int) map[string]time.Time {
		return map[string]time.Time{"https://x.example/a": now.Add(time.Duration(a) * time.Second), "https://x.example/b": now.Add(time.Duration(b) * time.Second)}
	}
	for name, c := range map[string]struct {
		first, second map[string]time.Time
		late          bool
		kept          string
	}{
		"newer":          {answers(1, 1), answers(2, 1), false, "second"},
		"the same":       {answers(1, 1), answers(1, 1), false, "second"},
		"older":          {answers(2, 1), answers(1, 1), false, "first"},
		"both":           {answers(2, 1), answers(1, 2), false, ""},
		"late and newer": {answers(1, 1), answers(2, 2), true, ""},
		"late":           {answers(1, 1), answers(1, 1), true, "first"},
		"late and older": {answers(2, 2), answers(1, 1), true, "first"},
	} {
		s, err := newSiteCache(clock.New(func() time.Time { return now }, nil), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		store := func(origin string, answers map[string]time.Time, began uint64) {
			o := &Outcome{}
			for u, at := range answers {
				o.Entries = append(o.Entries, &cache.Entry{URL: u, Status: 200, ResponseTime: at})
			}
			s.Store("k", &Result{Site: &wayfind.Site{Origin: origin, FreshUntil: now.Add(time.Hour)}, Outcomes: []*Outcome{o}}, began, false)
		}
		store("first", c.first, s.currentEpoch("k"))
		began := s.currentEpoch("k")
		if c.late {
			began--
		}
		store("second", c.second, began)
		kept := ""
		if e, ok := s.Fresh("k"); ok {
			kept = e.Site.Origin
		}
		if kept != c.kept {
			t.Errorf("%s: %q is kept, want %q", name, kept, c.kept)
		}
		s.Close()
	}
}

// The first reader after a purge asks whether it has ended a Site, and no later one: the
// Site gets the present age. A Site counts no more if too much was purged to remember it.
func TestASiteIsRecountedOnceAfterAPurge(t *testing.T) {
	now := time.Now()
	s, err := newSiteCache(clock.New(func() time.Time { return now }, nil), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Store("shop.example", &Result{Site: &wayfind.Site{Origin: "https://shop.example", FreshUntil: now.Add(time.Hour)}}, 0, false)
	purge := func(page string) {
		u, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		s.Forget(cache.OfURL(u))
	}
	for range 3 {
		purge("https://other.example/a")
		for _, counted := range []bool{false, true} {
			if e, _ := s.Table.Get("shop.example"); (e.age == s.age.Load()) != counted {
				t.Errorf("after a purge the Site has age %d of %d", e.age, s.age.Load())
			}
			if _, ok := s.Fresh("shop.example"); !ok {
				t.Fatal("another site's purge has ended it")
			}
		}
	}
	for n := range 2000 {
		purge(fmt.Sprintf("https://other.example/%d", n))
	}
	if _, ok := s.Fresh("shop.example"); ok {
		t.Error("it counts after 2000 purges")
	}
}
