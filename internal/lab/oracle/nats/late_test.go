package nats

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/nats"
)

// cutOff cuts a worker off and lets it send a message about its lease. The next worker takes the
// target, calls before, and calls after when the first worker is connected again.
func cutOff(t *testing.T, word func(crawl.Lease) error, before, after func(second crawl.Lease)) (other *nats.Queue) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	w := newWire(t, server.Addr().String())
	o := &nats.Options{Lease: testLease}
	cut, err := nats.Open(t.Context(), w.url(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cut.Close() })
	if other, err = nats.Open(t.Context(), server.ClientURL(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	if _, err := other.Offer(t.Context(), "a.example"); err != nil {
		t.Fatal(err)
	}
	first, err := cut.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.cut(true, true)
	said := make(chan error, 1)
	go func() { said <- word(first) }()
	t.Cleanup(func() {
		if err := <-said; !errors.Is(err, crawl.ErrLost) {
			t.Errorf("the word of the first: %v", err)
		}
	})
	second, err := other.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before(second)
	w.cut(false, false)
	after(second)
	return other
}

// A worker that is cut off does not return a target later, whether the attempt is counted or
// not, because the target may belong to another worker.
func TestGivenBackTooLate(t *testing.T) { givenBackTooLate(t, false) }

func TestCountedTooLate(t *testing.T) { givenBackTooLate(t, true) }

func givenBackTooLate(t *testing.T, counted bool) {
	other := cutOff(t, func(first crawl.Lease) error { return first.Fail(t.Context(), 0, counted) }, func(crawl.Lease) {}, func(second crawl.Lease) {
		go func() {
			for t.Context().Err() == nil {
				_ = second.Renew(t.Context())
				time.Sleep(testLease / 4)
			}
		}()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*testLease)
	defer cancel()
	if third, err := other.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Take = %v, %v while another worker has the target: the late word of the first counts", third, err)
	}
}

// A worker that is cut off while it renews its lease does not shorten the time for which the
// next worker has returned the target.
func TestRenewedTooLate(t *testing.T) {
	other := cutOff(t, func(first crawl.Lease) error { return first.Renew(t.Context()) }, func(second crawl.Lease) {
		if err := second.Fail(t.Context(), time.Hour, false); err != nil {
			t.Error(err)
		}
	}, func(crawl.Lease) {})
	ctx, cancel := context.WithTimeout(t.Context(), 3*testLease)
	defer cancel()
	if third, err := other.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Take = %v, %v of a target that was put off for an hour", third, err)
	}
}

// If results are replaced while they are read, no target has two results.
func TestResultsWhileReplaced(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	q := open(t, server.ClientURL(), "replaced")
	defer q.Close()
	const targets = 70 // more than one request for results returns
	result := func(l crawl.Lease) crawl.Result {
		return crawl.Result{Target: l.Task().Target, Cause: crawl.Found, Attempt: 1}
	}
	var leases []crawl.Lease
	take := func() {
		l, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, l)
	}
	finish := func() {
		for _, l := range leases {
			if err := l.Done(t.Context(), result(l)); err != nil {
				t.Fatal(err)
			}
		}
		leases = nil
	}
	for i := range targets {
		if _, err := q.Offer(t.Context(), fmt.Sprintf("d%d.example", i)); err != nil {
			t.Fatal(err)
		}
		take()
	}
	finish()
	if n, err := q.Retry(t.Context(), ""); n != targets || err != nil {
		t.Fatalf("Retry = %d, %v", n, err)
	}
	for range targets {
		take()
	}
	seen := map[string]bool{}
	for r, err := range q.Results(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if seen[r.Target] {
			t.Errorf("%s has two results", r.Target)
		}
		seen[r.Target] = true
		finish()
	}
}
