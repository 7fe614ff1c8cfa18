package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// dueOf is the prefix of the keys for targets that workers have postponed, in the bucket of
// attempts. The tokens of targets contain no dot.
const dueOf = "due."

// recentResults is the number of results from which the rate is calculated.
const recentResults = 100

var _ crawl.Timed = (*Queue)(nil)

// Due implements crawl.Timed.
func (q *Queue) Due(ctx context.Context, worker, target string, at time.Time) error {
	return q.patiently(ctx, func(ctx context.Context) error {
		if target == "" {
			return q.attempts.Delete(ctx, dueOf+worker)
		}
		_, err := q.attempts.PutString(ctx, dueOf+worker, at.UTC().Format(time.RFC3339)+" "+target)
		return err
	})
}

// Pace implements crawl.Timed. Its times are from the clock of the server.
func (q *Queue) Pace(ctx context.Context) (p crawl.Pace, err error) {
	err = q.patiently(ctx, func(ctx context.Context) error {
		info, err := q.results.Info(ctx)
		if err != nil {
			return err
		}
		if p.Rate, err = q.rate(ctx, info); err != nil {
			return err
		}
		p.Next, p.Due, err = q.next(ctx, info.TimeStamp)
		return err
	})
	return p, err
}

// rate returns the number of results per second, from the last results until now.
func (q *Queue) rate(ctx context.Context, info *jetstream.StreamInfo) (float64, error) {
	if info.State.Msgs < 2 {
		return 0, nil
	}
	n, since := info.State.Msgs, info.State.FirstTime
	if info.State.LastSeq-info.State.FirstSeq > recentResults {
		first, err := q.results.GetMsg(ctx, info.State.LastSeq-recentResults)
		switch {
		case err == nil:
			n, since = recentResults, first.Time
		case !errors.Is(err, jetstream.ErrMsgNotFound): // a target that was asked again has a newer result
			return 0, err
		}
	}
	return float64(n) / max(info.TimeStamp.Sub(since).Seconds(), 1), nil
}

// next returns the first target that is due after a time, according to the workers.
func (q *Queue) next(ctx context.Context, now time.Time) (target string, at time.Time, err error) {
	list, err := q.attempts.WatchFiltered(ctx, []string{dueOf + "*"}, jetstream.IgnoreDeletes())
	if err != nil {
		return "", at, err
	}
	defer func() { _ = list.Stop() }()
	for {
		select {
		case said, ok := <-list.Updates():
			if said == nil || !ok {
				return target, at, nil // there are no more
			}
			when, name, _ := strings.Cut(string(said.Value()), " ")
			due, err := time.Parse(time.RFC3339, when)
			if err != nil {
				return "", at, fmt.Errorf("crawl: the record of a worker was not written by wayfind: %w", err)
			}
			if due.After(now) && (target == "" || due.Before(at)) {
				target, at = name, due
			}
		case <-ctx.Done():
			return "", at, ctx.Err()
		}
	}
}
