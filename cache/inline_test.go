package cache_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// inline is a Transport whose callers send their requests themselves, and an origin that
// takes so long to answer.
func inline(t *testing.T, takes time.Duration) (http.RoundTripper, *origin) {
	t.Helper()
	o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		select {
		case <-time.After(takes):
			return response(200, "one", "Cache-Control", "max-age=60"), nil
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}}
	tr := newTransport(t, o, nil)
	return cache.Ruled(tr, func(_ *http.Request, a *cache.Ask) { a.Rules, a.Inline = &cache.TestRules{}, true }), o
}

// status asks with a time limit.
func status(t *testing.T, rt http.RoundTripper, limit time.Duration) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	resp, err := rt.RoundTrip(newRequest(ctx, home))
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func TestInlineCallersShareOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, o := inline(t, time.Second)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if got, err := status(t, rt, time.Minute); got != 200 || err != nil {
					t.Errorf("%d, %v", got, err)
				}
			})
		}
		wg.Wait()
		wantCount(t, "all of them", o, 1)
	})
}

// The other callers do not get the reason why the first caller's request ended.
func TestACallerWhoseLeaderLeftGoesOn(t *testing.T) {
	for _, leader := range []string{"deadline", "cancellation"} {
		synctest.Test(t, func(t *testing.T) {
			rt, o := inline(t, 10*time.Second)
			var wg sync.WaitGroup
			wg.Go(func() {
				if leader == "deadline" {
					if _, err := status(t, rt, time.Second); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("the leader got %v", err)
					}
					return
				}
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				if _, err := rt.RoundTrip(newRequest(ctx, home)); !errors.Is(err, context.Canceled) {
					t.Errorf("the leader got %v", err)
				}
			})
			synctest.Wait()
			began := time.Now()
			got, err := status(t, rt, time.Minute)
			if took := time.Since(began); got != 200 || err != nil || took != 11*time.Second {
				t.Errorf("%s: %d, %v after %v", leader, got, err, took)
			}
			wg.Wait()
			wantCount(t, "the leader and one more", o, 2)
		})
	}
}

// A caller that joined leaves by its own time, and the leader goes on.
func TestACallerLeavesItsLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, o := inline(t, 10*time.Second)
		var wg sync.WaitGroup
		wg.Go(func() {
			if got, err := status(t, rt, time.Minute); got != 200 || err != nil {
				t.Errorf("the leader got %d, %v", got, err)
			}
		})
		synctest.Wait()
		if _, err := status(t, rt, time.Second); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the other got %v", err)
		}
		wg.Wait()
		wantCount(t, "both", o, 1)
	})
}
