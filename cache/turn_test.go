package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// Turns decides when a request is sent and when the far store is read. The answer of another
// process is there after so many turns.
func TestTurn(t *testing.T) {
	const wait, look, now = cache.TurnWait, cache.TurnLook, cache.TurnNow
	for name, row := range map[string]struct {
		turns  []cache.Turn
		there  int // turns until the answer is in the far store; -1 never
		header []string
		calls  int // of Turn
		asked  int // the origin
	}{
		"now":                          {[]cache.Turn{now}, 1, nil, 1, 1},
		"look, and it is there":        {[]cache.Turn{look}, 1, nil, 1, 0},
		"look in vain":                 {[]cache.Turn{look}, -1, nil, 1, 1},
		"wait until it is there":       {[]cache.Turn{wait, wait, wait, wait}, 3, nil, 3, 0},
		"wait, then look":              {[]cache.Turn{wait, wait, look}, 3, nil, 3, 0},
		"wait, then look in vain":      {[]cache.Turn{wait, wait, look}, -1, nil, 3, 1},
		"wait, then now":               {[]cache.Turn{wait, now}, -1, nil, 2, 1},
		"no-cache asks nobody's leave": {nil, -1, []string{"Cache-Control", "no-cache"}, 0, 1},
		"no-store neither":             {nil, -1, []string{"Cache-Control", "no-store"}, 0, 1},
		"nor do credentials":           {nil, -1, []string{"Authorization", "x"}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far, o := newRemote(t), always(200, "content", "Cache-Control", "max-age=60")
				calls := 0
				turns := cache.TurnFunc(func() cache.Turn {
					calls++
					if calls == row.there {
						other := processWith(t, far, always(200, "content", "Cache-Control", "max-age=60"), nil)
						get(t, other, home)
						synctest.Wait()
					}
					return row.turns[calls-1]
				})
				tr := cache.Ruled(processWith(t, far, o, nil), func(_ *http.Request, a *cache.Ask) { a.Turns = turns })
				get(t, tr, home, row.header...)
				if calls != row.calls || o.count() != row.asked {
					t.Errorf("%d turns, the origin was asked %d times; want %d and %d", calls, o.count(), row.calls, row.asked)
				}
			})
		})
	}
}

// No turn is taken for a fresh response, or for a store without a far one.
func TestTurnIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := func(_ *http.Request, a *cache.Ask) {
			a.Turns = cache.TurnFunc(func() cache.Turn {
				t.Error("whose turn is it")
				return cache.TurnNow
			})
		}
		far, o := newRemote(t), always(200, "content", "Cache-Control", "max-age=60")
		get(t, processWith(t, far, o, nil), home)
		synctest.Wait()
		tr := cache.Ruled(processWith(t, far, o, nil), asked)
		get(t, tr, home)
		get(t, tr, home)
		get(t, cache.Ruled(newTransport(t, o, nil), asked), home)
		wantCount(t, "in all", o, 2)
	})
}

// Flush waits for earlier saves and deletions, and for nothing else.
func TestLayeredFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		far.fail(func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		})
		l, start := newLayered(t, newStore(t), far), time.Now()
		if err := l.Flush(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("nothing to wait for: %v, %v", err, time.Since(start))
		}
		var want []string
		for i := range 20 {
			key := fmt.Sprint("k", i)
			if err := l.Save(t.Context(), key, one(key, key), time.Hour); err != nil {
				t.Fatal(err)
			}
			want = append(want, key)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if err := l.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's time is up: %v", err)
		}
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		far.fail(nil)
		for _, key := range want {
			if v, err := far.Store.Load(t.Context(), key); v == nil || err != nil {
				t.Errorf("%s is not there: %v", key, err)
			}
		}
	})
}

// A later save of a key that is being written is also waited for.
func TestLayeredFlushOfASecondSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		far.fail(func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		})
		l := newLayered(t, newStore(t), far)
		for _, text := range []string{"first", "second"} {
			if err := l.Save(t.Context(), "k", one("k", text), time.Hour); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second / 4) // the first takes a second
		}
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v, err := far.Store.Load(t.Context(), "k"); err != nil || string(v.Entries[0].Body) != "second" {
			t.Errorf("the store has %q, %v", v.Entries[0].Body, err)
		}
	})
}
