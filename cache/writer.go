package cache

import (
	"context"
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// lanes is the number of writes to a far store that run at a time; those of one
// key share a lane, and so keep their order.
const lanes = 4

// writer writes to a store behind the caller's back. Of several writes of one
// key that wait, the last counts.
type writer struct {
	store           Store
	logger          *slog.Logger
	patience        time.Duration                 // how long a caller waits for room
	lost            func(key string, v *Variants) // told that an entry may have stayed that v, or nothing, was to replace
	breaker         breaker                       // of its own: writes have more time than readers
	ctx             context.Context               // of the writes; ends when Close gives up
	stop            context.CancelFunc
	room            room // of the writes that wait
	dropped, failed atomic.Uint64
	told            sync.Once // the log, that writes were given up
	running         sync.WaitGroup
	lanes           [lanes]lane
}

// lane is one queue. Its goroutine lives while there is something in it.
type lane struct {
	mu      sync.Mutex
	closed  bool
	order   []job
	pending map[string]*write
	busy    bool
}

// job is one task in a lane: to write the pending variants of a key, or to
// report that all earlier tasks are done.
type job struct {
	key  string
	done chan<- struct{} // nil: a write
}

// write holds the variants to save; nil is a deletion.
type write struct {
	v      *Variants
	retain time.Duration
	size   int64
	begun  bool // guarded by the lane
}

const (
	// maxQueued bounds the bytes of the writes that wait.
	maxQueued = 8 << 20
	// maxDeletions bounds them when some are deletions, which take little room: an
	// entry may be one that must not stay.
	maxDeletions = 2 * maxQueued
	// writeSize is what a write takes beside its key and its variants, roughly.
	writeSize = 128
)

// put queues the save of variants. If the queue is full, the caller waits for a while.
// Then the save is given up, and the entry that it would have replaced is deleted.
func (w *writer) put(ctx context.Context, key string, v *Variants, retain time.Duration) error {
	p := &write{v: v, retain: retain, size: writeSize + int64(len(key)) + v.Size()}
	if w.exchange(key, p) {
		return nil
	}
	if w.room.take(ctx, p.size, maxQueued, w.patience) {
		return w.queue(key, p)
	}
	w.giveUp()
	end := &write{size: writeSize + int64(len(key))}
	if w.room.try(end.size, maxDeletions) {
		return w.queue(key, end)
	}
	w.lost(key, v)
	return nil
}

// delete queues a deletion.
func (w *writer) delete(key string) error {
	p := &write{size: writeSize + int64(len(key))}
	if w.room.try(p.size, maxDeletions) {
		return w.queue(key, p)
	}
	w.giveUp()
	w.lost(key, nil)
	return nil
}

// exchange puts a write in place of one of the same key that waits, if there is room
// for the bytes that it has more.
func (w *writer) exchange(key string, p *write) bool {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.pending[key]
	if before == nil || before.begun || l.closed || !w.room.try(p.size-before.size, maxQueued) {
		return false
	}
	l.pending[key] = p
	return true
}

// queue puts a write that has room into its lane, in place of one of the same key
// that waits.
func (w *writer) queue(key string, p *write) error {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		w.room.give(p.size)
		return ErrClosed
	}
	before := l.pending[key]
	switch {
	case before == nil:
		l.order = append(l.order, job{key: key})
	case !before.begun:
		w.room.give(before.size)
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

// peek returns the variants on their way to the store.
func (w *writer) peek(key string) (v *Variants, waiting bool) {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pending[key]; p != nil {
		return p.v, true
	}
	return nil, false
}

// drain works a lane off. Variants being written stay visible until the store
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
		w.room.give(p.size)

		l.mu.Lock()
		last := l.pending[key] == p
		if last {
			delete(l.pending, key)
		} else {
			l.order = slices.Insert(l.order, 0, next) // there is a later one
		}
		l.mu.Unlock()
		if last && kept {
			w.lost(key, p.v)
		}
	}
}

// write does one write, and reports whether the store may have kept the entry that
// was to be replaced. A save that fails deletes it, unless a later write will. A
// deletion is tried even while the store is left alone, because the entry may be one
// that must not stay.
func (w *writer) write(l *lane, key string, p *write) (kept bool) {
	if p.v != nil && !w.breaker.allow() {
		w.giveUp()
		return true
	}
	ctx, cancel := context.WithTimeout(w.ctx, writeBudget)
	defer cancel()
	if p.v == nil {
		err := w.store.Delete(ctx, key)
		w.report(ctx, "delete", err)
		return err != nil
	}
	err := w.save(ctx, key, p)
	w.report(ctx, "save", err)
	return err != nil && l.isLast(key, p) && w.store.Delete(ctx, key) != nil
}

// save leaves some of its time for the deletion that a failure needs.
func (w *writer) save(ctx context.Context, key string, p *write) error {
	ctx, cancel := context.WithTimeout(ctx, writeBudget*4/5)
	defer cancel()
	return w.store.Save(ctx, key, p.v, p.retain)
}

// report judges a write that was tried, and counts one that failed.
func (w *writer) report(ctx context.Context, op string, err error) {
	w.breaker.done(err)
	if err != nil {
		w.failed.Add(1)
		logStore(ctx, w.logger, op, err)
	}
}

// isLast reports whether no later write of the key waits.
func (l *lane) isLast(key string, p *write) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending[key] == p
}

// giveUp counts a write that is not tried, and says once that there are such.
func (w *writer) giveUp() {
	w.dropped.Add(1)
	w.told.Do(func() {
		if w.logger != nil {
			w.logger.LogAttrs(w.ctx, slog.LevelWarn, "cache store is too slow: some responses are not written to it, see Stats for their number")
		}
	})
}

// flush waits until the present queue is done.
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

// close takes no more writes and waits for those that are queued.
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
