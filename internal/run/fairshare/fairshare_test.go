package fairshare_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/fairshare"
)

// queued makes a share take n on its own goroutine, and returns when the share waits or has n.
func queued(t *testing.T, ctx context.Context, s *fairshare.Share, n int64, left <-chan struct{}) (err func() error) {
	t.Helper()
	var wg sync.WaitGroup
	var got error
	wg.Go(func() { got = s.Take(ctx, n, left) })
	synctest.Wait()
	return func() error {
		wg.Wait()
		return got
	}
}

// idle fails the test unless all amounts were returned.
func idle(t *testing.T, q interface {
	Used() int64
	Waiting() int
}) {
	t.Helper()
	if q.Used() != 0 || q.Waiting() != 0 {
		t.Errorf("%d are used and %d wait", q.Used(), q.Waiting())
	}
}

// Domains take turns, however many shares of one domain wait.
func TestDomainsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := fairshare.New(1)
		first := q.Open("large.example", nil)
		if err := first.Take(t.Context(), 1, nil); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		var work sync.WaitGroup
		for _, domain := range slices.Concat(slices.Repeat([]string{"large.example"}, 100), []string{"small.example", "other.example"}) {
			work.Go(func() {
				s := q.Open(domain, nil)
				defer s.Close()
				if err := s.Take(t.Context(), 1, nil); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, domain)
			})
			synctest.Wait() // so that they come in this order
		}
		first.Close()
		work.Wait()
		if got := fmt.Sprint(order[:4]); got != "[large.example small.example other.example large.example]" {
			t.Errorf("the turns were %s", got)
		}
		idle(t, q)
	})
}

// A share that needs much is not overtaken for ever by shares that need little.
func TestLargeIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := fairshare.New(10)
		a := q.Open("a", nil)
		_ = a.Take(t.Context(), 6, nil)
		large, small := q.Open("b", nil), q.Open("c", nil)
		first := queued(t, t.Context(), large, 8, nil)
		second := queued(t, t.Context(), small, 1, nil)
		if q.Waiting() != 2 {
			t.Fatalf("%d wait", q.Waiting())
		}
		a.Close()
		if err := errors.Join(first(), second()); err != nil || q.Used() != 9 {
			t.Errorf("%v, %d used", err, q.Used())
		}
		large.Close()
		small.Close()
		idle(t, q)
	})
}

// A small document is read before large documents of other domains that came earlier, and the
// large documents are not overtaken for ever.
func TestASmallDocumentWaitsForNoCrowdOfLargeOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := fairshare.New(100)
		var mu sync.Mutex
		var order []string
		var work sync.WaitGroup
		read := func(domain string, n int64) {
			work.Go(func() {
				s := q.Open(domain, nil)
				defer s.Close()
				if err := s.Take(t.Context(), n, nil); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, domain)
			})
			synctest.Wait()
		}
		for i := range 8 {
			read(fmt.Sprint("large", i), 100)
		}
		for i := range 10_000 { // more than one each second
			if i%10 == 0 {
				read(fmt.Sprint("small", i), 10)
			}
			time.Sleep(50 * time.Millisecond)
			if i == 100 {
				mu.Lock()
				if i := slices.Index(order, "small0"); i < 0 || slices.Index(order, "large1") >= 0 {
					t.Errorf("the first small one came as number %d", i)
				}
				mu.Unlock()
			}
		}
		work.Wait()
		if last := slices.Index(order, "large7"); last < 0 || last > len(order)-100 {
			t.Errorf("the last large one came as number %d of %d", last, len(order))
		}
		idle(t, q)
	})
}

// A share that needs more than the limit gets it when no other share holds anything.
func TestLargerThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := fairshare.New(1)
		a, b := q.Open("a", nil), q.Open("b", nil)
		_ = a.Take(t.Context(), 1, nil)
		taken := queued(t, t.Context(), b, 1<<40, nil)
		if q.Waiting() != 1 {
			t.Fatal("it did not wait")
		}
		a.Return(1)
		if err := taken(); err != nil || q.Used() != 1<<40 {
			t.Errorf("%v, %d used", err, q.Used())
		}
		b.Close()
		idle(t, q)
	})
}

// A share that leaves the queue has no further effect, and the shares behind it continue.
func TestLeaving(t *testing.T) {
	for name, leave := range map[string]func(cancel func(), left chan struct{}, s *fairshare.Share){
		"context": func(cancel func(), _ chan struct{}, _ *fairshare.Share) { cancel() },
		"left":    func(_ func(), left chan struct{}, _ *fairshare.Share) { close(left) },
		"closed":  func(_ func(), _ chan struct{}, s *fairshare.Share) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := fairshare.New(10)
				pauses := 0
				a, c := q.Open("a", nil), q.Open("c", nil)
				b := q.Open("b", func() func() { pauses++; return func() { pauses-- } })
				_ = a.Take(t.Context(), 8, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				left := make(chan struct{})
				first := queued(t, ctx, b, 5, left)
				behind := queued(t, t.Context(), c, 2, nil)
				if pauses != 1 || q.Waiting() != 2 {
					t.Errorf("%d pauses, %d wait", pauses, q.Waiting())
				}
				leave(cancel, left, b)
				if err := first(); name != "closed" && !errors.Is(err, context.Canceled) || name == "closed" && err != nil {
					t.Error(err)
				}
				if err := behind(); err != nil || pauses != 0 || q.Used() != 10 {
					t.Errorf("%v, %d pauses, %d used", err, pauses, q.Used())
				}
				a.Close()
				c.Close()
				b.Close()
				idle(t, q)
			})
		})
	}
}

// A closed share takes nothing, and gives nothing back twice.
func TestClosedShare(t *testing.T) {
	q := fairshare.New(10)
	s := q.Open("a", nil)
	_ = s.Take(t.Context(), 4, nil)
	s.Return(100)
	s.Return(1)
	_ = s.Take(t.Context(), 4, nil)
	s.Close()
	s.Close()
	if err := s.Take(t.Context(), 4, nil); err != nil {
		t.Error(err)
	}
	s.Return(4)
	idle(t, q)
}

// Many shares at once, some of which give up: no amount is lost, and each gets its turn.
func TestCrowd(t *testing.T) {
	q := fairshare.New(20)
	var work sync.WaitGroup
	for i := range testkit.Crowd(200) {
		work.Go(func() {
			for round := range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(round)*50*time.Microsecond)
				s := q.Open(fmt.Sprint(i%9), nil)
				for n := range int64(4) {
					if s.Take(ctx, 1+n, nil) == nil && n == 2 {
						s.Return(2)
					}
				}
				s.Close()
				cancel()
			}
		})
	}
	work.Wait()
	idle(t, q)
}
