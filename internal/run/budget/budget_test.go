package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// limit is the limit of every call here.
var limit = budget.Limit{Silence: time.Second, Longest: 4 * time.Second}

// store has one place, and times itself.
type store struct{ places *budget.Places }

func (s *store) Timed(of any) bool { return of == any(s) }

// wrapped embeds a store, and has methods of its own.
type wrapped struct{ *store }

// call does work of a duration within the limit, and returns how long the caller waited.
func (s *store) call(ctx context.Context, of any, work time.Duration) (took time.Duration, err error) {
	start := time.Now()
	_, err = budget.Call(ctx, of, limit, func(ctx context.Context) (bool, error) {
		if err := s.places.Take(ctx, nil, nil); err != nil {
			return false, err
		}
		return budget.Run(ctx, s.places, func(done func(bool)) {
			time.Sleep(work)
			done(true)
		})
	})
	return time.Since(start), err
}

// A call has the time of its limit for its work. What it waits for a place is not in it, and
// neither is the time of a caller.
func TestLimit(t *testing.T) {
	for name, row := range map[string]struct {
		work, before, signs time.Duration // of the call; of one that has the place; between signs
		took                time.Duration
		err                 error
	}{
		"in time":                        {work: time.Second / 2, took: time.Second / 2},
		"silent":                         {work: time.Hour, took: time.Second, err: context.DeadlineExceeded},
		"busy":                           {work: time.Hour, signs: time.Second / 2, took: 4 * time.Second, err: budget.ErrBusy},
		"slow with signs":                {work: 3 * time.Second, signs: time.Second / 2, took: 3 * time.Second},
		"silent in the queue":            {work: time.Second / 2, before: time.Hour, took: time.Second, err: context.DeadlineExceeded},
		"waiting for one that has signs": {work: time.Second / 2, before: 30 * time.Second, signs: time.Second / 2, took: 30*time.Second + time.Second/2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &store{budget.NewPlaces(1)}
				ctx, stop := context.WithCancel(t.Context())
				defer time.Sleep(2 * time.Hour) // until the work is done
				defer stop()
				if row.before > 0 {
					go func() { _, _ = s.call(ctx, nil, row.before) }()
					synctest.Wait()
				}
				if row.signs > 0 {
					go func() {
						for ctx.Err() == nil {
							time.Sleep(row.signs)
							s.places.Sign()
						}
					}()
				}
				if took, err := s.call(t.Context(), s, row.work); took != row.took || !errors.Is(err, row.err) {
					t.Errorf("it took %v: %v; want %v: %v", took, err, row.took, row.err)
				}
			})
		})
	}
}

// A store that only embeds one that times itself is limited by the clock of its caller.
func TestAWrapperIsTimedByItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{budget.NewPlaces(1)}
		took, err := s.call(t.Context(), wrapped{s}, time.Hour)
		if took != limit.Silence || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it took %v: %v", took, err)
		}
		time.Sleep(time.Hour)
	})
}

// Hundreds of calls that each take half of the limit wait for one place as long as it takes.
func TestAQueueIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{budget.NewPlaces(1)}
		var wg sync.WaitGroup
		for range 256 {
			wg.Go(func() {
				if _, err := s.call(t.Context(), s, limit.Silence/2); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

// A place is given back when the work ends, not when its caller leaves.
func TestACallerThatLeavesKeepsThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{budget.NewPlaces(2)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.call(ctx, s, time.Second/2); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() == nil {
			t.Error(err)
		}
		if n := s.places.Taken(); n != 1 {
			t.Errorf("%d places are taken", n)
		}
		time.Sleep(time.Second / 2)
		synctest.Wait()
		if n := s.places.Taken(); n != 0 {
			t.Errorf("when the work has ended %d places are taken", n)
		}
	})
}
