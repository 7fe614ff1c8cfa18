// Package crawltest tests whether a crawl.Queue obeys the laws of its interface.
//
//	func TestQueue(t *testing.T) {
//		crawltest.TestQueue(t, crawltest.Maker{Open: …, Lease: time.Second})
//	}
//
// The tests check these laws. A target is offered once, in any spelling. It is leased to one
// worker at a time and finally has one result, even if workers die. A renewed lease lasts
// longer; if a lease expires, the target goes to another worker. A target that was returned
// waits its time, and attempts are counted. Retry asks again and replaces the result. The
// counts are correct. All of this survives Close.
package crawltest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// Maker creates the queues that are tested.
type Maker struct {
	// Open returns a separate queue for each name, which is empty the first time. A further
	// call with the same name returns a queue with the same contents, for another worker or
	// after Close.
	Open func(t *testing.T, name string) crawl.Queue
	// Lease is the duration of a lease.
	Lease time.Duration
	// Apart is true if several queues with one name can be open at a time, as in a fleet of
	// workers.
	Apart bool
}

// TestQueue runs each law as a subtest. A subtest fails if it takes longer than a minute and
// ten leases.
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
		{"OneLargeResult", oneLargeResult},
		{"FinishedMeanwhile", finishedMeanwhile},
		{"Retry", retry},
		{"Counts", counts},
		{"Reopened", reopened},
		{"ManyWorkers", manyWorkers},
	}
	for _, l := range laws {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience+10*m.Lease)
			defer cancel()
			l.law(t, &lab{T: t, m: m, Queue: m.open(t), ctx: ctx})
		})
	}
}

// patience is the time for one law, in addition to ten leases. Without it a queue that keeps a
// target back would hang until all tests are stopped.
const patience = time.Minute

func (m Maker) open(t *testing.T) crawl.Queue {
	q := m.Open(t, strings.ReplaceAll(t.Name(), "/", "-"))
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

// lab is a queue and the steps of a test.
type lab struct {
	*testing.T
	crawl.Queue
	m   Maker
	ctx context.Context
}

// Context returns a context that ends when the time for the law expires.
func (l *lab) Context() context.Context { return l.ctx }

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
		l.Fatalf("no target was offered: %v", err)
	}
	return lease
}

// finish stores a result.
func (l *lab) finish(lease crawl.Lease, cause string) {
	l.Helper()
	if err := lease.Done(l.Context(), resultOf(lease.Task(), cause, "")); err != nil {
		l.Fatal(err)
	}
}

// resultOf returns a result. Its data is a line of JSON as "wayfind crawl" writes it, because a
// crawl.File reads it again.
func resultOf(task crawl.Task, cause, site string) crawl.Result {
	failure := ""
	if cause != crawl.Found {
		failure = fmt.Sprintf(`"error":{"code":%q,"kind":"unreachable","message":"x"},`, cause)
	}
	data := fmt.Sprintf(`{"schema":"wayfind/result/1",%s"target":%q,"cause":%q,"site":{"origin":%q}}`, failure, task.Target, cause, site)
	return crawl.Result{Target: task.Target, Cause: cause, Attempt: task.Attempt, Data: []byte(data)}
}

// results returns the causes of all results, by target.
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

// wantEmpty checks that no target is left.
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
