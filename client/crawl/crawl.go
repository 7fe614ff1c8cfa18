// Package crawl works through a list of domains with any number of processes: a Queue contains
// the targets and their results, and Work runs one worker on it.
//
// A worker may start, stop and be killed at any time. When its leases expire, its targets go to
// other workers, and in the end each target has exactly one result. Workers that share a
// cache.Store ask one domain of a site at a time, and pause for as long as the site requires.
//
// Package crawl/nats stores a queue in NATS JetStream. A File is a queue for one process.
// Package crawltest tests implementations of Queue.
//
// The operator of a crawl is responsible for it: in addition to robots.txt, the terms of the
// sites apply to the operator.
package crawl

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/wayfindhq/wayfind/resolve"
)

// Errors of a Queue, for use with errors.Is.
var (
	// ErrEmpty: no target is waiting and none is leased.
	ErrEmpty = errors.New("crawl: the queue is empty")
	// ErrLost: the lease has expired, and another worker may have the target.
	ErrLost = errors.New("crawl: the lease is over")
	// ErrFull: the queue has no room for more targets or results.
	ErrFull = errors.New("crawl: the queue is full")
)

// Found is the cause of a result if something usable was found at the domain. Incomplete is the cause
// if a part of its places gave no answer: see wayfind.Site.Incomplete.
const (
	Found      = "found"
	Incomplete = "incomplete"
)

// Queue contains the targets of a crawl, and one result for each target that is finished. A
// target is identified by its key, as returned by resolve.Target.Key. All methods may be called
// from several goroutines.
type Queue interface {
	// Offer adds a target. added is false if the target is waiting, is leased or has a result.
	// Offer fails with ErrFull if there is no room.
	Offer(ctx context.Context, target string) (added bool, err error)
	// Take leases a target, and waits until there is one. The error is ErrEmpty if no target is
	// waiting and none is leased, or the error of ctx.
	Take(ctx context.Context) (Lease, error)
	// Count returns the progress of the crawl.
	Count(ctx context.Context) (Counts, error)
	// Results yields the results with a cause, or all results if cause is empty, in no
	// particular order. An error ends the loop.
	Results(ctx context.Context, cause string) iter.Seq2[Result, error]
	// Retry offers the targets whose results have a cause again, and returns their number. Each
	// target keeps its result until it gets the next one.
	Retry(ctx context.Context, cause string) (n int, err error)
	// Close releases the resources of the queue in this process. Its leases expire.
	Close() error
}

// Ledger is a Queue that stores statistics of the workers. It is optional.
type Ledger interface {
	Queue
	// Unstored records the number of answers that a worker could not write to its store so far.
	// Count returns the sum of the latest numbers of all workers.
	Unstored(ctx context.Context, worker string, answers uint64) error
}

// Timed is a Queue that knows the pace of the crawl. It is optional.
type Timed interface {
	Queue
	// Due records which of the targets that a worker has deferred is due first, and the time at
	// which it is taken again. An empty target means that the worker has deferred none.
	Due(ctx context.Context, worker, target string, at time.Time) error
	// Pace returns the pace of all workers.
	Pace(ctx context.Context) (Pace, error)
}

// Pace is the pace of a crawl.
type Pace struct {
	// Rate is the recent number of results per second; zero if it is not known.
	Rate float64
	// Next is the deferred target that is due first; empty if none is known.
	Next string
	// Due is the time at which Next is taken again.
	Due time.Time
}

// Lease gives a worker a target for a limited time.
type Lease interface {
	// Task returns the target.
	Task() Task
	// Until returns the time, on this machine's clock, at which the lease expires.
	Until() time.Time
	// Renew restarts the time of the lease. It fails with ErrLost if the lease has expired.
	Renew(ctx context.Context) error
	// Done stores the result and ends the lease. If workers whose leases had expired store
	// further results for a target, the first result is kept. The others are dropped without an
	// error. Done fails with ErrFull if there is no room.
	Done(ctx context.Context, r Result) error
	// Fail gives the target back: it is not taken again until the time after has passed. If
	// counted is true, the target was asked, and the attempt is counted.
	Fail(ctx context.Context, after time.Duration, counted bool) error
}

// Task is a target that has been taken.
type Task struct {
	// Target is the key of the target.
	Target string
	// Attempt is 1 the first time that a target is asked, and is incremented by each counted
	// Fail. A lease that expires is not an attempt.
	Attempt int
}

// Result is the outcome for a target.
type Result struct {
	// Target is the key of the target.
	Target string
	// Cause is Found, Incomplete, or the code of the error with which the target ended.
	Cause string
	// Attempt is the Attempt of the Task.
	Attempt int
	// Data is the output of Options.Encode for the Site.
	Data []byte
}

// Counts is the progress of a crawl.
type Counts struct {
	// Waiting is the number of targets that are not leased. Targets that were given back for
	// some time may be counted as leased.
	Waiting uint64
	// Leased is the number of targets that a worker has, or that wait to be asked again.
	Leased uint64
	// Finished is the number of targets with a result, including targets that are asked again.
	Finished uint64
	// Unstored is the number of answers that were not written to the stores of the workers,
	// because the stores dropped them or failed: see Ledger.
	Unstored uint64
}

// Open returns the number of targets that have no result yet, or are asked again.
func (c Counts) Open() uint64 { return c.Waiting + c.Leased }

// Key returns the key of a target in any spelling. The error is the error of
// resolve.ParseTarget, or is of kind wayfind.ErrInvalid for a target that no queue may have: see
// resolve.Target.Listed.
func Key(target string) (string, error) {
	t, _, err := resolve.ParseTarget(target)
	if err != nil {
		return "", err
	}
	t, err = t.Listed()
	return t.Key(), err
}

// spelled returns a target in the spelling of its Site. Offer stores no other spelling, but a
// queue may contain targets that another program has added.
func spelled(target string) string {
	if key, err := Key(target); err == nil {
		return key
	}
	return target
}
