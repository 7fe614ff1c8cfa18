// Package patience has time-outs that stand still while the call that they bound
// waits for this process itself, for memory or a free parser: a site must not
// count as silent because we were busy with others.
package patience

import (
	"context"
	"sync"
	"time"
)

// Context is the time of one call: a context whose deadline moves on by its
// pauses. It is safe for concurrent use.
type Context struct {
	parent context.Context
	inner  context.Context // ends with the time-out, and with parent
	whole  Timer

	mu     sync.Mutex
	pauses int       // how many parts of the call wait
	since  time.Time // since when
	timers map[*Timer]struct{}
}

// WithTimeout is [context.WithTimeout], without the pauses.
func WithTimeout(parent context.Context, d time.Duration) (*Context, context.CancelFunc) {
	c := &Context{parent: parent, timers: map[*Timer]struct{}{}}
	inner, cancel := context.WithCancelCause(parent)
	c.inner = inner
	c.whole.Start(c, d, func() { cancel(context.DeadlineExceeded) })
	return c, func() {
		c.whole.Stop()
		cancel(nil)
	}
}

// Deadline is the earlier of the time-out, as it is now, and that of the parent.
func (c *Context) Deadline() (time.Time, bool) {
	c.mu.Lock()
	ends := c.whole.ends
	if c.pauses > 0 {
		ends = ends.Add(time.Since(c.since))
	}
	c.mu.Unlock()
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
	if err != nil && context.Cause(c.inner) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// Value is that of the parent. What package context keeps of its own contexts
// must not be found here: children would end with the error of inner.
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
		c.since = time.Now()
		for t := range c.timers {
			if !t.timer.Stop() {
				delete(c.timers, t) // it is over
			}
		}
	}
	return c.resume
}

func (c *Context) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses--; c.pauses > 0 {
		return
	}
	now := time.Now()
	for t := range c.timers {
		t.ends = t.ends.Add(now.Sub(c.since))
		t.timer.Reset(t.ends.Sub(now))
	}
}

// Timer is a time-out of a part of a call. The zero value has not begun.
type Timer struct {
	call  *Context
	timer *time.Timer
	ends  time.Time // had there been no pause since it was set; guarded by call.mu
}

// Start calls f on a goroutine of its own when d has passed, without the pauses
// of the call. A nil Context has no pauses.
func (t *Timer) Start(c *Context, d time.Duration, f func()) {
	if c == nil {
		t.timer = time.AfterFunc(d, f)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.call, t.ends = c, time.Now().Add(d)
	t.timer = time.AfterFunc(d, f)
	if c.pauses > 0 {
		t.timer.Stop()
		t.ends = c.since.Add(d) // as if it had begun with the pause
	}
	c.timers[t] = struct{}{}
}

// Stop ends the time-out. One that has not begun has none.
func (t *Timer) Stop() {
	if c := t.call; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
	if t.timer != nil {
		t.timer.Stop()
	}
}
