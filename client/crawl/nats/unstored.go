package nats

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// ofWorkers begins the keys of what workers say, in the bucket of attempts. The tokens
// of targets have no dot.
const ofWorkers = "unstored."

// Unstored implements crawl.Ledger.
func (q *Queue) Unstored(ctx context.Context, worker string, answers uint64) error {
	return q.patiently(ctx, func(ctx context.Context) error {
		_, err := q.attempts.PutString(ctx, ofWorkers+worker, strconv.FormatUint(answers, 10))
		return err
	})
}

// unstored adds the numbers of the workers up.
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
				return n, nil // that was all
			}
			answers, err := strconv.ParseUint(string(said.Value()), 10, 64)
			if err != nil {
				return n, fmt.Errorf("crawl: what a worker says was not written by wayfind: %w", err)
			}
			n += answers
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}
