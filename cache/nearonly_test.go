package cache_test

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// outsider is a store outside the process that counts what is done to it.
type outsider struct {
	cache.Store
	saved, deleted atomic.Int32
}

func (w *outsider) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	w.saved.Add(1)
	return w.Store.Save(ctx, key, v, retain)
}

func (w *outsider) Delete(ctx context.Context, key string) error {
	w.deleted.Add(1)
	return w.Store.Delete(ctx, key)
}

// An answer that must not leave the process neither writes nor pushes out what others can have, however
// many there are.
func TestAnswersOfOneCallerLeaveTheFarStoreAlone(t *testing.T) {
	far := &outsider{Store: openDisk(t)}
	layers := cache.NewLayered(newMemory(t), far, nil)
	t.Cleanup(func() { _ = layers.Close() })
	asked := 0
	rt := transportOver(t, layers, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		asked++
		return response(200, req.Header.Get("X-Caller"), "Cache-Control", "max-age=600"), nil
	}})
	get(t, rt, home)
	for i := range 3 * cache.MaxVariants {
		if got := get(t, rt, home, "X-Caller", strconv.Itoa(i)).Body; got != strconv.Itoa(i) {
			t.Errorf("caller %d reads %s", i, got)
		}
	}
	if err := layers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if saved, deleted := far.saved.Load(), far.deleted.Load(); saved > 1 || deleted > 0 {
		t.Errorf("%d writes and %d deletions", saved, deleted)
	}
	before := asked
	if got := get(t, rt, home).Body; got != "" || asked != before {
		t.Errorf("the answer for all is %q, asked again %v", got, asked != before)
	}
}
