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
	breaker         breaker         // of its own: writes have more time than readers
	ctx             context.Context // of the writes; ends when Close gives up
	stop            context.CancelFunc
	waiting         atomic.Int64
	dropped, failed atomic.Uint64
	running         sync.WaitGroup
	lanes           [lanes]lane
}

// lane is one queue. Its goroutine lives while there is something in it.
type lane struct {
	mu      sync.Mutex
	closed  bool
	order   []job
	pending map[string]write
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
}

// maxWaiting is the number of writes that may wait when some are deletions.
// Deletions take little room, and an entry may be one that must not stay.
const maxWaiting = 16 * maxPending

// put queues a write. A full queue drops it: the store's old entry goes on
// counting by its own lifetime.
func (w *writer) put(key string, v *Variants, retain time.Duration) error {
	l := w.lane(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if _, again := l.pending[key]; !again {
		room := int64(maxPending)
		if v == nil {
			room = maxWaiting
		}
		if w.waiting.Load() >= room {
			w.dropped.Add(1)
			return nil
		}
		l.order = append(l.order, job{key: key})
		w.waiting.Add(1)
	}
	if l.pending == nil {
		l.pending = map[string]write{}
	}
	l.pending[key] = write{v, retain}
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
	p, waiting := l.pending[key]
	return p.v, waiting
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
		l.mu.Unlock()
		if next.done != nil {
			close(next.done)
			continue
		}

		w.write(key, p)

		l.mu.Lock()
		if l.pending[key] == p {
			delete(l.pending, key)
			w.waiting.Add(-1)
		} else {
			l.order = slices.Insert(l.order, 0, next) // there is a later one
		}
		l.mu.Unlock()
	}
}

// write does one write. A deletion is tried even while the store is left alone,
// because the entry may be one that must not stay.
func (w *writer) write(key string, p write) {
	if p.v != nil && !w.breaker.allow() {
		w.dropped.Add(1)
		return
	}
	ctx, cancel := context.WithTimeout(w.ctx, writeBudget)
	defer cancel()
	op, err := "save", error(nil)
	if p.v == nil {
		op, err = "delete", w.store.Delete(ctx, key)
	} else {
		err = w.store.Save(ctx, key, p.v, p.retain)
	}
	w.breaker.done(err)
	if err != nil {
		w.failed.Add(1)
		logStore(ctx, w.logger, op, err)
	}
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
