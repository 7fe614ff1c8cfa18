package flight

import (
	"context"
	"iter"
	"sync/atomic"
)

// Ticket is one waiter's share in a flight. Its methods may be called from
// several goroutines.
type Ticket[F, R any] struct {
	flight *flight[F, R]
	group  interface{ left(*flight[F, R]) } // nil for a flight of a closed group
	gone   atomic.Bool
}

// closedTicket belongs to a flight that has ended with ErrClosed.
func closedTicket[F, R any]() *Ticket[F, R] {
	return &Ticket[F, R]{flight: &flight[F, R]{over: true, err: ErrClosed}}
}

// Wait returns the result of run, or ctx.Err() when ctx ends first. A result
// that is already there is preferred. Results outlive the flight: Wait may be
// called again, and after Leave.
func (t *Ticket[F, R]) Wait(ctx context.Context) (R, error) {
	for {
		_, more := t.flight.listen()
		if more == nil {
			return t.flight.result, t.flight.err
		}
		select {
		case <-more:
		case <-ctx.Done():
			var zero R
			return zero, ctx.Err()
		}
	}
}

// Findings returns the findings so far, in order. The slice does not
// change afterwards and must not be written to.
func (t *Ticket[F, R]) Findings() []F {
	t.flight.mu.Lock()
	defer t.flight.mu.Unlock()
	return t.flight.prefix()
}

// All yields every emitted value in order, those before the ticket joined
// included, until run has returned or ctx ends. Breaking the loop does not
// leave the flight.
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

// Leave gives the ticket back. The last one to leave cancels the flight.
// Further calls do nothing.
func (t *Ticket[F, R]) Leave() {
	if !t.gone.Swap(true) && t.group != nil {
		t.group.left(t.flight)
	}
}

// listen returns the findings and, when more may come, a channel that is closed
// at the next change; nil means that there are no more.
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

// prefix is clipped: later findings are appended beyond it. f.mu is held.
func (f *flight[F, R]) prefix() []F {
	n := len(f.findings)
	return f.findings[:n:n]
}
