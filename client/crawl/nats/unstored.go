package nats

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// ofWorkers is the prefix of the keys for the records of workers, in the bucket of attempts.
// The tokens of targets contain no dot.
const ofWorkers = "unstored."

// Unstored implements crawl.Ledger.
func (q *Queue) Unstored(ctx context.Context, worker string, answers uint64) error {
	return q.patiently(ctx, func(ctx context.Context) error {
		_, err := q.attempts.PutString(ctx, ofWorkers+worker, strconv.FormatUint(answers, 10))
		return err
	})
}

// unstored returns the sum of the workers' numbers.
func (q *Queue) unstored(ctx context.Context) (n uint64, err error) {
	list, err := q.attempts.WatchFiltered(ctx, []string{ofWorkers + "*"}, jetstream.IgnoreDeletes())
	if err != nil {
		return 0, err
	}
	defer func() { _ = list.Stop() }()
	for {
		select {
		case said, ok := <-list.Updates():
			if said == nil || !ok {
				return n, nil // there are no more
			}
			answers, err := strconv.ParseUint(string(said.Value()), 10, 64)
			if err != nil {
				return n, fmt.Errorf("crawl: the record of a worker was not written by wayfind: %w", err)
			}
			n += answers
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}
