package cachetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// slack is the duration by which a store may round the end of an obligation, up or down.
const slack = time.Second

// obliging is a law for a store that keeps obligations. A store need not keep any.
func obliging(law func(t *testing.T, s cache.ObligationStore)) func(t *testing.T, s cache.Store) {
	return func(t *testing.T, s cache.Store) {
		o, ok := s.(cache.ObligationStore)
		if !ok {
			return
		}
		_, _, _, err := o.Acquire(t.Context(), "keeps", time.Now().Add(-time.Minute))
		if !errors.Is(err, errors.ErrUnsupported) {
			law(t, o)
		}
	}
}

func acquire(t *testing.T, s cache.ObligationStore, key string, until time.Time) (ok bool, held time.Time, release func()) {
	t.Helper()
	ok, held, release, err := s.Acquire(t.Context(), key, until)
	if err != nil {
		t.Fatalf("Acquire(%q): %v", key, err)
	}
	if ok && release == nil {
		t.Fatalf("Acquire(%q) is ok, but returns no release", key)
	}
	return ok, held, release
}

func wantHeld(t *testing.T, s cache.ObligationStore, key string, until time.Time) {
	t.Helper()
	ok, held, _ := acquire(t, s, key, time.Now().Add(time.Minute))
	if ok {
		t.Fatalf("%q could be taken while it was held", key)
	}
	if d := held.Sub(until).Abs(); d > slack {
		t.Errorf("%q is held until %v, want %v", key, held, until)
	}
}

func testAcquire(t *testing.T, s cache.ObligationStore) {
	until := time.Now().Add(time.Hour)
	ok, _, release := acquire(t, s, "a", until)
	if !ok {
		t.Fatal("a free key could not be taken")
	}
	wantHeld(t, s, "a", until)
	if ok, _, _ := acquire(t, s, "b", until); !ok {
		t.Error("another key is held too")
	}
	release()
	release()
	again, _, _ := acquire(t, s, "a", until)
	if !again {
		t.Fatal("a released key could not be taken")
	}
	release() // by the first caller: it must not release the second caller's obligation
	wantHeld(t, s, "a", until)
}

func testAcquireRace(t *testing.T, s cache.ObligationStore) {
	until := time.Now().Add(time.Hour)
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 50 {
		wg.Go(func() {
			ok, _, _, err := s.Acquire(t.Context(), "k", until)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("Acquire: %v", err)
			}
			if ok {
				won++
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d of 50 callers got the obligation, want 1", won)
	}
}

func testLook(t *testing.T, s cache.ObligationStore) {
	past := time.Now().Add(-time.Minute)
	for range 2 {
		ok, _, release := acquire(t, s, "k", past)
		if !ok {
			t.Fatal("a look reports that a free key is held")
		}
		release()
	}
	until := time.Now().Add(time.Hour)
	if ok, _, _ := acquire(t, s, "k", until); !ok {
		t.Fatal("a look took the key")
	}
	if ok, _, _ := acquire(t, s, "k", past); ok {
		t.Error("a look does not report that the key is held")
	}
}

func testHold(t *testing.T, s cache.ObligationStore) {
	ctx := t.Context()
	until := time.Now().Add(2 * time.Hour)
	for _, at := range []time.Time{
		time.Now().Add(time.Hour), until,
		time.Now().Add(time.Minute), time.Now().Add(-time.Minute), // a hold is never shortened
	} {
		if err := s.Hold(ctx, "k", at); err != nil {
			t.Fatal(err)
		}
	}
	wantHeld(t, s, "k", until)
	if err := s.Hold(ctx, "past", time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if ok, _, _ := acquire(t, s, "past", time.Now().Add(time.Hour)); !ok {
		t.Error("a hold that has ended still holds")
	}
}

func testHoldRelease(t *testing.T, s cache.ObligationStore) {
	_, _, release := acquire(t, s, "k", time.Now().Add(2*time.Hour))
	until := time.Now().Add(time.Hour)
	if err := s.Hold(t.Context(), "k", until); err != nil {
		t.Fatal(err)
	}
	release()
	wantHeld(t, s, "k", until)
}

func testApart(t *testing.T, s cache.ObligationStore) {
	until := time.Now().Add(time.Hour)
	acquire(t, s, "k", until)
	if v := load(t, s, "k"); v != nil {
		t.Error("an obligation was loaded as an entry")
	}
	save(t, s, "k", variants("k", "text"), time.Hour)
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, s, "k", until)
}
