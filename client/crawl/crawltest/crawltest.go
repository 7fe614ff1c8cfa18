// Package crawltest tests whether a crawl.Queue keeps the laws of its interface.
//
//	func TestQueue(t *testing.T) {
//		crawltest.TestQueue(t, crawltest.Maker{Open: …, Lease: time.Second})
//	}
//
// The tests show: a target is offered once in any spelling; each is taken once
// within its lease and has one result in the end, whatever happens to the
// workers; a lease that is renewed lasts, and one that is not comes to another
// worker; a target that was given back waits its time, and attempts are
// counted; Retry asks again and replaces the result; counts add up; what is
// stored outlives Close.
package crawltest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// Maker makes the queues that are tested.
type Maker struct {
	// Open returns a queue of its own for each name of a test, empty the first
	// time: another call with the same name returns one with the same
	// contents, for another worker or after Close.
	Open func(t *testing.T, name string) crawl.Queue
	// Lease is how long a lease lasts.
	Lease time.Duration
	// Apart: several queues may be open with one name at a time, as the workers
	// of a fleet have them.
	Apart bool
}

// TestQueue runs every law as a subtest.
func TestQueue(t *testing.T, m Maker) {
	laws := []struct {
		name string
		law  func(t *testing.T, l *lab)
	}{
		{"OfferOnce", offerOnce},
		{"OfferInAnySpelling", offerSpelling},
		{"OfferNonsense", offerNonsense},
		{"TakeOnce", takeOnce},
		{"TakeWaits", takeWaits},
		{"Empty", empty},
		{"LeaseEnds", leaseEnds},
		{"LeaseIsRenewed", leaseRenewed},
		{"LostLease", lostLease},
		{"GivenBack", givenBack},
		{"Attempts", attempts},
		{"OneResult", oneResult},
		{"LargeResult", largeResult},
		{"Retry", retry},
		{"Counts", counts},
		{"Reopened", reopened},
		{"ManyWorkers", manyWorkers},
	}
	for _, l := range laws {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			l.law(t, &lab{T: t, m: m, Queue: m.open(t)})
		})
	}
}

func (m Maker) open(t *testing.T) crawl.Queue {
	q := m.Open(t, strings.ReplaceAll(t.Name(), "/", "-"))
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

// lab is a queue and what a test does with it.
type lab struct {
	*testing.T
	crawl.Queue
	m Maker
}

// offer adds targets.
func (l *lab) offer(targets ...string) {
	l.Helper()
	for _, target := range targets {
		if added, err := l.Offer(l.Context(), target); err != nil || !added {
			l.Fatalf("Offer(%q) = %t, %v", target, added, err)
		}
	}
}

// take leases a target.
func (l *lab) take() crawl.Lease {
	l.Helper()
	lease, err := l.Take(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	return lease
}

// finish stores a result.
func (l *lab) finish(lease crawl.Lease, cause string) {
	l.Helper()
	task := lease.Task()
	if err := lease.Done(l.Context(), crawl.Result{Target: task.Target, Cause: cause, Attempt: task.Attempt, Data: []byte(`"` + task.Target + `"`)}); err != nil {
		l.Fatal(err)
	}
}

// results are the causes of all results, by target.
func (l *lab) results(cause string) map[string]string {
	l.Helper()
	all := map[string]string{}
	for r, err := range l.Results(l.Context(), cause) {
		if err != nil {
			l.Fatal(err)
		}
		if _, twice := all[r.Target]; twice {
			l.Errorf("%s has two results", r.Target)
		}
		all[r.Target] = r.Cause
	}
	return all
}

// wantResults compares the results.
func (l *lab) wantResults(want map[string]string) {
	l.Helper()
	if got := l.results(""); !maps.Equal(got, want) {
		l.Errorf("results %v, want %v", got, want)
	}
}

// wantEmpty looks whether nothing is left.
func (l *lab) wantEmpty() {
	l.Helper()
	if lease, err := l.Take(l.Context()); !errors.Is(err, crawl.ErrEmpty) {
		l.Fatalf("Take = %v, %v, want ErrEmpty", lease, err)
	}
}

func (l *lab) wantCounts(waiting, leased, finished uint64) {
	l.Helper()
	got, err := l.Count(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	if want := (crawl.Counts{Waiting: waiting, Leased: leased, Finished: finished}); got != want {
		l.Errorf("counts %+v, want %+v", got, want)
	}
}

func (l *lab) wantNotAdded(target, why string) {
	l.Helper()
	if added, err := l.Offer(l.Context(), target); err != nil || added {
		l.Errorf("%s: Offer(%q) = %t, %v, want false", why, target, added, err)
	}
}

func offerOnce(_ *testing.T, l *lab) {
	l.offer("a.example")
	l.wantNotAdded("a.example", "it waits")
	lease := l.take()
	l.wantNotAdded("a.example", "it is leased")
	l.finish(lease, crawl.Found)
	l.wantNotAdded("a.example", "it is finished")
	l.wantEmpty()
	l.wantResults(map[string]string{"a.example": crawl.Found})
}

func offerSpelling(_ *testing.T, l *lab) {
	l.offer("https://A.Example./")
	for _, same := range []string{"a.example", "A.EXAMPLE", "https://a.example:443"} {
		l.wantNotAdded(same, "the same target")
	}
	l.offer("a.example/base", "b.a.example", "xn--bcher-kva.example")
	l.wantNotAdded("bücher.example", "the same target")
}

func offerNonsense(t *testing.T, l *lab) {
	for _, nonsense := range []string{"", "no host", "http://a.example", "*", ">", "a.example\x00", "127.0.0.1", strings.Repeat("a", 5000)} {
		if added, err := l.Offer(l.Context(), nonsense); err == nil || added {
			t.Errorf("Offer(%q) = %t, %v, want an error", nonsense, added, err)
		}
	}
	long := "a.example/" + strings.Repeat("%C3%A4/", 200)
	l.offer("a-b.example/*/%3E/x.y_z", long)
	got := map[string]bool{}
	for range 2 {
		lease := l.take()
		got[lease.Task().Target] = true
		l.finish(lease, crawl.Found)
	}
	for _, target := range []string{"a-b.example/*/%3E/x.y_z", long} {
		key, err := crawl.Key(target)
		if err != nil || !got[key] {
			t.Errorf("%q was not taken as %q (%v): %v", target, key, err, got)
		}
	}
}

func takeOnce(_ *testing.T, l *lab) {
	want := map[string]string{}
	for i := range 20 {
		target := fmt.Sprintf("d%02d.example", i)
		l.offer(target)
		want[target] = crawl.Found
	}
	var leases []crawl.Lease
	for range want {
		leases = append(leases, l.take())
	}
	for _, lease := range leases {
		if task := lease.Task(); task.Attempt != 1 {
			l.Errorf("%+v, want attempt 1", task)
		}
		l.finish(lease, crawl.Found)
	}
	l.wantEmpty()
	l.wantResults(want)
}

// While a target is leased, Take waits: it may come back.
func takeWaits(_ *testing.T, l *lab) {
	l.offer("a.example")
	lease := l.take()
	ctx, cancel := context.WithTimeout(l.Context(), l.m.Lease/4)
	defer cancel()
	if other, err := l.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		l.Fatalf("Take = %v, %v, want the end of its context", other, err)
	}
	l.finish(lease, crawl.Found)
	l.wantEmpty()
}

func empty(_ *testing.T, l *lab) {
	l.wantEmpty()
	l.wantCounts(0, 0, 0)
	l.wantResults(map[string]string{})
	if n, err := l.Retry(l.Context(), ""); n != 0 || err != nil {
		l.Errorf("Retry = %d, %v", n, err)
	}
}

// A worker that is gone loses its target to another one, when the lease is over
// and not before.
func leaseEnds(_ *testing.T, l *lab) {
	l.offer("a.example")
	began := time.Now()
	first := l.take()
	second := l.take()
	if early := l.m.Lease - time.Since(began); early > 0 {
		l.Errorf("it was taken again %v before the lease was over", early)
	}
	if a, b := first.Task(), second.Task(); a != b {
		l.Errorf("taken as %+v and then as %+v", a, b)
	}
	l.finish(second, crawl.Found)
	l.wantEmpty()
}

func leaseRenewed(_ *testing.T, l *lab) {
	l.offer("a.example")
	lease := l.take()
	ctx, cancel := context.WithTimeout(l.Context(), 2*l.m.Lease)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if err := lease.Renew(l.Context()); err != nil {
				l.Error(err)
			}
			time.Sleep(l.m.Lease / 8)
		}
	}()
	if other, err := l.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		l.Fatalf("Take = %v, %v while the lease was renewed", other, err)
	}
	if left := time.Until(lease.Until()); left <= 0 || left > l.m.Lease {
		l.Errorf("the lease lasts %v", left)
	}
	l.finish(lease, crawl.Found)
	l.wantEmpty()
}

func lostLease(_ *testing.T, l *lab) {
	l.offer("a.example")
	first := l.take()
	second := l.take() // the first lease is over
	time.Sleep(time.Until(first.Until()))
	if err := first.Renew(l.Context()); !errors.Is(err, crawl.ErrLost) {
		l.Errorf("Renew of a lease that is over = %v", err)
	}
	if err := first.Fail(l.Context(), time.Hour, true); !errors.Is(err, crawl.ErrLost) {
		l.Errorf("Fail of a lease that is over = %v", err)
	}
	l.finish(second, crawl.Found)
	l.wantEmpty()
	l.wantResults(map[string]string{"a.example": crawl.Found})
}

func givenBack(_ *testing.T, l *lab) {
	l.offer("a.example")
	wait := l.m.Lease / 2
	began := time.Now()
	if err := l.take().Fail(l.Context(), wait, false); err != nil {
		l.Fatal(err)
	}
	lease := l.take()
	if early := wait - time.Since(began); early > 0 {
		l.Errorf("it was taken again %v early", early)
	}
	if task := lease.Task(); task.Attempt != 1 {
		l.Errorf("%+v: it was not asked, and that is no attempt", task)
	}
	l.finish(lease, crawl.Found)
}

func attempts(_ *testing.T, l *lab) {
	l.offer("a.example")
	for want := 1; want <= 3; want++ {
		lease := l.take()
		if task := lease.Task(); task.Attempt != want {
			l.Errorf("%+v, want attempt %d", task, want)
		}
		for _, counted := range []bool{false, true} {
			if counted {
				lease = l.take()
			}
			if err := lease.Fail(l.Context(), 0, counted); err != nil {
				l.Fatal(err)
			}
		}
	}
	lease := l.take()
	l.finish(lease, "timeout")
	l.wantResults(map[string]string{"a.example": "timeout"})
	// A new round counts from the beginning.
	if n, err := l.Retry(l.Context(), ""); n != 1 || err != nil {
		l.Fatalf("Retry = %d, %v", n, err)
	}
	if task := l.take().Task(); task.Attempt != 1 {
		l.Errorf("%+v after Retry, want attempt 1", task)
	}
}

// Of two results the first counts, in whichever order the workers come.
func oneResult(_ *testing.T, l *lab) {
	l.offer("a.example")
	slow, fast := l.take(), l.take()
	l.finish(fast, crawl.Found)
	if err := slow.Done(l.Context(), crawl.Result{Target: "a.example", Cause: "timeout", Attempt: 1}); err != nil && !errors.Is(err, crawl.ErrLost) {
		l.Errorf("a result that comes twice: %v", err)
	}
	l.wantResults(map[string]string{"a.example": crawl.Found})
	l.wantEmpty()
}

func largeResult(t *testing.T, l *lab) {
	l.offer("a.example", "b.example")
	want := map[string][]byte{}
	for i, size := range []int{3 << 20, 100} {
		lease := l.take()
		data := make([]byte, size)
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for j := range data {
			data[j] = byte(random.Uint32())
		}
		want[lease.Task().Target] = data
		if err := lease.Done(l.Context(), crawl.Result{Target: lease.Task().Target, Cause: crawl.Found, Attempt: 1, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	for r, err := range l.Results(l.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Data, want[r.Target]) {
			t.Errorf("%s has %d bytes, want %d", r.Target, len(r.Data), len(want[r.Target]))
		}
	}
}

func retry(_ *testing.T, l *lab) {
	l.offer("a.example", "b.example", "c.example")
	for range 3 {
		lease := l.take()
		cause := "timeout"
		if lease.Task().Target == "b.example" {
			cause = crawl.Found
		}
		l.finish(lease, cause)
	}
	for _, want := range []int{2, 0} { // once: the second time they wait
		if n, err := l.Retry(l.Context(), "timeout"); n != want || err != nil {
			l.Fatalf("Retry = %d, %v, want %d", n, err, want)
		}
	}
	l.wantResults(map[string]string{"a.example": "timeout", "b.example": crawl.Found, "c.example": "timeout"})
	for range 2 {
		l.finish(l.take(), crawl.Found)
	}
	l.wantEmpty()
	l.wantResults(map[string]string{"a.example": crawl.Found, "b.example": crawl.Found, "c.example": crawl.Found})
	if got := l.results("timeout"); len(got) != 0 {
		l.Errorf("results with the cause of before: %v", got)
	}
}

func counts(_ *testing.T, l *lab) {
	l.offer("a.example", "b.example", "c.example")
	l.wantCounts(3, 0, 0)
	one := l.take()
	l.wantCounts(2, 1, 0)
	l.finish(one, crawl.Found)
	l.wantCounts(2, 0, 1)
	l.finish(l.take(), "timeout")
	l.finish(l.take(), crawl.Found)
	l.wantCounts(0, 0, 3)
	if _, err := l.Retry(l.Context(), "timeout"); err != nil {
		l.Fatal(err)
	}
	l.wantCounts(1, 0, 3)
	l.finish(l.take(), crawl.Found)
	l.wantCounts(0, 0, 3)
}

func reopened(t *testing.T, l *lab) {
	l.offer("a.example", "b.example", "c.example")
	first := l.take()
	l.finish(first, "timeout")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := &lab{T: t, m: l.m, Queue: l.m.open(t)}
	again.wantNotAdded(first.Task().Target, "it was finished before Close")
	for _, target := range []string{"a.example", "b.example", "c.example"} {
		if _, err := again.Offer(t.Context(), target); err != nil { // a list is offered again
			t.Fatal(err)
		}
	}
	for range 2 {
		again.finish(again.take(), crawl.Found)
	}
	again.wantEmpty()
	want := map[string]string{"a.example": crawl.Found, "b.example": crawl.Found, "c.example": crawl.Found}
	want[first.Task().Target] = "timeout"
	again.wantResults(want)
}

// Workers that finish, give back, forget what they have, and come too late: in
// the end each target has one result, and none was with two workers at once.
func manyWorkers(t *testing.T, l *lab) {
	const targets, workers = 120, 6
	want := map[string]string{}
	for i := range targets {
		target := fmt.Sprintf("d%03d.example", i)
		l.offer(target)
		want[target] = crawl.Found
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var mu sync.Mutex
	holders := map[string]time.Time{} // until when a worker has it
	var fleet sync.WaitGroup
	for i := range workers {
		fleet.Go(func() {
			q := l.Queue
			if l.m.Apart {
				q = l.m.open(t)
			}
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for {
				lease, err := q.Take(t.Context())
				if errors.Is(err, crawl.ErrEmpty) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				target := lease.Task().Target
				mu.Lock()
				if early := time.Until(holders[target]); early > l.m.Lease/20 {
					t.Errorf("%s was taken %v before the other's lease was over", target, early)
				}
				holders[target] = lease.Until()
				mu.Unlock()
				mishap(t, lease, random, func() {
					mu.Lock()
					defer mu.Unlock()
					delete(holders, target)
				})
			}
		})
	}
	fleet.Wait()
	l.wantResults(want)
}

// mishap does with a lease what may happen to one. free is called before it is
// given back.
func mishap(t *testing.T, lease crawl.Lease, random *rand.Rand, free func()) {
	var err error
	task := lease.Task()
	r := crawl.Result{Target: task.Target, Cause: crawl.Found, Attempt: task.Attempt}
	switch random.IntN(8) {
	case 0: // killed
	case 1:
		free()
		err = lease.Fail(t.Context(), time.Duration(random.IntN(50))*time.Millisecond, true)
	case 2: // too late
		time.Sleep(time.Until(lease.Until()) + 10*time.Millisecond)
		err = lease.Done(t.Context(), r)
	default:
		free()
		err = lease.Done(t.Context(), r)
	}
	if err != nil && !errors.Is(err, crawl.ErrLost) {
		t.Error(err)
	}
}
