package flight

import (
	"context"
	"iter"
	"sync/atomic"
)

// Ticket is a waiter's share of a flight. Its methods may be called from several goroutines.
type Ticket[F, R any] struct {
	flight *flight[F, R]
	group  interface{ left(*flight[F, R]) } // nil for a flight of a closed group
	gone   atomic.Bool
}

// closedTicket returns a ticket of a flight that ended with ErrClosed.
func closedTicket[F, R any]() *Ticket[F, R] {
	return &Ticket[F, R]{flight: &flight[F, R]{over: true, err: ErrClosed}}
}

// Wait returns the result of run, or ctx.Err() if ctx ends first. If the result exists already,
// it is returned in any case. Results remain after the flight: Wait may be called again, also
// after Leave.
func (t *Ticket[F, R]) Wait(ctx context.Context) (R, error) {
	end := t.flight.ending()
	if end != nil {
		select {
		case <-end:
		case <-ctx.Done():
			var zero R
			return zero, ctx.Err()
		}
	}
	return t.flight.result, t.flight.err
}

// Findings returns the findings so far, in order. The slice does not change later and must not
// be modified.
func (t *Ticket[F, R]) Findings() []F {
	t.flight.mu.Lock()
	defer t.flight.mu.Unlock()
	return t.flight.prefix()
}

// All yields all emitted values in order, including earlier ones, until run has returned or ctx
// ends. To break the loop does not leave the flight.
func (t *Ticket[F, R]) All(ctx context.Context) iter.Seq[F] {
	return func(yield func(F) bool) {
		for seen := 0; ; {
			findings, more := t.flight.listen()
			for _, v := range findings[seen:] {
				if ctx.Err() != nil || !yield(v) {
					return
				}
			}
			seen = len(findings)
			if more == nil {
				return
			}
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Leave returns the ticket. If it is the last ticket, the flight is cancelled. Further calls do
// nothing.
func (t *Ticket[F, R]) Leave() {
	if !t.gone.Swap(true) && t.group != nil {
		t.group.left(t.flight)
	}
}

// ending returns a channel that is closed at the end, or nil after the end.
func (f *flight[F, R]) ending() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil
	}
	if f.end == nil {
		f.end = make(chan struct{})
	}
	return f.end
}

// listen returns the findings and, if more may come, a channel that is closed at the next
// change. If the channel is nil, there are no more.
func (f *flight[F, R]) listen() (findings []F, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return f.prefix(), nil
	}
	if f.more == nil {
		f.more = make(chan struct{})
	}
	return f.prefix(), f.more
}

// prefix returns the findings, clipped, because later findings are appended to the same array.
// f.mu is held.
func (f *flight[F, R]) prefix() []F {
	n := len(f.findings)
	return f.findings[:n:n]
}
