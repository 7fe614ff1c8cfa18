package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// held makes the far store's calls wait; the function it returns lets them
// go on.
func held(far *remote) (let func()) {
	gate := make(chan struct{})
	far.fail(func(context.Context) error {
		<-gate
		return nil
	})
	return func() { close(gate) }
}

func save(t *testing.T, s cache.Store, key, text string) {
	t.Helper()
	if err := s.Save(t.Context(), key, one(key, text), time.Hour); err != nil {
		t.Errorf("Save(%q, %q): %v", key, text, err)
	}
}

// Writes of a key are done in order. Of the waiting ones, only the last is done.
func TestLayeredWritesInOrder(t *testing.T) {
	remove := func(t *testing.T, s cache.Store) {
		t.Helper()
		if err := s.Delete(t.Context(), "k"); err != nil {
			t.Error(err)
		}
	}
	for name, row := range map[string]struct {
		write func(t *testing.T, s cache.Store)
		want  []string
	}{
		"the last of many":    {func(t *testing.T, s cache.Store) { save(t, s, "k", "2"); save(t, s, "k", "3") }, []string{"save k 1", "save k 3"}},
		"Delete after Save":   {func(t *testing.T, s cache.Store) { remove(t, s) }, []string{"save k 1", "delete k"}},
		"Save after Delete":   {func(t *testing.T, s cache.Store) { remove(t, s); save(t, s, "k", "2") }, []string{"save k 1", "save k 2"}},
		"the same once again": {func(t *testing.T, s cache.Store) { save(t, s, "k", "1") }, []string{"save k 1", "save k 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := newRemote(t)
				l := newLayered(t, newStore(t), far)
				let := held(far)
				save(t, l, "k", "1")
				synctest.Wait() // it is being written
				row.write(t, l)
				let()
				synctest.Wait()
				if d := cmp.Diff(row.want, far.writes()); d != "" {
					t.Errorf("written (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A waiting write, including a deletion, is visible before it is done.
func TestLayeredShowsWaitingWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := newStore(t), newRemote(t)
		l := newLayered(t, near, far)
		save(t, far.Store, "gone", "old")
		let := held(far)
		save(t, l, "k", "text")
		if err := l.Delete(t.Context(), "gone"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if err := near.Delete(t.Context(), "k"); err != nil { // it forgets
			t.Error(err)
		}
		if v, err := l.Load(t.Context(), "k"); err != nil || v == nil || string(v.Entries[0].Body) != "text" {
			t.Errorf("what waits to be saved: %+v, %v", v, err)
		}
		if v, err := l.Load(t.Context(), "gone"); err != nil || v != nil {
			t.Errorf("what waits to be deleted: %+v, %v", v, err)
		}
		let()
		synctest.Wait()
		for key, want := range map[string]bool{"k": true, "gone": false} {
			if v, err := l.Load(t.Context(), key); err != nil || (v != nil) != want {
				t.Errorf("%q afterwards: %+v, %v", key, v, err)
			}
		}
	})
}

// large is a text. Eight of them fill the queue.
func large() string { return strings.Repeat("x", cache.MaxQueued/8-4096) }

// If the queue is full, callers wait, but not for long. Then the write is given up and counted, the
// entry that it would have replaced is deleted, and one warning is logged. Callers do not wait
// while no write ends.
func TestLayeredDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const extra = 5
		var log bytes.Buffer
		far := newRemote(t)
		l := cache.NewLayered(newStore(t), far, slog.New(slog.NewTextHandler(&log, nil)))
		defer l.Close()
		save(t, l, "key9", "old")
		synctest.Wait()
		let, start := held(far), time.Now()
		for _, key := range keys(8 + extra) {
			save(t, l, key, large())
		}
		if took := time.Since(start); took != cache.StoreBudget {
			t.Errorf("the callers waited %v", took)
		}
		save(t, l, "key0", "newer") // one that waits already
		if d := cmp.Diff(cache.LayeredStats{Dropped: extra}, l.Stats()); d != "" {
			t.Errorf("counted (-want +got):\n%s", d)
		}
		if n := strings.Count(log.String(), "too slow"); n != 1 {
			t.Errorf("the log says it %d times:\n%s", n, log.String())
		}
		let()
		synctest.Wait()
		for i, key := range keys(8 + extra) {
			op := "save "
			if i >= 8 {
				op = "delete "
			}
			if !slices.ContainsFunc(far.writes(), func(w string) bool { return strings.HasPrefix(w+" ", op+key+" ") }) {
				t.Errorf("no %s%s", op, key)
			}
		}
		if !slices.Contains(far.writes(), "save key0 newer") || !slices.Contains(far.writes(), "delete key9") {
			t.Error("the newer one of a key that waits was dropped, or the older one of a key that was dropped stays")
		}
		save(t, l, "later", "text")
		synctest.Wait()
		if v, err := far.Load(t.Context(), "later"); v == nil || err != nil {
			t.Errorf("when there is room again: %v, %v", v, err)
		}
	})
}

// The answers of many domains at a time all reach a far store that takes its time:
// if there are more than fit into the queue, their callers wait.
func TestLayeredKeepsUpWithACrawl(t *testing.T) {
	for name, text := range map[string]string{"small": "text", "large": strings.Repeat("x", 64<<10)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const domains, answers = 16, 29
				rounds := testkit.Size(1, 10)
				far := newRemote(t)
				far.fail(func(context.Context) error { time.Sleep(time.Millisecond); return nil })
				l := newLayered(t, newStore(t), far)
				var all sync.WaitGroup
				for d := range domains {
					all.Go(func() {
						for r := range rounds {
							for a := range answers {
								save(t, l, fmt.Sprint(d, "/", r, "/", a), text)
							}
						}
					})
				}
				all.Wait()
				if err := l.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n := len(far.writes()); n != domains*rounds*answers {
					t.Errorf("%d of %d were written", n, domains*rounds*answers)
				}
				if d := cmp.Diff(cache.LayeredStats{}, l.Stats()); d != "" {
					t.Errorf("counted (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A caller that leaves does not wait for room.
func TestLayeredCallerLeavesAFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		let := held(far)
		defer let()
		for _, key := range keys(8) {
			save(t, l, key, large())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		start := time.Now()
		if err := l.Save(ctx, "k", one("k", large()), time.Hour); err != nil || time.Since(start) != time.Millisecond {
			t.Errorf("Save: %v after %v", err, time.Since(start))
		}
	})
}

// A save that fails deletes the entry that it would have replaced, unless a later save has replaced
// it.
func TestLayeredFailedSaveDeletes(t *testing.T) {
	for name, row := range map[string]struct {
		later bool
		want  []string
	}{
		"the last": {false, []string{"save k old", "save k new", "delete k"}},
		"not last": {true, []string{"save k old", "save k new", "save k newest"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := newRemote(t)
				l := newLayered(t, newStore(t), far)
				save(t, l, "k", "old")
				synctest.Wait()
				let := make(chan struct{})
				var calls atomic.Int32
				far.fail(func(context.Context) error {
					if calls.Add(1) > 1 {
						return nil
					}
					<-let
					return errors.New("out of memory")
				})
				save(t, l, "k", "new")
				synctest.Wait()
				if row.later {
					save(t, l, "k", "newest")
				}
				close(let)
				synctest.Wait()
				if d := cmp.Diff(row.want, far.writes()); d != "" {
					t.Errorf("written (-want +got):\n%s", d)
				}
				if d := cmp.Diff(cache.LayeredStats{Failed: 1}, l.Stats()); d != "" {
					t.Errorf("counted (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A deletion may use more of the queue than other writes, because the deleted entry may have to go.
// This part has a limit, too.
func TestLayeredDeletesWhenFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		save(t, l, "gone", "old")
		synctest.Wait()
		let := held(far)
		for _, key := range keys(8) {
			save(t, l, key, large())
		}
		if err := l.Delete(t.Context(), "gone"); err != nil {
			t.Error(err)
		}
		long, n := strings.Repeat("x", 1<<20), 0
		for l.Stats().Dropped == 0 && n < 100 {
			if err := l.Delete(t.Context(), fmt.Sprint(long, n)); err != nil {
				t.Error(err)
			}
			n++
		}
		if n != 8+1 {
			t.Errorf("%d deletions of a MiB each found room", n-1)
		}
		let()
		synctest.Wait()
		if v, err := far.Load(t.Context(), "gone"); v != nil || err != nil {
			t.Errorf("afterwards: %v, %v", v, err)
		}
	})
}

// A write that hangs is given up after WriteBudget, and the next is written.
func TestLayeredWriteBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		far.fail(silent)
		save(t, l, "k", "1")
		synctest.Wait()
		far.fail(nil)
		save(t, l, "k", "2")
		time.Sleep(cache.WriteBudget)
		synctest.Wait()
		if d := cmp.Diff([]string{"save k 1", "save k 2"}, far.writes()); d != "" {
			t.Errorf("written (-want +got):\n%s", d)
		}
		if d := cmp.Diff(cache.LayeredStats{Failed: 1}, l.Stats()); d != "" {
			t.Errorf("counted (-want +got):\n%s", d)
		}
	})
}

// Close waits for queued writes, but not for ever, and takes no more writes.
func TestLayeredClose(t *testing.T) {
	for name, row := range map[string]struct {
		fault func(context.Context) error
		took  time.Duration
		saved int
	}{
		"sound": {nil, 0, 40},
		"slow":  {func(context.Context) error { time.Sleep(100 * time.Millisecond); return nil }, time.Second, 40},
		"hangs": {silent, cache.CloseBudget, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := newRemote(t)
				l := cache.NewLayered(newStore(t), far, nil)
				far.fail(row.fault)
				for _, key := range keys(40) {
					save(t, l, key, "text")
				}
				start := time.Now()
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took > cache.CloseBudget || row.took == 0 && took != 0 || row.took == cache.CloseBudget && took != row.took {
					t.Errorf("Close took %v", took)
				}
				far.fail(nil)
				saved := 0
				for _, key := range keys(40) {
					if v, err := far.Load(t.Context(), key); err == nil && v != nil {
						saved++
					}
				}
				if saved != row.saved {
					t.Errorf("%d of 40 were written, want %d", saved, row.saved)
				}
				if err := l.Save(t.Context(), "k", one("k", "late"), time.Hour); !errors.Is(err, cache.ErrClosed) {
					t.Errorf("Save after Close: %v", err)
				}
				if err := l.Delete(t.Context(), "k"); !errors.Is(err, cache.ErrClosed) {
					t.Errorf("Delete after Close: %v", err)
				}
			})
		})
	}
}

// An obligation is taken in both stores or in none, and released in both. If the far store fails or
// hangs, the origin is still asked.
func TestLayeredAcquire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := newStore(t), newRemote(t)
		l := newLayered(t, near, far)
		until := time.Now().Add(time.Hour)
		free := func(what string, s cache.ObligationStore, key string, want bool) {
			t.Helper()
			if ok, _, _, err := s.Acquire(t.Context(), key, time.Time{}); ok != want || err != nil {
				t.Errorf("%s: free %t, %v; want %t", what, ok, err, want)
			}
		}
		ok, _, release, err := l.Acquire(t.Context(), "k", until)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		free("near, taken", near, "k", false)
		free("far, taken", far, "k", false)
		release()
		free("near, given back", near, "k", true)
		free("far, given back", far, "k", true)

		if ok, _, _, _ := far.Acquire(t.Context(), "theirs", until); !ok {
			t.Fatal("not taken")
		}
		if ok, held, _, err := l.Acquire(t.Context(), "theirs", until.Add(time.Hour)); ok || err != nil || !held.Equal(until) {
			t.Errorf("what another process holds: %t until %v, %v", ok, held, err)
		}
		free("near, when far refuses", near, "theirs", true)

		for name, fault := range map[string]func(context.Context) error{"fails": func(context.Context) error { return errors.New("down") }, "hangs": silent} {
			far.fail(fault)
			start := time.Now()
			ok, _, release, err := l.Acquire(t.Context(), name, until)
			if !ok || err != nil || time.Since(start) > cache.StoreBudget {
				t.Errorf("far %s: %t, %v after %v", name, ok, err, time.Since(start))
			}
			free("near, when far "+name, near, name, false)
			release()
			free("near, given back when far "+name, near, name, true)
		}
	})
}

// A hold is sent to both stores, even if the far one fails.
func TestLayeredHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := newStore(t), newRemote(t)
		l := newLayered(t, near, far)
		until := time.Now().Add(time.Hour)
		if err := l.Hold(t.Context(), "both", until); err != nil {
			t.Error(err)
		}
		far.fail(silent)
		start := time.Now()
		if err := l.Hold(t.Context(), "near", until); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != cache.StoreBudget {
			t.Errorf("when far hangs: %v after %v", err, time.Since(start))
		}
		far.fail(nil)
		got := map[string][2]bool{}
		for _, key := range []string{"both", "near"} {
			here, _, _, _ := near.Acquire(t.Context(), key, time.Time{})
			there, _, _, _ := far.Acquire(t.Context(), key, time.Time{})
			got[key] = [2]bool{!here, !there}
		}
		if d := cmp.Diff(map[string][2]bool{"both": {true, true}, "near": {true, false}}, got); d != "" {
			t.Errorf("held near and far (-want +got):\n%s", d)
		}
	})
}

// bare is a store without obligations.
type bare struct{ cache.Store }

// A store need not keep obligations: then the other layer decides alone, and without one that keeps
// them the caller is told.
func TestLayersWithoutObligations(t *testing.T) {
	until := time.Now().Add(time.Hour)
	for _, row := range []struct {
		name      string
		near, far cache.Store
		keeps     bool
	}{
		{"near", newStore(t), bare{newStore(t)}, true},
		{"far", bare{newStore(t)}, newStore(t), true},
		{"none", bare{newStore(t)}, bare{newStore(t)}, false},
	} {
		l := newLayered(t, row.near, row.far)
		first, _, _, err := l.Acquire(t.Context(), "k", until)
		if first != row.keeps || errors.Is(err, errors.ErrUnsupported) == row.keeps {
			t.Errorf("%s: %t, %v", row.name, first, err)
		}
		if second, _, _, _ := l.Acquire(t.Context(), "k", until); second {
			t.Errorf("%s: two callers have the key", row.name)
		}
		if err := l.Hold(t.Context(), "h", until); errors.Is(err, errors.ErrUnsupported) == row.keeps || row.keeps && err != nil {
			t.Errorf("%s: Hold: %v", row.name, err)
		}
	}
}
