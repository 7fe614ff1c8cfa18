// Package flight shares one running piece of work among all callers that ask
// for it while it runs.
//
// A [Group] is a single flight with reference counts: the work runs on a
// goroutine of its own under a context of its own, each waiter obeys its own
// context, a waiter that leaves does not harm the others, and when the last one
// leaves the work is cancelled. Findings that the work emits are broadcast in
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
	held    map[*flight[F, R]]struct{} // by a ticket; run may have returned
	closed  bool
	running sync.WaitGroup
}

// flight is one run and its findings so far.
type flight[F, R any] struct {
	cancel context.CancelFunc
	done   chan struct{} // closed after result and err are set

	waiters int // guarded by Group.mu

	mu       sync.Mutex
	findings []F
	more     chan struct{} // closed at the next finding; nil while no ticket listens
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
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return closedTicket[F, R](), false
	}
	f, joined := g.flights[key]
	if !joined {
		f = g.start(key, run)
	}
	f.waiters++
	return &Ticket[F, R]{flight: f, leave: func() { g.left(key, f) }}, joined
}

// start puts a new flight into the table and runs it. g.mu is held.
func (g *Group[K, F, R]) start(key K, run func(context.Context, func(F)) (R, error)) *flight[F, R] {
	ctx, cancel := context.WithCancel(context.Background())
	f := &flight[F, R]{cancel: cancel, done: make(chan struct{})}
	if g.flights == nil {
		g.flights = make(map[K]*flight[F, R])
		g.held = make(map[*flight[F, R]]struct{})
	}
	g.flights[key], g.held[f] = f, struct{}{}
	g.running.Go(func() {
		f.run(ctx, run, func() { g.remove(key, f) })
	})
	return f
}

// left counts one ticket down and cancels the flight at the last.
func (g *Group[K, F, R]) left(key K, f *flight[F, R]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f.waiters--
	if f.waiters > 0 {
		return
	}
	f.cancel()
	delete(g.held, f)
	if g.flights[key] == f {
		delete(g.flights, key)
	}
}

// remove takes a finished flight out of the table, unless another has taken
// its place.
func (g *Group[K, F, R]) remove(key K, f *flight[F, R]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.flights[key] == f {
		delete(g.flights, key)
	}
}

// Close cancels every flight, also one that has returned and is held by a
// ticket, and waits until each run has returned. Later Joins get a ticket
// whose Wait returns [ErrClosed]. Close may be called more than once, but not
// from inside a run.
func (g *Group[K, F, R]) Close() {
	g.mu.Lock()
	g.closed = true
	for f := range g.held {
		f.cancel()
	}
	g.mu.Unlock()
	g.running.Wait()
}

// run calls the work and publishes its result, even after a panic. The flight
// leaves the table before, so that a waiter that cannot use the result does not
// join it again.
func (f *flight[F, R]) run(ctx context.Context, work func(context.Context, func(F)) (R, error), remove func()) {
	var result R
	err := error(&PanicError{Value: "runtime.Goexit"})
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		remove()
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
	close(f.done)
}

// wake tells the listeners to look again. f.mu is held.
func (f *flight[F, R]) wake() {
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}
