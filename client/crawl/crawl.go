// Package crawl works through a list of domains with any number of processes:
// a Queue holds the targets and their results, and Work is one worker at it.
//
// A worker may come, go and be killed at any time. A target that it held is
// given to another one when its lease is over, and each target has exactly one
// result in the end. Workers that share a cache.Store ask one domain of a
// site at a time, and leave the site alone for as long as it wants.
//
// Package crawl/nats keeps a queue in NATS JetStream. NewList is a queue in one
// process, for a list and a file of results. Package crawltest has the laws of
// a Queue.
//
// Those who run a crawl answer for it: the terms of the sites that it asks
// apply to them, besides robots.txt.
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
	// Offer adds a target. added is false for one that waits, is leased or has
	// a result. Offer fails with ErrFull when there is no room.
	Offer(ctx context.Context, target string) (added bool, err error)
	// Take leases a target, and waits for one. The error is ErrEmpty when none
	// waits and none is leased, or that of ctx.
	Take(ctx context.Context) (Lease, error)
	// Count says how far the crawl is.
	Count(ctx context.Context) (Counts, error)
	// Results yields the results with a cause, or all where it is empty, in no
	// order that means anything. An error ends the loop.
	Results(ctx context.Context, cause string) iter.Seq2[Result, error]
	// Retry offers the targets again whose results have a cause, and returns
	// how many. Each keeps its result until it has the next one.
	Retry(ctx context.Context, cause string) (n int, err error)
	// Close gives up what this process holds of the queue. Its leases end by
	// themselves.
	Close() error
}

// Lease is a target that a worker has for some time.
type Lease interface {
	// Task is the target.
	Task() Task
	// Until is the time, on this machine's clock, when the lease ends.
	Until() time.Time
	// Renew begins the lease's time anew. It fails with ErrLost when it is over.
	Renew(ctx context.Context) error
	// Done stores the result and ends the lease. Of several results for one
	// target, by workers whose leases were over, the first counts: the others
	// are dropped, and that is no error. Done fails with ErrFull when there is no room.
	Done(ctx context.Context, r Result) error
	// Fail gives the target back: it is not taken again before a time has
	// passed. counted: it was asked, and that is an attempt.
	Fail(ctx context.Context, after time.Duration, counted bool) error
}

// Task is a target that has been taken.
type Task struct {
	// Target is the key.
	Target string
	// Attempt is 1 the first time that a target is asked, and one more after
	// each Fail that counts. A lease that ends without a word is none.
	Attempt int
}

// Result is the end of a target.
type Result struct {
	// Target is the key.
	Target string
	// Cause is Found, or the code of the error that the target ended with.
	Cause string
	// Attempt is that of the task.
	Attempt int
	// Data is what Options.Encode made of the Site.
	Data []byte
}

// Counts say how far a crawl is.
type Counts struct {
	// Waiting targets are not leased; those that were given back for some time
	// may be among the leased.
	Waiting uint64
	// Leased targets are with a worker, or wait to be asked again.
	Leased uint64
	// Finished targets have a result.
	Finished uint64
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
