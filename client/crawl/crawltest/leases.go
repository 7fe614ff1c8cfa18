package crawltest

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// leaseEnds checks that a worker that has died loses its target to another worker when the
// lease ends, and not before.
func leaseEnds(_ *testing.T, l *lab) {
	l.offer("a.example")
	began := time.Now()
	first := l.take()
	second := l.take()
	if early := l.m.Lease - time.Since(began); early > 0 {
		l.Errorf("it was taken again %v before the lease ended", early)
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
	second := l.take() // the first lease has ended
	time.Sleep(time.Until(first.Until()))
	if err := first.Renew(l.Context()); !errors.Is(err, crawl.ErrLost) {
		l.Errorf("Renew of a lease that has ended = %v", err)
	}
	if err := first.Fail(l.Context(), time.Hour, true); !errors.Is(err, crawl.ErrLost) {
		l.Errorf("Fail of a lease that has ended = %v", err)
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
		l.Errorf("%+v: the target was not asked, so this is not an attempt", task)
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
	// A new round starts with attempt 1.
	if n, err := l.Retry(l.Context(), ""); n != 1 || err != nil {
		l.Fatalf("Retry = %d, %v", n, err)
	}
	if task := l.take().Task(); task.Attempt != 1 {
		l.Errorf("%+v after Retry, want attempt 1", task)
	}
}

// oneResult checks that the first of two results is kept, whichever worker is first.
func oneResult(_ *testing.T, l *lab) {
	l.offer("a.example")
	slow, fast := l.take(), l.take()
	l.finish(fast, crawl.Found)
	if err := slow.Done(l.Context(), crawl.Result{Target: "a.example", Cause: "timeout", Attempt: 1}); err != nil && !errors.Is(err, crawl.ErrLost) {
		l.Errorf("the second of two equal results: %v", err)
	}
	l.wantResults(map[string]string{"a.example": crawl.Found})
	l.wantEmpty()
}

func largeResult(t *testing.T, l *lab) {
	l.offer("a.example", "b.example")
	want := map[string][]byte{}
	for i, size := range []int{largeSize, 100} {
		lease := l.take()
		r := resultOf(lease.Task(), crawl.Found, noise(i, size))
		want[r.Target] = r.Data
		if err := lease.Done(l.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	l.wantData(want)
}

// largeSize is larger than a message of most servers.
const largeSize = 3 << 19

// noise returns a text that cannot be compressed to less than size bytes.
func noise(seed, size int) string {
	data := make([]byte, size)
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return hex.EncodeToString(data)
}

// wantData compares the data of the results.
func (l *lab) wantData(want map[string][]byte) {
	l.Helper()
	n := 0
	for r, err := range l.Results(l.Context(), "") {
		if err != nil {
			l.Fatal(err)
		}
		if n++; !bytes.Equal(r.Data, want[r.Target]) {
			l.Errorf("%s has %d bytes %.120q, want %d: %.120q", r.Target, len(r.Data), r.Data, len(want[r.Target]), want[r.Target])
		}
	}
	if n != len(want) {
		l.Errorf("%d results, want %d", n, len(want))
	}
}

// oneLargeResult checks that the data of a result that is dropped does not replace the data of
// the kept result, but that the data of a later round does.
func oneLargeResult(t *testing.T, l *lab) {
	l.offer("a.example")
	slow, fast := l.take(), l.take()
	done := func(lease crawl.Lease, cause string, seed int) []byte {
		t.Helper()
		r := resultOf(lease.Task(), cause, noise(seed, largeSize))
		if err := lease.Done(l.Context(), r); err != nil && !errors.Is(err, crawl.ErrLost) {
			t.Fatal(err)
		}
		return r.Data
	}
	want := done(fast, "timeout", 1)
	done(slow, crawl.Found, 2)
	l.wantData(map[string][]byte{"a.example": want})
	if n, err := l.Retry(l.Context(), "timeout"); n != 1 || err != nil {
		t.Fatalf("Retry = %d, %v", n, err)
	}
	want = done(l.take(), crawl.Found, 3)
	done(slow, "timeout", 4)
	l.wantData(map[string][]byte{"a.example": want})
}

// finishedMeanwhile checks that a worker can store its result after the end of its lease, while
// the next worker is busy: the next worker has then lost its lease and changes nothing.
func finishedMeanwhile(t *testing.T, l *lab) {
	l.offer("a.example")
	slow, fast := l.take(), l.take()
	l.finish(slow, crawl.Found)
	if err := fast.Fail(l.Context(), 0, true); err != nil && !errors.Is(err, crawl.ErrLost) {
		t.Error(err)
	}
	l.wantEmpty()
	l.wantCounts(0, 0, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := &lab{T: t, m: l.m, Queue: l.m.open(t), ctx: l.ctx}
	again.wantCounts(0, 0, 1)
	if n, err := again.Retry(t.Context(), ""); n != 1 || err != nil {
		t.Fatalf("Retry = %d, %v", n, err)
	}
	if err := again.take().Fail(t.Context(), 0, false); err != nil {
		t.Fatal(err)
	}
	lease := again.take()
	if task := lease.Task(); task.Attempt != 1 {
		t.Errorf("%+v in a new round, want attempt 1", task)
	}
	again.finish(lease, crawl.Found)
	again.wantEmpty()
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
	for _, want := range []int{2, 0} { // only once: the second time they wait
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
		l.Errorf("results with an earlier cause: %v", got)
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
	again := &lab{T: t, m: l.m, Queue: l.m.open(t), ctx: l.ctx}
	again.wantNotAdded(first.Task().Target, "it was finished before Close")
	for _, target := range []string{"a.example", "b.example", "c.example"} {
		if _, err := again.Offer(t.Context(), target); err != nil { // the same list is offered again
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

// manyWorkers checks that each target has one result in the end, and that two workers never
// hold it at once, although workers finish, return targets, forget their leases and are too
// late.
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
	holders := map[string]time.Time{} // the time until which a worker holds it
	var fleet sync.WaitGroup
	for i := range workers {
		fleet.Go(func() {
			q := l.Queue
			if l.m.Apart {
				q = l.m.open(t)
			}
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for {
				lease, err := q.Take(l.Context())
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
					t.Errorf("%s was taken %v before the lease of another worker ended", target, early)
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

// mishap ends a lease in one of the ways that a worker may end it. It calls free before the
// lease is returned.
func mishap(t *testing.T, lease crawl.Lease, random *rand.Rand, free func()) {
	var err error
	r := resultOf(lease.Task(), crawl.Found, "")
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
