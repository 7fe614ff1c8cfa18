package crawl

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve"
)

// again returns the time after which a target is taken again, or zero for never, and whether
// the target has been asked.
func (w *worker) again(ctx context.Context, t Task, site *wayfind.Site, err error) (after time.Duration, counted bool) {
	const soon = time.Millisecond // as soon as possible
	if busy, ok := errors.AsType[*errBusy](err); ok {
		return max(busy.after, soon), false
	}
	if ctx.Err() != nil && (unfinished(site) || errors.Is(err, ctx.Err())) {
		return soon, false
	}
	failure, ok := errors.AsType[*wayfind.Error](err)
	if in := site.Incomplete; in != nil && !w.opts.Once {
		if t.Attempt >= w.opts.Attempts {
			return 0, true
		}
		return max(time.Until(in.NotBefore), backoff(w.opts.Backoff, t.Attempt), soon), true
	}
	if !ok || w.opts.Once {
		return 0, true
	}
	until := max(time.Until(failure.NotBefore), 0)
	if unasked(site) {
		// The store of the turns failed, or the site requires a pause that this worker does not
		// wait for.
		return max(until, busyFor), false
	}
	transient := errors.Is(err, wayfind.ErrThrottled) || errors.Is(err, wayfind.ErrUnreachable) && failure.Code != wayfind.CodeDNSNotFound
	if !transient || t.Attempt >= w.opts.Attempts {
		return 0, true
	}
	return max(until, backoff(w.opts.Backoff, t.Attempt), soon), true
}

// maxBackoff is the longest time between two attempts, unless a site specifies one.
const maxBackoff = time.Hour

// backoff returns the time after an attempt. It doubles with each attempt, up to maxBackoff.
// The number of attempts can be arbitrarily large, because the queue may be from another
// program.
func backoff(first time.Duration, attempt int) time.Duration {
	if doublings := max(attempt, 1) - 1; first <= maxBackoff>>doublings {
		return first << doublings
	}
	return maxBackoff
}

// unasked reports whether no place of a Site was requested because of the site's pause.
func unasked(site *wayfind.Site) bool {
	return len(site.Probes) > 0 && !slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.Reason != resolve.ReasonPace })
}

// unfinished reports whether a place was not requested because the worker ended.
func unfinished(site *wayfind.Site) bool {
	return slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool {
		return p.Reason == string(wayfind.CodeDeadline) || p.Reason == string(wayfind.CodeCanceled)
	})
}
