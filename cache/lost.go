package cache

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// LostStats counts the answers that a store did not give, or did not take, by reason.
type LostStats struct {
	// Late is the number of calls during which the store gave no sign for its budget. Three of them
	// in a row let it rest.
	Late uint64
	// Busy is the number of calls that ran for too long while the store answered others.
	Busy uint64
	// Resting is the number of calls that were not made because the store rested.
	Resting uint64
	// Full is the number of writes that were not made because too many others waited.
	Full uint64
	// Failed is the number of calls that returned another error.
	Failed uint64
}

func (s LostStats) plus(o LostStats) LostStats {
	return LostStats{s.Late + o.Late, s.Busy + o.Busy, s.Resting + o.Resting, s.Full + o.Full, s.Failed + o.Failed}
}

// losses are the current counts of LostStats.
type losses struct {
	late, busy, resting, full, failed atomic.Uint64
}

var errFull = errors.New("cache: too many writes wait for the store")

// note counts the result of a call.
func (l *losses) note(err error) {
	switch {
	case err == nil, errors.Is(err, ErrSchema), errors.Is(err, errors.ErrUnsupported), errors.Is(err, context.Canceled):
	case errors.Is(err, errOpen):
		l.resting.Add(1)
	case errors.Is(err, errFull):
		l.full.Add(1)
	case errors.Is(err, budget.ErrBusy):
		l.busy.Add(1)
	case errors.Is(err, context.DeadlineExceeded):
		l.late.Add(1)
	default:
		l.failed.Add(1)
	}
}

func (l *losses) stats() LostStats {
	return LostStats{l.late.Load(), l.busy.Load(), l.resting.Load(), l.full.Load(), l.failed.Load()}
}

// lostIn returns the counts of a store with a breaker.
func lostIn(s Store) (unread, unwritten LostStats) {
	if g, ok := s.(*guarded); ok {
		return g.lost[reads].stats(), g.lost[writes].stats()
	}
	return
}

// lost returns the counts of both layers.
func (l *Layered) losses() (unread, unwritten LostStats) {
	nearUnread, nearUnwritten := lostIn(l.near)
	farUnread, farUnwritten := lostIn(l.far)
	return nearUnread.plus(farUnread), nearUnwritten.plus(farUnwritten).plus(l.writer.unwritten.stats())
}
