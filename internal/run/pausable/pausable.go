// Package pausable contains time-outs that pause while a call waits for this process itself. A
// site must not be treated as silent because the process was busy with other sites. A call
// pauses its time-outs when it waits for memory or a free parser ([Context.Pause]). While it
// waits for a processor, they run more slowly.
package pausable

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Context is the time of one call: a context whose deadline is postponed by its pauses. It is
// safe for concurrent use.
type Context struct {
	parent context.Context
	inner  context.Context // ends with the time-out and with parent
	cancel context.CancelCauseFunc
	cause  error // the cause of the time-out
	whole  Timer

	mu     sync.Mutex
	pauses int // the number of waiting parts of the call
	timers []*Timer
	few    [4]*Timer // the timers that most calls need
}

// WithTimeout is [context.WithTimeout] with pauses.
func WithTimeout(parent context.Context, d time.Duration) (*Context, context.CancelFunc) {
	return WithTimeoutCause(parent, d, context.DeadlineExceeded)
}

// WithTimeoutCause is [context.WithTimeoutCause] with pauses. [Cause] returns the cause.
func WithTimeoutCause(parent context.Context, d time.Duration, cause error) (*Context, context.CancelFunc) {
	c := start(parent, d, cause)
	return c, c.Stop
}

// Start is [WithTimeout] for a caller that ends the Context with [Context.Stop].
func Start(parent context.Context, d time.Duration) *Context {
	return start(parent, d, context.DeadlineExceeded)
}

func start(parent context.Context, d time.Duration, cause error) *Context {
	c := &Context{parent: parent, cause: cause}
	c.timers = c.few[:0]
	c.inner, c.cancel = context.WithCancelCause(parent)
	c.whole.Start(c, d, c)
	return c
}

// TimeOut ends the call.
func (c *Context) TimeOut() { c.cancel(c.cause) }

// End ends the call with the given cause.
func (c *Context) End(cause error) { c.cancel(cause) }

// Stop ends the Context, like the CancelFunc of [WithTimeout].
func (c *Context) Stop() {
	c.whole.Stop()
	c.cancel(nil)
}

// Cause is [context.Cause], which also works for a Context.
func Cause(ctx context.Context) error {
	if c, ok := ctx.(*Context); ok {
		return context.Cause(c.inner)
	}
	return context.Cause(ctx)
}

// Deadline returns the current end of the time-out, or the deadline of the parent if that is
// earlier.
func (c *Context) Deadline() (time.Time, bool) {
	ends := c.whole.ends()
	if deadline, ok := c.parent.Deadline(); ok && deadline.Before(ends) {
		return deadline, true
	}
	return ends, true
}

// Done returns a channel that is closed when the time expires or the parent ends.
func (c *Context) Done() <-chan struct{} { return c.inner.Done() }

// Err returns context.DeadlineExceeded if the time expired.
func (c *Context) Err() error {
	err := c.inner.Err()
	if err != nil && context.Cause(c.inner) == c.cause {
		return context.DeadlineExceeded
	}
	return err
}

// Value returns the value of the parent. It must not return the values that package context
// keeps in its own contexts: children would end with the error of inner.
func (c *Context) Value(key any) any { return c.parent.Value(key) }

// AfterFunc saves package context a goroutine for each child.
func (c *Context) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.inner, f) }

// Pause pauses all time-outs of the call until resume is called, exactly once. Several pauses
// may overlap. A nil Context has no pauses.
func (c *Context) Pause() (resume func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses == 1 {
		for _, t := range c.timers {
			t.hold()
		}
	}
	return c.resume
}

// Outside runs f with the parent context, while all time-outs of the call are paused. A person
// who is asked has all the time that the caller gives.
func (c *Context) Outside(f func(context.Context) error) error {
	defer c.Pause()()
	return f(c.parent)
}

func (c *Context) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses--; c.pauses > 0 {
		return
	}
	for _, t := range c.timers {
		t.release()
	}
}

// steps is the number of parts of a time-out. A part that takes longer because all processors
// are busy is counted once. Work that needs fewer turns on a processor than there are steps is
// therefore never too late.
const steps = 32

// Timed is work that a [Timer] ends. TimeOut runs on a separate goroutine.
type Timed interface{ TimeOut() }

// Timer is a time-out for a part of a call. The zero value has not started.
type Timer struct {
	call *Context
	what Timed

	mu    sync.Mutex
	left  time.Duration
	step  time.Duration
	next  time.Duration // the part of left for which the timer waits
	begun time.Time     // the start of next
	timer *time.Timer
	held  bool // paused
	over  bool
}

// Start ends the timed work after d, without the pauses of the call. A nil Context has no
// pauses.
func (t *Timer) Start(c *Context, d time.Duration, what Timed) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	t.mu.Lock() // it may be started again while another goroutine stops it
	defer t.mu.Unlock()
	if t.call != c {
		t.call = c
	}
	t.what, t.left, t.step, t.over = what, d, d/steps+1, false
	if c != nil {
		if !slices.Contains(c.timers, t) {
			c.timers = append(c.timers, t)
		}
		t.held = c.pauses > 0
	}
	if !t.held {
		t.run()
	}
}

// run starts the timer for the next step. t.mu is held.
func (t *Timer) run() {
	t.next, t.begun = min(t.step, max(0, t.left)), time.Now()
	if t.timer == nil {
		t.timer = time.AfterFunc(t.next, t.tick)
		return
	}
	t.timer.Reset(t.next)
}

// tick ends a step. The goroutine of a timer runs before all others that wait for a processor,
// so tick lets them run first.
func (t *Timer) tick() {
	runtime.Gosched()
	t.mu.Lock()
	if t.held || t.over {
		t.mu.Unlock()
		return
	}
	if t.left -= t.next; t.left > 0 {
		t.run()
		t.mu.Unlock()
		return
	}
	t.over = true
	t.mu.Unlock()
	t.what.TimeOut()
}

// hold pauses the time-out, and release continues it.
func (t *Timer) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.held = true
	t.left -= min(t.next, time.Since(t.begun))
	t.timer.Stop()
}

func (t *Timer) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held = false; !t.over {
		t.run()
	}
}

// ends returns when the time-out ends if there are no further pauses.
func (t *Timer) ends() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		return time.Now().Add(t.left)
	}
	return t.begun.Add(t.left)
}

// Stop ends the time-out. It does nothing if the time-out has not started.
func (t *Timer) Stop() {
	if c := t.call; c != nil {
		c.mu.Lock()
		if i := slices.Index(c.timers, t); i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		c.mu.Unlock()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
