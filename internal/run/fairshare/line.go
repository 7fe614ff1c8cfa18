package fairshare

import (
	"context"
	"slices"
)

// line is the waiting line of a Quota or a Pool, whose lock guards it. H is the holder of an amount.
type line[H comparable] []*waiter[H]

// waiter is an amount that a holder waits for.
type waiter[H comparable] struct {
	holder  H
	n       int64
	granted chan struct{} // closed when the wait is over

	// In the line of a Quota: the cost of the work, and the value of Quota.now at which it is served.
	cost int64
	due  float64
}

// close ends the waits of a holder, which gets nothing.
func (l *line[H]) close(holder H) (ended []*waiter[H]) {
	*l = slices.DeleteFunc(*l, func(w *waiter[H]) bool {
		if w.holder != holder {
			return false
		}
		close(w.granted)
		ended = append(ended, w)
		return true
	})
	return ended
}

// abandon removes a waiter that gives up. It returns false if the waiter was granted its amount
// in the meantime.
func (l *line[H]) abandon(w *waiter[H]) bool {
	select {
	case <-w.granted:
		return false
	default:
	}
	*l = slices.DeleteFunc(*l, func(other *waiter[H]) bool { return other == w })
	return true
}

// await waits for a grant. If ctx ends or left is closed first, it calls abandon.
func (w *waiter[H]) await(ctx context.Context, left <-chan struct{}, abandon func(*waiter[H])) error {
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		abandon(w)
		return ctx.Err()
	case <-left:
		abandon(w)
		return context.Canceled
	}
}
