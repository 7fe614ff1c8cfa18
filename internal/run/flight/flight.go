// Package flight shares one running piece of work among all callers that request it while it
// runs.
//
// A [Group] is a single flight with reference counts. The work runs on a separate goroutine
// with its own context. Each waiter obeys its own context, and a waiter that leaves does not
// affect the others. If the last one leaves, the work is cancelled. A caller may also run the
// work itself ([Group.Inline]). Each ticket receives all findings that the work emits, in
// order, whenever it joined. A panic in the work becomes an error for all waiters and does not
// end the process.
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

// PanicError is the error that each waiter gets if run panicked.
type PanicError struct {
	// Value is the argument of panic.
	Value any
	// Stack is the stack of the panicking goroutine, as debug.Stack formats it.
	Stack []byte
}

// Error returns a text with the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Group contains the flights of one kind by key. F is the type of the findings of a flight, and
// R the type of its result. The zero value is ready. A Group must not be copied.
type Group[K comparable, F, R any] struct {
	mu      sync.Mutex
	flights map[K]*flight[F, R]
	held    map[*flight[F, R]]K // flights with tickets; run may have returned
	closed  bool
	running sync.WaitGroup
}

// flight is one run and its findings so far.
type flight[F, R any] struct {
	cancel context.CancelFunc // nil if the first caller runs it

	waiters int // guarded by Group.mu

	mu       sync.Mutex
	findings []F
	more     chan struct{} // closed at the next finding and at the end; nil if no ticket listens
	end      chan struct{} // closed at the end; nil if no ticket waits
	over     bool
	result   R
	err      error
}

// Join joins the flight of key, or starts one by calling run on a new goroutine. joined reports
// whether there was a flight.
//
// The context of run is independent of the callers. It is cancelled when the last ticket leaves
// or the group is closed. It is not cancelled when run returns, so a result can use it as long
// as there is a ticket. The flight leaves the table when run returns or the last ticket leaves.
// The next Join then starts another flight. emit may be called from several goroutines and does
// nothing after run has returned.
//
// Each ticket must be returned with Leave.
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

// Inline is Join for a caller that runs the work itself if there is no flight to join. It calls
// run with ctx, and returns when run has returned. This needs no goroutine and no context. The
// flight ends if the caller ends it: callers that have joined it then get the error of run,
// although its cause is not theirs, and have to continue by themselves. Close waits for the
// flight and does not cancel it.
func (g *Group[K, F, R]) Inline(ctx context.Context, key K, run func(ctx context.Context, emit func(F)) (R, error)) (t *Ticket[F, R], joined bool) {
	t, joined, ok := g.board(key)
	g.mu.Unlock()
	if ok && !joined {
		g.run(ctx, key, t.flight, run)
	}
	return t, joined
}

// board returns a ticket for the flight of key, which it creates if it does not exist. The
// caller must then run it. ok is false if the group is closed. g.mu is held afterwards.
func (g *Group[K, F, R]) board(key K) (t *Ticket[F, R], joined, ok bool) {
	g.mu.Lock()
	if g.closed {
		return closedTicket[F, R](), false, false
	}
	f, joined := g.flights[key]
	if !joined {
		began := &struct {
			flight[F, R]
			first Ticket[F, R]
		}{} // one allocation, because most flights have one ticket
		f, t = &began.flight, &began.first
		if g.flights == nil {
			g.flights = make(map[K]*flight[F, R])
			g.held = make(map[*flight[F, R]]K)
		}
		g.flights[key], g.held[f] = f, key
		g.running.Add(1)
	} else {
		t = new(Ticket[F, R])
	}
	f.waiters++
	t.flight, t.group = f, g
	return t, joined, true
}

// left subtracts one ticket. It cancels the flight if this was the last.
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

// remove removes a flight from the table unless another has replaced it. g.mu is held.
func (g *Group[K, F, R]) remove(key K, f *flight[F, R]) {
	if g.flights[key] == f {
		delete(g.flights, key)
	}
}

// Close cancels each flight with its own goroutine, including flights that have returned and
// still have tickets, and waits until each run has returned. A later Join returns a ticket
// whose Wait returns [ErrClosed]. Close may be called repeatedly, but not from inside a run.
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

// run calls the work and publishes its result, even after a panic. It first removes the flight
// from the table, so that a waiter that cannot use the result does not join it again.
func (g *Group[K, F, R]) run(ctx context.Context, key K, f *flight[F, R], work func(context.Context, func(F)) (R, error)) {
	defer g.running.Done()
	var result R
	var err error
	returned := false
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		} else if !returned {
			err = &PanicError{Value: "runtime.Goexit"}
		}
		g.mu.Lock()
		g.remove(key, f)
		g.mu.Unlock()
		f.finish(result, err)
	}()
	result, err = work(ctx, f.emit)
	returned = true
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
	if f.end != nil {
		close(f.end)
	}
}

// wake makes the listeners look again. f.mu is held.
func (f *flight[F, R]) wake() {
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}
