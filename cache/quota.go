package cache

import (
	"context"
	"slices"
	"sync"
	"time"
)

// quota counts the bytes that are in use, and keeps them within a limit. A larger number of bytes
// fits only if no others are in use.
type quota struct {
	mu    sync.Mutex
	used  int64
	queue []*waiter // first come, first served
	stuck bool      // a waiter ran out of time, and no bytes were given back since
}

// waiter waits for n bytes within a limit.
type waiter struct {
	n, limit, own int64
	served        chan struct{} // closed when the waiter has the bytes
}

// try takes n bytes if they are within the limit, even before waiters.
func (r *quota) try(n, limit int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.fits(n, limit, 0) {
		return false
	}
	r.used += n
	return true
}

// add takes n bytes, also beyond any limit.
func (r *quota) add(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used += n
}

// fits reports whether n more bytes fit for one that has own bytes.
func (r *quota) fits(n, limit, own int64) bool {
	return n <= 0 || r.used <= own || r.used+n <= limit
}

// take takes n bytes, and reports whether it did. It waits at most patience until they are within
// the limit. It does not wait if another waiter has run out of time and no bytes were given back
// since.
func (r *quota) take(ctx context.Context, n, limit int64, patience time.Duration) bool {
	return r.takeMore(ctx, 0, n, limit, patience)
}

// takeMore is take for one that has own bytes: these are no others.
func (r *quota) takeMore(ctx context.Context, own, n, limit int64, patience time.Duration) bool {
	r.mu.Lock()
	if len(r.queue) == 0 && r.fits(n, limit, own) {
		r.used += n
		r.mu.Unlock()
		return true
	}
	w := &waiter{n, limit, own, make(chan struct{})}
	r.queue = append(r.queue, w)
	wait := !r.stuck
	r.mu.Unlock()
	if wait {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-w.served:
			return true
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	return !r.leave(w, wait && ctx.Err() == nil)
}

// leave takes a waiter out of the queue. It reports false if the waiter has been
// served.
func (r *quota) leave(w *waiter, late bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.queue, w)
	if i < 0 {
		return false
	}
	r.queue = slices.Delete(r.queue, i, i+1)
	r.stuck = r.stuck || late
	r.serve() // the waiters after it may fit
	return true
}

// give gives n bytes back.
func (r *quota) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
	r.stuck = false
	r.serve()
}

// serve serves waiters in order as long as there is room.
func (r *quota) serve() {
	for len(r.queue) > 0 {
		w := r.queue[0]
		if !r.fits(w.n, w.limit, w.own) {
			return
		}
		r.used += w.n
		r.queue[0], r.queue = nil, r.queue[1:]
		close(w.served)
	}
}
