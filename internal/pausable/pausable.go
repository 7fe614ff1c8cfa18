// Package pausable has time-outs that stand still while the call that they bound
// waits for this process itself: a site must not count as silent because we were
// busy with others. A call says when it waits for memory or a free parser
// ([Context.Pause]). Where it waits for a processor, time-outs run more slowly.
package pausable

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Context is the time of one call: a context whose deadline moves on by its
// pauses. It is safe for concurrent use.
type Context struct {
	parent context.Context
	inner  context.Context // ends with the time-out, and with parent
	cancel context.CancelCauseFunc
	cause  error // of the time-out
	whole  Timer

	mu     sync.Mutex
	pauses int // how many parts of the call wait
	timers []*Timer
	few    [4]*Timer // the room of timers that most calls need
}

// WithTimeout is [context.WithTimeout], without the pauses.
func WithTimeout(parent context.Context, d time.Duration) (*Context, context.CancelFunc) {
	return WithTimeoutCause(parent, d, context.DeadlineExceeded)
}

// WithTimeoutCause is [context.WithTimeoutCause], without the pauses. [Cause] tells
// the cause.
func WithTimeoutCause(parent context.Context, d time.Duration, cause error) (*Context, context.CancelFunc) {
	c := start(parent, d, cause)
	return c, c.Stop
}

// Start is [WithTimeout] for a caller that ends the time by [Context.Stop].
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

// End ends the call with a cause of its own.
func (c *Context) End(cause error) { c.cancel(cause) }

// Stop ends the time, as the CancelFunc of [WithTimeout] does.
func (c *Context) Stop() {
	c.whole.Stop()
	c.cancel(nil)
}

// Cause is [context.Cause], for a Context too.
func Cause(ctx context.Context) error {
	if c, ok := ctx.(*Context); ok {
		return context.Cause(c.inner)
	}
	return context.Cause(ctx)
}

// Deadline is the earlier of the time-out, as it is now, and that of the parent.
func (c *Context) Deadline() (time.Time, bool) {
	ends := c.whole.ends()
	if deadline, ok := c.parent.Deadline(); ok && deadline.Before(ends) {
		return deadline, true
	}
	return ends, true
}

// Done is closed when the time is up, or the parent has ended.
func (c *Context) Done() <-chan struct{} { return c.inner.Done() }

// Err is context.DeadlineExceeded when the time was up.
func (c *Context) Err() error {
	err := c.inner.Err()
	if err != nil && context.Cause(c.inner) == c.cause {
		return context.DeadlineExceeded
	}
	return err
}

// Value is that of the parent. The values that package context keeps in its own
// contexts must not be found here: children would end with the error of inner.
func (c *Context) Value(key any) any { return c.parent.Value(key) }

// AfterFunc spares package context a goroutine for each child.
func (c *Context) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.inner, f) }

// Pause lets all time-outs of the call stand still until resume is called, which
// has to be done once. Several may pause at a time. A nil Context has none.
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

// Outside runs f under the context that c was made of, while all time-outs of the call stand
// still: a person who is asked has all the time that the caller gives.
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

// steps is the number of parts in which a time-out runs. A step that takes
// longer because all processors are busy counts as one: work that needs fewer
// turns at a processor than there are steps is not too late.
const steps = 32

// Timed is work that a [Timer] ends. TimeOut runs on a goroutine of its own.
type Timed interface{ TimeOut() }

// Timer is a time-out of a part of a call. The zero value has not begun.
type Timer struct {
	call *Context
	what Timed

	mu    sync.Mutex
	left  time.Duration
	step  time.Duration
	next  time.Duration // of left, that the timer waits for
	begun time.Time     // of next
	timer *time.Timer
	held  bool // by a pause
	over  bool
}

// Start ends the timed work when d has passed, without the pauses of the call. A
// nil Context has no pauses.
func (t *Timer) Start(c *Context, d time.Duration, what Timed) {
	t.call, t.what, t.left, t.step, t.over = c, what, d, d/steps+1, false
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !slices.Contains(c.timers, t) {
			c.timers = append(c.timers, t)
		}
		t.held = c.pauses > 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.held {
		t.run()
	}
}

// run lets the timer wait for a step. t.mu is held.
func (t *Timer) run() {
	t.next, t.begun = min(t.step, max(0, t.left)), time.Now()
	if t.timer == nil {
		t.timer = time.AfterFunc(t.next, t.tick)
		return
	}
	t.timer.Reset(t.next)
}

// tick ends a step. The goroutine of a timer runs before all others that wait for
// a processor: those have to have their turn first.
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

// hold lets the time-out stand still, and release lets it go on.
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

// ends is when the time-out ends if it runs on from now.
func (t *Timer) ends() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		return time.Now().Add(t.left)
	}
	return t.begun.Add(t.left)
}

// Stop ends the time-out. One that has not begun has none.
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
