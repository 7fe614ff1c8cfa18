package cache_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

// asked is variants of one entry that was requested at a time.
func asked(key, text string, at time.Time) *cache.Variants {
	e := cachetest.Entry(key, text)
	e.RequestTime, e.ResponseTime = at, at
	return &cache.Variants{Entries: []*cache.Entry{cache.Restore(*e)}}
}

// hangs lets the last of three writes to a silent store end just now. None of them is in a lane of
// "k" or "other".
func hangs(t *testing.T, l *cache.Layered) {
	t.Helper()
	for _, key := range [lateCalls]string{"key0", "key0", "key1"} {
		save(t, l, key, "late")
		time.Sleep(cache.WriteBudget * 4 / 5)
		synctest.Wait()
		if key == "key0" {
			time.Sleep(cache.WriteBudget / 5) // the deletion after it
			synctest.Wait()
		}
	}
}

// TestLayeredNeverGoesBack: if a far store neither takes an entry nor deletes the entry before it,
// the old entry does not come back in this process after the near store has lost the new one.
// Entries that others request later do.
func TestLayeredNeverGoesBack(t *testing.T) {
	down := func(context.Context) error { return errors.New("connection refused") }
	for name, write := range map[string]func(t *testing.T, l *cache.Layered, far *remote){
		"a save that fails": func(t *testing.T, l *cache.Layered, far *remote) {
			far.fail(down)
			if err := l.Save(t.Context(), "k", asked("k", "new", time.Now()), time.Hour); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		},
		"a deletion that fails": func(t *testing.T, l *cache.Layered, far *remote) {
			far.fail(down)
			if err := l.Delete(t.Context(), "k"); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		},
		"a save while the store is left alone": func(t *testing.T, l *cache.Layered, far *remote) {
			far.fail(silent)
			hangs(t, l)
			if err := l.Save(t.Context(), "k", asked("k", "new", time.Now()), time.Hour); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			time.Sleep(leftAlone)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const key = "k"
				near, far := newStore(t), newRemote(t)
				l := newLayered(t, near, far)
				if err := far.Store.Save(t.Context(), key, asked(key, "old", time.Now()), 24*time.Hour); err != nil {
					t.Fatal(err)
				}
				if v, err := l.Load(t.Context(), key); v == nil || err != nil {
					t.Fatal(v, err)
				}
				time.Sleep(time.Second)
				write(t, l, far)
				far.fail(nil)
				if err := near.Delete(t.Context(), key); err != nil { // it forgets
					t.Error(err)
				}
				if v, err := l.Load(t.Context(), key); v != nil && len(v.Entries) > 0 || err != nil {
					t.Errorf("it came back: %s, %v", v.Entries[0].Body, err)
				}
				time.Sleep(time.Second)
				if err := far.Store.Save(t.Context(), key, asked(key, "others'", time.Now()), time.Hour); err != nil {
					t.Fatal(err)
				}
				if v, err := l.Load(t.Context(), key); err != nil || v == nil || string(v.Entries[0].Body) != "others'" {
					t.Errorf("what others have asked for later: %v, %v", v, err)
				}
			})
		})
	}
}
