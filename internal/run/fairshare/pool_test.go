package fairshare_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/fairshare"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
)

const turn = 6 * time.Second

// crowd is a Pool whose calls end when they are asked to leave.
type crowd struct {
	*fairshare.Pool
	t     *testing.T
	calls sync.WaitGroup
}

// call holds n bytes of a domain, taken in steps, until its remote parties have used up a
// time. asked reports whether the call was asked to leave, and had returns the time until it
// held all n bytes.
func (c *crowd) call(domain string, n, step int64, time_ time.Duration) (asked func() bool, had func() time.Duration) {
	clock := pausable.Start(c.t.Context(), time_)
	stay := c.Open(domain, clock, clock.Stop)
	began, after := time.Now(), atomic.Int64{}
	c.calls.Go(func() {
		defer stay.Close()
		for taken := int64(0); taken < n; taken += step {
			if stay.Take(clock, step, nil) != nil {
				return
			}
		}
		after.Store(int64(time.Since(began)) + 1)
		<-clock.Done()
	})
	synctest.Wait()
	return stay.Asked, func() time.Duration { return time.Duration(after.Load() - 1) }
}

// inCrowd runs a test with a Pool of a limit.
func inCrowd(t *testing.T, limit int64, f func(*testing.T, *crowd)) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{Pool: fairshare.NewPool(limit, turn), t: t}
		f(t, c)
		c.calls.Wait()
		idle(t, c)
	})
}

// Calls that hold something and wait for more do not wait for each other.
func TestHoldersDoNotWaitForEachOther(t *testing.T) {
	inCrowd(t, 100, func(t *testing.T, c *crowd) {
		var most atomic.Int64
		for i := range testkit.Crowd(50) {
			c.calls.Go(func() {
				s := c.Open(fmt.Sprint(i%7), nil, func() {})
				defer s.Close()
				for range 10 {
					if err := s.Take(t.Context(), 5, nil); err != nil {
						t.Error(err)
					}
					if used := c.Used(); used > most.Load() {
						most.Store(used)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		c.calls.Wait()
		if most.Load() > 150 { // the limit, and what one needs
			t.Errorf("%d were used", most.Load())
		}
	})
}

// A new domain has room at once, however many calls hold their maximum for a time that remote
// parties determine.
func TestANewDomainGetsMemoryAtOnce(t *testing.T) {
	for _, crowded := range []int{1, 4, 8, 64, 200} {
		inCrowd(t, 96<<20, func(t *testing.T, c *crowd) {
			for i := range crowded {
				c.call(fmt.Sprint("drip", i), 24<<20, 16<<10, 20*time.Second)
			}
			if asked, had := c.call("shop", 64<<10, 16<<10, time.Second); had() != 0 || asked() {
				t.Errorf("beside %d: after %v, asked to leave: %v", crowded, had(), asked())
			}
		})
	}
}

// One domain holds a fixed part, however many hosts and calls it has.
func TestADomainHoldsAFixedPart(t *testing.T) {
	inCrowd(t, 96<<20, func(t *testing.T, c *crowd) {
		for range 50 {
			c.call("large", 4<<20, 1<<20, 5*time.Second)
		}
		if used := c.Used(); used > 17<<20 {
			t.Errorf("it holds %d MiB", used>>20)
		}
		if asked, had := c.call("other", 6<<20, 1<<20, time.Second); had() != 0 || asked() {
			t.Errorf("another had its room after %v, asked to leave: %v", had(), asked())
		}
	})
}

// A call without competitors may hold everything that it needs, for as long as it takes.
func TestACallAloneIsNeverAskedToLeave(t *testing.T) {
	inCrowd(t, 1<<20, func(t *testing.T, c *crowd) {
		if asked, had := c.call("shop", 100<<20, 1<<20, time.Hour); had() != 0 || asked() {
			t.Errorf("after %v, asked to leave: %v", had(), asked())
		}
		time.Sleep(time.Minute)
		small, _ := c.call("small", 1<<10, 1<<10, time.Second) // which needs no turn
		c.calls.Wait()
		if small() {
			t.Error("a small one was asked to leave")
		}
	})
}

// While other calls wait, the call that holds the most is asked to leave, among the calls
// whose remote parties have used up the time of a turn. The time in which a call waits for
// this process is not part of that.
func TestTheCallThatHoldsMostLeaves(t *testing.T) {
	inCrowd(t, 96<<20, func(t *testing.T, c *crowd) {
		small, _ := c.call("small", 3<<20, 1<<20, time.Hour)
		large, _ := c.call("large", 8<<20, 1<<20, time.Hour)
		third, _ := c.call("third", 7<<20, 1<<20, time.Hour)
		fourth, _ := c.call("fourth", 7<<20, 1<<20, time.Hour)
		time.Sleep(turn * 3)
		if small() || large() || third() || fourth() {
			t.Fatal("one was asked to leave, and nobody waits")
		}
		last, had := c.call("last", 8<<20, 8<<20, time.Second)
		c.calls.Go(func() { c.Open("x", nil, nil).Close() })
		synctest.Wait()
		if !large() || small() || third() || fourth() || last() || had() != 0 {
			t.Errorf("small %v, large %v, third %v, fourth %v, last %v after %v", small(), large(), third(), fourth(), last(), had())
		}
		for range 3 { // the others leave for calls that need so much
			c.call("more", 20<<20, 20<<20, time.Second)
			time.Sleep(turn)
		}
	})
}

// The time in which a call waits for parsers is not part of its turn.
func TestWaitingForThisProcessIsNoTimeOfATurn(t *testing.T) {
	inCrowd(t, 96<<20, func(t *testing.T, c *crowd) {
		clock := pausable.Start(t.Context(), time.Hour)
		defer clock.Stop()
		reads := c.Open("reads", clock, clock.Stop)
		_ = reads.Take(t.Context(), 40<<20, nil)
		resume := clock.Pause()
		c.call("waits", 30<<20, 30<<20, time.Second)
		time.Sleep(10 * turn)
		resume()
		synctest.Wait()
		if reads.Asked() {
			t.Error("it was asked to leave")
		}
		time.Sleep(turn + time.Second)
		if !reads.Asked() {
			t.Error("it was not asked to leave")
		}
		reads.Close()
	})
}

// A call that gives up waiting has no further effect, and the calls behind it continue.
func TestLeavingThePool(t *testing.T) {
	for name, leave := range map[string]func(cancel func(), left chan struct{}, s *fairshare.Stay){
		"context": func(cancel func(), _ chan struct{}, _ *fairshare.Stay) { cancel() },
		"left":    func(_ func(), left chan struct{}, _ *fairshare.Stay) { close(left) },
		"closed":  func(_ func(), _ chan struct{}, s *fairshare.Stay) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inCrowd(t, 900, func(t *testing.T, c *crowd) {
				a, b := c.Open("a", nil, nil), c.Open("b", nil, nil)
				_ = a.Take(t.Context(), 270, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				left := make(chan struct{})
				c.calls.Go(func() { _ = b.Take(ctx, 200, left) })
				synctest.Wait()
				_, had := c.call("c", 20, 20, time.Second)
				if c.Waiting() != 2 || had() >= 0 {
					t.Errorf("%d wait", c.Waiting())
				}
				leave(cancel, left, b)
				synctest.Wait()
				if c.Waiting() != 0 || c.Used() != 290 {
					t.Errorf("%d wait, %d used", c.Waiting(), c.Used())
				}
				a.Close()
				b.Close()
			})
		})
	}
}

// Many calls at once, some of which give up: no memory is lost.
func TestACrowdInAPool(t *testing.T) {
	r := fairshare.NewPool(200, time.Millisecond)
	var work sync.WaitGroup
	for i := range testkit.Crowd(200) {
		work.Go(func() {
			for round := range 20 {
				clock := pausable.Start(t.Context(), time.Duration(round)*50*time.Microsecond)
				s := r.Open(fmt.Sprint(i%9), clock, clock.Stop)
				for n := range int64(4) {
					if s.Take(clock, 1+10*n, nil) == nil && n == 2 {
						s.Return(2)
					}
				}
				s.Close()
				clock.Stop()
			}
		})
	}
	work.Wait()
	idle(t, r)
}
