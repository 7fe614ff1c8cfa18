package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
)

// blind is a store that cannot be read while it is blind.
type blind struct {
	*disk.Store
	is    atomic.Bool
	loads atomic.Int64
}

func (b *blind) Load(ctx context.Context, key string) (*cache.Variants, error) {
	b.loads.Add(1)
	if b.is.Load() {
		return nil, errors.New("blind")
	}
	return b.Store.Load(ctx, key)
}

// If the look-up fails, the generation is not known: another process may purge the answer before it is
// saved. So it is not saved.
func TestAnAnswerOfAnUnknownGenerationIsNotSaved(t *testing.T) {
	store := &blind{Store: openDisk(t)}
	tr := newTransportOver(t, store, &versioned{header: []string{"Cache-Control", "max-age=600"}}, nil)
	store.is.Store(true)
	want(t, "blind", get(t, tr, home), result{200, "1", cache.FromNetwork, ""})
	store.is.Store(false)
	want(t, "next", get(t, tr, home), result{200, "1", cache.FromNetwork, ""})
	want(t, "again", get(t, tr, home), result{200, "1", "disk", ""})
}

// meeting answers in the language of a request when all have come.
type meeting struct{ all sync.WaitGroup }

func (m *meeting) RoundTrip(req *http.Request) (*http.Response, error) {
	m.all.Done()
	m.all.Wait()
	text := req.Header.Get("Accept-Language")
	return &http.Response{
		StatusCode: http.StatusOK, Request: req, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
		Header: http.Header{"Cache-Control": {"max-age=600"}, "Vary": {"Accept-Language"}},
	}, nil
}

// A call reads a store outside the process once, and again if this process has written meanwhile, so
// that no variant is lost.
func TestACallReadsAStoreOnce(t *testing.T) {
	store, origin := &blind{Store: openDisk(t)}, &meeting{}
	now := time.Now() // it stands still: a call reads again after a second
	tr := newTransportOver(t, store, origin, &cache.Options{Now: func() time.Time { return now }})
	languages := []string{"de", "en", "fr"}
	origin.all.Add(1)
	get(t, tr, home, "Accept-Language", "it") // from now on callers of different languages do not wait for each other
	origin.all.Add(len(languages))
	var callers sync.WaitGroup
	for _, l := range languages {
		callers.Go(func() { get(t, tr, home, "Accept-Language", l) })
	}
	callers.Wait()
	for _, l := range languages {
		want(t, l, get(t, tr, home, "Accept-Language", l), result{200, l, "disk", ""})
	}
	origin.all.Add(1)
	store.loads.Store(0)
	get(t, tr, home+"other", "Accept-Language", "de")
	if n := store.loads.Load(); n != 1 {
		t.Errorf("a miss has read the store %d times", n)
	}
}
