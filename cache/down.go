package cache

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// Limits of the memory of origins that are down.
const (
	// downFor is the time for which an origin is not asked after an attempt to connect has failed, if a
	// stored answer stands in. Then one caller tries it.
	downFor = 10 * time.Second
	// maxDown is the largest number of origins that are remembered.
	maxDown = 1024
)

// down remembers the origins to which no connection could be made, so that not each caller with a
// stored answer waits for the same failure.
type down struct {
	any atomic.Bool // false if no origin is remembered, so that callers need no lock

	mu sync.Mutex
	of map[string]time.Duration // monotonic, when the next caller tries, by origin as dialled
}

// standsIn reports whether the held entry answers at once because the origin is down.
func (t *Engine) standsIn(c *call, held *Entry) bool {
	return t.down.any.Load() && held != nil && c.ask.Rules == nil && t.mayStandIn(c, held) && t.down.rests(urlkey.Origin(c.ask.URL), t.clock.Mono())
}

// noteConnection remembers whether an origin could be reached. The end of a caller says nothing about
// the origin.
func (t *Engine) noteConnection(ctx context.Context, c *call, err error) {
	switch {
	case t.opts.Strict || c.ask.Rules != nil || ctx.Err() != nil:
	case err == nil:
		if t.down.any.Load() {
			t.down.end(urlkey.Origin(c.ask.URL))
		}
	case isUnreachable(err) && (t.opts.Failed == nil || errors.Is(err, t.opts.Failed)):
		t.down.begin(urlkey.Origin(c.ask.URL), t.clock.Mono())
	}
}

// isUnreachable reports whether an error means that no connection could be made. A lack of sockets is
// one of this process.
func isUnreachable(err error) bool {
	dial, is := errors.AsType[*net.OpError](err)
	if !is || dial.Op != "dial" || errors.Is(err, context.Canceled) {
		return false
	}
	call, is := errors.AsType[*os.SyscallError](err)
	return !is || call.Syscall != "socket"
}

// rests reports whether an origin is down and not to be asked now. If it is to be tried again, the
// caller tries it, and it still rests for the others.
func (d *down) rests(origin string, now time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	next, is := d.of[origin]
	if is && now >= next {
		d.of[origin] = now + downFor
		return false
	}
	return is
}

// begin remembers an origin. If there is no room, it forgets those that have not been tried for a
// while.
func (d *down) begin(origin string, now time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[string]time.Duration{}
	}
	if _, again := d.of[origin]; !again && len(d.of) >= maxDown {
		for other, next := range d.of {
			if now >= next {
				delete(d.of, other)
			}
		}
		if len(d.of) >= maxDown {
			return
		}
	}
	d.of[origin] = now + downFor
	d.any.Store(true)
}

func (d *down) end(origin string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.of, origin)
	d.any.Store(len(d.of) > 0)
}
