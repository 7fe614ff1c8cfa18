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

// dueOf begins the keys of what workers have put off, in the bucket of attempts. The
// tokens of targets have no dot.
const dueOf = "due."

// recentResults is how many results the rate is taken from.
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

// Pace implements crawl.Timed. The times are those of the server.
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

// rate is the number of results a second, from the last results until now.
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
		case !errors.Is(err, jetstream.ErrMsgNotFound): // a target that was asked again has a newer one
			return 0, err
		}
	}
	return float64(n) / max(info.TimeStamp.Sub(since).Seconds(), 1), nil
}

// next is the first target that is due after a time, as workers say.
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
				return target, at, nil // that was all
			}
			when, name, _ := strings.Cut(string(said.Value()), " ")
			due, err := time.Parse(time.RFC3339, when)
			if err != nil {
				return "", at, fmt.Errorf("crawl: what a worker says was not written by wayfind: %w", err)
			}
			if due.After(now) && (target == "" || due.Before(at)) {
				target, at = name, due
			}
		case <-ctx.Done():
			return "", at, ctx.Err()
		}
	}
}
