// Package flight shares one running piece of work among all callers that ask
// for it while it runs.
//
// A [Group] is a single flight with reference counts: the work runs on a
// goroutine of its own under a context of its own, each waiter obeys its own
// context, a waiter that leaves does not harm the others, and when the last one
// leaves the work is cancelled. A caller may also run the work itself
// ([Group.Inline]). Findings that the work emits are broadcast in
// order to every ticket, whenever it joined. A panic in the work is an error
// for all waiters and not the end of the process.
package flight

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// ErrClosed is the error of a ticket from a closed [Group].
var ErrClosed = errors.New("flight: group closed")

// PanicError is the error that every waiter gets when run panicked.
type PanicError struct {
	// Value is the argument of panic.
	Value any
	// Stack of the panicking goroutine, as debug.Stack formats it.
	Stack []byte
}

// Error names the panic without its stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Group holds the flights of one kind by key: F is the type of a flight's
// findings, R that of its result. The zero value is ready. A Group must not be
// copied.
type Group[K comparable, F, R any] struct {
	mu      sync.Mutex
	flights map[K]*flight[F, R]
	held    map[*flight[F, R]]K // by a ticket; run may have returned
	closed  bool
	running sync.WaitGroup
}

// flight is one run and its findings so far.
type flight[F, R any] struct {
	cancel context.CancelFunc // nil for one that its first caller runs

	waiters int // guarded by Group.mu

	mu       sync.Mutex
	findings []F
	more     chan struct{} // closed at the next finding and at the end; nil while no ticket listens
	over     bool
	result   R
	err      error
}

// Join joins the flight of key, or starts one by calling run on a new
// goroutine. The second result says whether a running flight was joined.
//
// The context that run gets descends from no caller. It is cancelled when the
// last ticket has left or the group is closed, and not when run returns, so
// that a result may go on using it while a ticket is held. The flight leaves
// the table when run returned or the last ticket left; the next Join starts
// another. emit may be called from several goroutines and does nothing once run
// has returned.
//
// Every ticket must be given back with Leave.
func (g *Group[K, F, R]) Join(key K, run func(ctx context.Context, emit func(F)) (R, error)) (t *Ticket[F, R], joined bool) {
	t, joined, ok := g.board(key)
	if ok && !joined {
		ctx, cancel := context.WithCancel(context.Background())
		t.flight.cancel = cancel
		go g.run(ctx, key, t.flight, run)
	}
	g.mu.Unlock()
	return t, joined
}

// Inline is Join for a caller that makes the flight itself, if there is none to join:
// it calls run under ctx, and returns when run has. That costs no goroutine and no
// context. The flight ends with the caller: those that have joined it get the error that
// run returned, whose reason is not theirs, and go on by themselves. Close waits for the
// flight, and does not cancel it.
func (g *Group[K, F, R]) Inline(ctx context.Context, key K, run func(ctx context.Context, emit func(F)) (R, error)) (t *Ticket[F, R], joined bool) {
	t, joined, ok := g.board(key)
	g.mu.Unlock()
	if ok && !joined {
		g.run(ctx, key, t.flight, run)
	}
	return t, joined
}

// board takes a ticket of the flight of key, which is made if there is none: then the
// caller has to run it. ok is false if the group is closed. g.mu is held afterwards.
func (g *Group[K, F, R]) board(key K) (t *Ticket[F, R], joined, ok bool) {
	g.mu.Lock()
	if g.closed {
		return closedTicket[F, R](), false, false
	}
	f, joined := g.flights[key]
	if !joined {
		f = &flight[F, R]{}
		if g.flights == nil {
			g.flights = make(map[K]*flight[F, R])
			g.held = make(map[*flight[F, R]]K)
		}
		g.flights[key], g.held[f] = f, key
		g.running.Add(1)
	}
	f.waiters++
	return &Ticket[F, R]{flight: f, group: g}, joined, true
}

// left counts one ticket down and cancels the flight at the last.
func (g *Group[K, F, R]) left(f *flight[F, R]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f.waiters--
	if f.waiters > 0 {
		return
	}
	if f.cancel != nil {
		f.cancel()
	}
	g.remove(g.held[f], f)
	delete(g.held, f)
}

// remove takes a flight out of the table, unless another has taken its place. g.mu is
// held.
func (g *Group[K, F, R]) remove(key K, f *flight[F, R]) {
	if g.flights[key] == f {
		delete(g.flights, key)
	}
}

// Close cancels every flight that has a goroutine of its own, also one that has returned
// and is held by a ticket, and waits until each run has returned. Later Joins get a
// ticket whose Wait returns [ErrClosed]. Close may be called more than once, but not
// from inside a run.
func (g *Group[K, F, R]) Close() {
	g.mu.Lock()
	g.closed = true
	for f := range g.held {
		if f.cancel != nil {
			f.cancel()
		}
	}
	g.mu.Unlock()
	g.running.Wait()
}

// run calls the work and publishes its result, even after a panic. The flight
// leaves the table before, so that a waiter that cannot use the result does not
// join it again.
func (g *Group[K, F, R]) run(ctx context.Context, key K, f *flight[F, R], work func(context.Context, func(F)) (R, error)) {
	defer g.running.Done()
	var result R
	err := error(&PanicError{Value: "runtime.Goexit"})
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		g.mu.Lock()
		g.remove(key, f)
		g.mu.Unlock()
		f.finish(result, err)
	}()
	result, err = work(ctx, f.emit)
}

// emit appends a finding and wakes the listeners.
func (f *flight[F, R]) emit(v F) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	f.findings = append(f.findings, v)
	f.wake()
}

// finish publishes the result.
func (f *flight[F, R]) finish(result R, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.result, f.err, f.over = result, err, true
	f.wake()
}

// wake tells the listeners to look again. f.mu is held.
func (f *flight[F, R]) wake() {
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}
