package turns_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/web/turns"
)

// A domain with many hosts has a part of all slots, and each host a part of that: others
// find a free one at once.
func TestADomainHasAPartOfAllSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := turns.NewSemaphore(64, 4, 16)
		var mu sync.Mutex
		running := map[string]int{}
		var calls sync.WaitGroup
		for i := range 200 {
			host := fmt.Sprint("host", i%40)
			calls.Go(func() {
				leave, err := s.Enter(t.Context(), host, "large")
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				mu.Lock()
				running[host]++
				running["all"]++
				if running[host] > 4 || running["all"] > 16 {
					t.Errorf("%d calls of a host, %d of the domain", running[host], running["all"])
				}
				mu.Unlock()
				time.Sleep(time.Minute)
				mu.Lock()
				running[host]--
				running["all"]--
				mu.Unlock()
			})
		}
		synctest.Wait()
		began := time.Now()
		leave, err := s.Enter(t.Context(), "shop", "shop")
		if err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		leave()
		calls.Wait()
	})
}

// A caller that gives up leaves its places to others.
func TestGivingUpLeavesNoPlaceTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := turns.NewSemaphore(2, 1, 1)
		held, err := s.Enter(t.Context(), "a", "d")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Enter(ctx, "b", "d"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		held()
		for _, host := range []string{"a", "b"} {
			leave, err := s.Enter(t.Context(), host, "d")
			if err != nil {
				t.Fatal(err)
			}
			leave()
		}
	})
}
