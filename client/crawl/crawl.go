// Package crawl works through a list of domains with any number of processes:
// a Queue holds the targets and their results, and Work is one worker at it.
//
// A worker may start, stop and be killed at any time. Its targets go to other
// workers when their leases are over, and each target has exactly one result in
// the end. Workers that share a cache.Store ask one domain of a site at a time,
// and pause for as long as the site asks for.
//
// Package crawl/nats keeps a queue in NATS JetStream. A File is a queue in one
// process. Package crawltest tests implementations of Queue.
//
// The operator of a crawl is responsible for it: besides robots.txt, the terms of
// the sites apply to the operator.
package crawl

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/wayfindhq/wayfind/resolve"
)

// Errors of a Queue, for errors.Is.
var (
	// ErrEmpty: no target waits and none is leased.
	ErrEmpty = errors.New("crawl: the queue is empty")
	// ErrLost: the lease is over, and another worker may have the target.
	ErrLost = errors.New("crawl: the lease is over")
	// ErrFull: the queue has no room for more targets or results.
	ErrFull = errors.New("crawl: the queue is full")
)

// Found is the cause of a result for a domain where something usable was found.
const Found = "found"

// Queue holds the targets of a crawl, and one result for each that is finished.
// A target is named by its key, as resolve.Target.Key gives it. All methods may
// be called from several goroutines.
type Queue interface {
	// Offer adds a target. added is false for a target that waits, is leased or
	// has a result. Offer fails with ErrFull when there is no room.
	Offer(ctx context.Context, target string) (added bool, err error)
	// Take leases a target, and waits until there is one. The error is ErrEmpty
	// when no target waits and none is leased, or that of ctx.
	Take(ctx context.Context) (Lease, error)
	// Count returns the progress of the crawl.
	Count(ctx context.Context) (Counts, error)
	// Results yields the results with a cause, or all if cause is empty, in no
	// particular order. An error ends the loop.
	Results(ctx context.Context, cause string) iter.Seq2[Result, error]
	// Retry offers the targets whose results have a cause again, and returns
	// their number. Each target keeps its result until the next one.
	Retry(ctx context.Context, cause string) (n int, err error)
	// Close frees the resources of the queue in this process. Its leases run
	// out.
	Close() error
}

// Ledger is a Queue that keeps what workers say of themselves. It is optional.
type Ledger interface {
	Queue
	// Unstored notes how many answers a worker could not write to its store so far.
	// Count adds the last numbers of all workers up.
	Unstored(ctx context.Context, worker string, answers uint64) error
}

// Timed is a Queue that knows how fast it is worked through. It is optional.
type Timed interface {
	Queue
	// Due notes the target that a worker has put off and that is due first, and when it is
	// taken again. With an empty target the worker has put off none.
	Due(ctx context.Context, worker, target string, at time.Time) error
	// Pace returns the pace of all workers.
	Pace(ctx context.Context) (Pace, error)
}

// Pace is how fast a crawl proceeds.
type Pace struct {
	// Rate is the number of results per second, lately; zero if it is not known.
	Rate float64
	// Next is the target that is due first of all that workers have put off; "" if none is
	// known.
	Next string
	// Due is the time when Next is taken again.
	Due time.Time
}

// Lease gives a worker a target for a limited time.
type Lease interface {
	// Task is the target.
	Task() Task
	// Until is the time, on this machine's clock, when the lease ends.
	Until() time.Time
	// Renew restarts the time of the lease. It fails with ErrLost when the lease
	// is over.
	Renew(ctx context.Context) error
	// Done stores the result and ends the lease. When workers whose leases were
	// over store further results for a target, the first counts. The others are
	// dropped without an error. Done fails with ErrFull when there is no room.
	Done(ctx context.Context, r Result) error
	// Fail gives the target back: it is not taken again until a time has passed.
	// With counted the target was asked, and the attempt counts.
	Fail(ctx context.Context, after time.Duration, counted bool) error
}

// Task is a target that has been taken.
type Task struct {
	// Target is the key.
	Target string
	// Attempt is 1 the first time that a target is asked, and one more after
	// each counted Fail. A lease that runs out is not an attempt.
	Attempt int
}

// Result is the outcome for a target.
type Result struct {
	// Target is the key.
	Target string
	// Cause is Found, or the code of the error that the target ended with.
	Cause string
	// Attempt is that of the Task.
	Attempt int
	// Data is the Site as Options.Encode wrote it.
	Data []byte
}

// Counts is the progress of a crawl.
type Counts struct {
	// Waiting targets are not leased. Targets that were given back for some time
	// may count as leased.
	Waiting uint64
	// Leased targets are with a worker, or wait to be asked again.
	Leased uint64
	// Finished targets have a result. A target that is asked again counts here, too.
	Finished uint64
	// Unstored answers were not written to the stores of the workers, which gave them
	// up or failed: see Ledger.
	Unstored uint64
}

// Open is the number of targets that have no result yet, or are asked again.
func (c Counts) Open() uint64 { return c.Waiting + c.Leased }

// Key is the key of a target in any spelling. The error is that of
// resolve.ParseTarget.
func Key(target string) (string, error) {
	t, _, err := resolve.ParseTarget(target)
	if err != nil {
		return "", err
	}
	return t.Key(), nil
}

// spelled is a target as its Site names it. Offer makes no other spelling, but a queue may
// hold targets that another program has put there.
func spelled(target string) string {
	if key, err := Key(target); err == nil {
		return key
	}
	return target
}
