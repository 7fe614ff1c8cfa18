package client

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
)

// errUnmade is the reason why a Client cannot be used that New did not make.
var errUnmade = errors.New("this Client is nil or zero: client.New makes one")

// unmade reports whether New did not make a Client.
func (c *Client) unmade() bool { return c == nil || c.engine == nil }

// open returns nil if new work may begin, and the error of op otherwise.
func (c *Client) open(op string) error {
	switch {
	case c.unmade():
		return wayfind.NewError(op, "", wayfind.CodeSchema, errUnmade)
	case c.engine.Closed.Load() || c.work.ended.Load():
		return discover.ErrClosed(op)
	}
	return nil
}

// enter is open for work that Shutdown waits for. leave ends the work.
func (c *Client) enter(op string) (leave func(), err error) {
	if err := c.open(op); err != nil {
		return nil, err
	}
	if !c.work.enter() {
		return nil, discover.ErrClosed(op)
	}
	return c.work.leave, nil
}

// underway counts the work that Shutdown waits for. The zero value is ready.
type underway struct {
	ended atomic.Bool // Shutdown was called; without the lock, for answers from memory

	mu    sync.Mutex
	count int
	idle  chan struct{} // closed when the last work has ended; nil before Shutdown
}

// enter counts one more piece of work, unless Shutdown was called before.
func (u *underway) enter() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		return false
	}
	u.count++
	return true
}

func (u *underway) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count--; u.count == 0 && u.idle != nil {
		close(u.idle)
	}
}

// end lets no new work begin. The channel is closed when the last work has ended.
func (u *underway) end() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle == nil {
		u.ended.Store(true)
		if u.idle = make(chan struct{}); u.count == 0 {
			close(u.idle)
		}
	}
	return u.idle
}

// Shutdown ends a Client gently: new work returns wayfind.ErrClosed, work under way goes on until
// it ends or ctx does, and then Shutdown does what Close does. Work is a call of a method of the
// Client or of package client/call. A call that waits for a person has sent nothing and is not
// waited for, and neither are requests by Client.HTTP. If ctx ended first, the error is its
// error, and each call that was cut off has its own error, such as call.OutcomeUnknown.
func (c *Client) Shutdown(ctx context.Context) error {
	if c.unmade() {
		return nil
	}
	var cut error
	select {
	case <-c.work.end():
	default:
		select {
		case <-c.work.end():
		case <-ctx.Done():
			cut = context.Cause(ctx)
		}
	}
	return errors.Join(cut, c.Close())
}
