package cache

import (
	"context"
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/budget"
	"github.com/wayfindhq/wayfind/internal/run/warned"
)

// lanes is the number of writes to a far store that run at a time. The writes of one key share a
// lane, so that they keep their order.
const lanes = 4

// writer writes to a store in the background. If several writes of one key wait, only the last is
// made.
type writer struct {
	store           Store
	logger          *slog.Logger
	warned          *warned.Log
	patience        time.Duration                 // the time that a caller waits for room
	lost            func(key string, v *Variants) // called if the store may have kept an entry that v, or a deletion, was to replace
	breaker         breaker                       // a separate breaker, because writes have more time than reads
	ctx             context.Context               // the context of the writes; ends when Close gives up
	stop            context.CancelFunc
	quota           quota // the quota for waiting writes
	dropped, failed atomic.Uint64
	unwritten       losses
	told            sync.Once // to log only once that writes were given up
	running         sync.WaitGroup
	lanes           [lanes]lane
}

// lane is one queue. Its goroutine runs while there is something in it.
type lane struct {
	mu      sync.Mutex
	closed  bool
	order   []job
	pending map[string]*write
	busy    bool
}

// job is one task in a lane: writing the pending variants of a key, or reporting that all earlier
// tasks are done.
type job struct {
	key  string
	done chan<- struct{} // nil for a write
}

// write contains the variants to save. Nil variants mean a deletion.
type write struct {
	v      *Variants
	retain time.Duration
	size   int64
	begun  bool // guarded by the lane
}

const (
	// maxQueued is the largest number of bytes of waiting writes.
	maxQueued = 8 << 20
	// maxDeletions is the limit for deletions. It is higher because deletions take little room, and
	// because an entry may have to be removed.
	maxDeletions = 2 * maxQueued
	// writeSize is the approximate number of bytes that a write takes in addition to its key and
	// its variants.
	writeSize = 128
)

// put queues the save of variants. If the queue is full, the caller waits for a while. If there is
// still no room, the save is given up, and the entry that it would have replaced is deleted.
func (w *writer) put(ctx context.Context, key string, v *Variants, retain time.Duration) error {
	p := &write{v: v, retain: retain, size: writeSize + int64(len(key)) + v.Size()}
	if w.exchange(key, p) {
		return nil
	}
	if w.quota.take(ctx, p.size, maxQueued, w.patience) {
		return w.queue(key, p)
	}
	w.giveUp(errFull)
	end := &write{size: writeSize + int64(len(key))}
	if w.quota.try(end.size, maxDeletions) {
		return w.queue(key, end)
	}
	w.lost(key, v)
	return nil
}

// delete queues a deletion.
func (w *writer) delete(key string) error {
	p := &write{size: writeSize + int64(len(key))}
	if w.quota.try(p.size, maxDeletions) {
		return w.queue(key, p)
	}
	w.giveUp(errFull)
	w.lost(key, nil)
	return nil
}

// exchange replaces a waiting write of the same key by a write, if there is room for the additional
// bytes.
func (w *writer) exchange(key string, p *write) bool {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.pending[key]
	if before == nil || before.begun || l.closed || !w.quota.try(p.size-before.size, maxQueued) {
		return false
	}
	l.pending[key] = p
	return true
}

// queue puts a write whose size is taken from the quota into its lane. It replaces a waiting write of the
// same key.
func (w *writer) queue(key string, p *write) error {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		w.quota.give(p.size)
		return ErrClosed
	}
	before := l.pending[key]
	switch {
	case before == nil:
		l.order = append(l.order, job{key: key})
	case !before.begun:
		w.quota.give(before.size)
	}
	if l.pending == nil {
		l.pending = map[string]*write{}
	}
	l.pending[key] = p
	if !l.busy {
		l.busy = true
		w.running.Go(func() { w.drain(l) })
	}
	return nil
}

// peek returns the variants that are on their way to the store.
func (w *writer) peek(key string) (v *Variants, waiting bool) {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pending[key]; p != nil {
		return p.v, true
	}
	return nil, false
}

// drain executes the jobs of a lane. Variants that are being written stay visible until the store
// has them.
func (w *writer) drain(l *lane) {
	for {
		l.mu.Lock()
		if len(l.order) == 0 {
			l.busy = false
			l.mu.Unlock()
			return
		}
		next := l.order[0]
		l.order = l.order[1:]
		key := next.key
		p := l.pending[key]
		if p != nil {
			p.begun = true
		}
		l.mu.Unlock()
		if next.done != nil {
			close(next.done)
			continue
		}

		kept := w.write(l, key, p)
		w.quota.give(p.size)

		l.mu.Lock()
		last := l.pending[key] == p
		if last {
			delete(l.pending, key)
		} else {
			l.order = slices.Insert(l.order, 0, next) // a later write waits
		}
		l.mu.Unlock()
		if last && kept {
			w.lost(key, p.v)
		}
	}
}

// write does one write, and reports whether the store may have kept the entry that was to be
// replaced. If a save fails, it deletes the entry, unless a later write waits. A deletion is tried
// even while the breaker is open, because the entry may have to be removed.
func (w *writer) write(l *lane, key string, p *write) (kept bool) {
	if p.v != nil && !w.breaker.allow() {
		w.giveUp(errOpen)
		return true
	}
	if p.v == nil {
		err := w.erase(key, writeBudget)
		w.report(w.ctx, "delete", err)
		return err != nil
	}
	began := time.Now()
	// Some of the time is left for the deletion after a failure.
	err := w.call(writeBudget*4/5, func(ctx context.Context) error { return w.store.Save(ctx, key, p.v, p.retain) })
	w.report(w.ctx, "save", err)
	return err != nil && l.isLast(key, p) && w.erase(key, max(writeBudget-time.Since(began), writeBudget/5)) != nil
}

// erase deletes the entries of a key.
func (w *writer) erase(key string, limit time.Duration) error {
	return w.call(limit, func(ctx context.Context) error { return w.store.Delete(ctx, key) })
}

// call calls the store within a limit for which no caller waits.
func (w *writer) call(limit time.Duration, f func(ctx context.Context) error) error {
	_, err := budget.Call(w.ctx, w.store, budget.Limit{Silence: limit, Longest: limit}, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, f(ctx)
	})
	return err
}

// report records the result of a write in the breaker, and counts and logs a failure.
func (w *writer) report(ctx context.Context, op string, err error) {
	w.breaker.done(err)
	if err != nil {
		w.failed.Add(1)
		w.unwritten.note(err)
		logStore(ctx, w.warned, op, err)
	}
}

// isLast reports whether no later write of the key waits.
func (l *lane) isLast(key string, p *write) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending[key] == p
}

// giveUp counts a write that is not tried for a reason, and logs a warning the first time.
func (w *writer) giveUp(reason error) {
	w.dropped.Add(1)
	w.unwritten.note(reason)
	w.told.Do(func() {
		if w.logger != nil {
			w.logger.LogAttrs(w.ctx, slog.LevelWarn, "cache store is too slow: some responses are not written to it, see Stats for their number")
		}
	})
}

// flush waits until the jobs that are queued now are done.
func (w *writer) flush(ctx context.Context) error {
	var ends []<-chan struct{}
	for i := range w.lanes {
		l := &w.lanes[i]
		l.mu.Lock()
		if l.busy {
			done := make(chan struct{})
			l.order = append(l.order, job{done: done})
			ends = append(ends, done)
		}
		l.mu.Unlock()
	}
	for _, done := range ends {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// close accepts no more writes and waits for the queued ones, at most for closeBudget.
func (w *writer) close() {
	for i := range w.lanes {
		l := &w.lanes[i]
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
	}
	timer := time.AfterFunc(closeBudget, w.stop)
	w.running.Wait()
	timer.Stop()
	w.stop()
}

func (w *writer) lane(key string) *lane {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return &w.lanes[h.Sum32()%lanes]
}
