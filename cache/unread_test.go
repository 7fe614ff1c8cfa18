package cache_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// bodies answers with bodies of a size, with or without a Content-Length.
func bodies(size int64, known bool) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		resp := response(200, "", "Cache-Control", "max-age=600")
		resp.Body, resp.ContentLength = io.NopCloser(io.LimitReader(letters{}, size)), -1
		if known {
			resp.ContentLength = size
			resp.Header.Set("Content-Length", strconv.FormatInt(size, 10))
		}
		return resp, nil
	})
}

// letters is a body without an end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// Bodies that callers do not read take at most 64 MiB, however many there are. Each of them is
// complete when it is read after all, and afterwards there is room again.
func TestUnreadBodiesHaveOneLimit(t *testing.T) {
	testkit.Large(t)
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprint("known ", known), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const size = 7 << 20
				tr := overBytes(t, 96<<20, bodies(size, known))
				var open []*http.Response
				bytes, _ := grown(func() {
					for i := range 60 {
						resp, err := tr.RoundTrip(newRequest(t.Context(), home+"?"+strconv.Itoa(i)))
						if err != nil {
							t.Fatal(err)
						}
						open = append(open, resp)
					}
					time.Sleep(time.Minute)
				})
				if most := float64(64 << 20); bytes > most {
					t.Errorf("60 bodies take %.0f MiB", bytes/(1<<20))
				}
				for i, resp := range open {
					if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
						t.Errorf("body %d: %d bytes, %v", i, n, err)
					}
					_ = resp.Body.Close()
				}
				synctest.Wait()
				if left := cache.Unread(tr); left != 0 {
					t.Errorf("%d bytes are counted at the end", left)
				}
				if n, err := io.Copy(io.Discard, mustGet(t, tr, home+"?new").Body); n != size || err != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
				want := cache.FromMemory
				if _, facts, _ := cache.Of(mustGet(t, tr, home+"?new")); facts.From != want {
					t.Errorf("an answer after them is from %s", facts.From)
				}
			})
		})
	}
}

// overBytes returns a Transport over a store of a size.
func overBytes(t *testing.T, size int64, next http.RoundTripper) *cache.Transport {
	store, err := memory.New(size)
	if err != nil {
		t.Fatal(err)
	}
	tr := cache.NewTransport(store, next, nil)
	t.Cleanup(func() {
		_ = tr.Close()
		_ = store.Close()
	})
	return tr
}

func mustGet(t *testing.T, rt http.RoundTripper, url string) *http.Response {
	resp, err := rt.RoundTrip(newRequest(t.Context(), url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// Callers that read at once wait for each other, and all of their answers are kept.
func TestLargeBodiesThatAreReadAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := overBytes(t, 256<<20, bodies(7<<20, true))
		done := make(chan string)
		for i := range 12 {
			go func() {
				done <- get(t, tr, home+"?"+strconv.Itoa(i)).From
			}()
		}
		for range 12 {
			<-done
		}
		for i := range 12 {
			if got := get(t, tr, home+"?"+strconv.Itoa(i)); got.From != cache.FromMemory {
				t.Errorf("answer %d is from %s", i, got.From)
			}
		}
	})
}

// A caller that leaves gives back what its body takes.
func TestLeftBodiesGiveBackTheirRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := overBytes(t, 64<<20, bodies(7<<20, false))
		for i := range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			resp, err := tr.RoundTrip(newRequest(ctx, home+"?"+strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				cancel()
			}
			_ = resp.Body.Close()
			defer cancel()
		}
		time.Sleep(time.Minute)
		if left := cache.Unread(tr); left != 0 {
			t.Errorf("%d bytes are counted", left)
		}
	})
}

// The limit is one for many bodies: a body alone is stored up to Options.MaxBody, and nobody waits.
func TestABodyAloneMayBeLarge(t *testing.T) {
	testkit.Large(t)
	for _, known := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			store, err := memory.New(256 << 20)
			if err != nil {
				t.Fatal(err)
			}
			tr := cache.NewTransport(store, bodies(60<<20, known), &cache.Options{MaxBody: 100 << 20})
			t.Cleanup(func() {
				_ = tr.Close()
				_ = store.Close()
			})
			began := time.Now()
			get(t, tr, home)
			took := time.Since(began)
			time.Sleep(time.Second)
			if got := get(t, tr, home); took != 0 || got.From != cache.FromMemory {
				t.Errorf("length known %t: took %v, then from %s", known, took, got.From)
			}
		})
	}
}
