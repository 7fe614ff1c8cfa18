// Package lease lets the processes that share a store agree on which of them asks an
// origin.
package lease

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/clock"
)

// Processes that share a store agree on which of them asks an origin: the one
// that takes its lease. The others look into the store for the holder's
// answers. They go ahead by themselves once the lease is given back, for
// answers that cannot be shared, and one of them takes it once its time is
// over: then the holder has died, or hangs. The holder, and any party with
// write access to the store, sets that time: so no process waits longer than
// two thirds of its own time. A store that fails holds up no call.
const (
	// maxLease is how long a lease lasts when it is not given back. One that is
	// no longer than half of Options.Timeout leaves those who waited in vain
	// the time to ask.
	maxLease = 10 * time.Second
	// firstPoll and maxPoll bound the pause between two looks at a lease.
	firstPoll = 25 * time.Millisecond
	maxPoll   = 200 * time.Millisecond
	// leaseSlack is how far apart two readings of one end may be, besides the
	// time that each takes: a server counts the rest of it.
	leaseSlack = 100 * time.Millisecond
	// flushTime is how long a lease is kept for answers that are still to be
	// written.
	flushTime = time.Second
)

// Table are those of a Client: all its work on an origin shares one.
type Table struct {
	layers *cache.Layered // nil: there is no other process to agree with
	clock  *clock.Clock
	view   string
	length time.Duration
	// patience is how long a process waits for another's lease. It is longer
	// than length, so that one process takes over from a dead holder, and not
	// all.
	patience time.Duration

	mu       sync.Mutex
	closed   bool
	byOrigin map[string]*Lease
	work     sync.WaitGroup // leases in the table
}

// New makes the leases of a Client whose calls have a time-out.
func New(layers *cache.Layered, clk *clock.Clock, timeout time.Duration, view string) *Table {
	return &Table{
		layers: layers, clock: clk, view: view, length: min(timeout/2, maxLease), patience: timeout * 2 / 3,
		byOrigin: map[string]*Lease{},
	}
}

// Lease is the known holder of an origin's lease. The store is not asked about
// it before the origin would be.
type Lease struct {
	table  *Table
	origin string
	users  int // guarded by leases.mu

	lock    chan struct{} // full: a goroutine reads or changes the fields below, or asks the store
	over    bool          // it is not used any more
	free    bool          // to go ahead, with or without the lease
	ends    time.Time     // of the other's lease, not before; zero: the store was not asked
	within  time.Duration // after that
	since   time.Time     // when it was first seen to be another's; zero: it was not
	release func()        // nil: it is not ours
	taken   uint64        // when it became ours, in the order of table.layers; zero: it did not
	pause   time.Duration // before the next look
	next    time.Time
}

// Join takes part in the lease of an origin. Each join needs a leave.
func (t *Table) Join(origin string) *Lease {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.byOrigin[origin]
	if l == nil {
		l = &Lease{table: t, origin: origin, over: t.closed, lock: make(chan struct{}, 1)}
		if !t.closed {
			t.byOrigin[origin] = l
			t.work.Add(1)
		}
	}
	l.users++
	return l
}

// Again takes part in a lease once more.
func (l *Lease) Again() *Lease { return l.table.Join(l.origin) }

// Leave ends a join. After the last one the lease is given back, once the
// findings are written: waiting processes look then.
func (l *Lease) Leave() {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	if l.users--; l.users == 0 && l.table.byOrigin[l.origin] == l {
		go l.end()
	}
}

// end gives a lease back, unless another call has joined meanwhile.
func (l *Lease) end() {
	t := l.table
	l.lock <- struct{}{}
	ours := l.release != nil
	<-l.lock
	if ours {
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		_ = t.layers.FlushOrigin(ctx, t.view, l.origin)
		cancel()
	}
	t.mu.Lock()
	if l.users > 0 || t.byOrigin[l.origin] != l {
		t.mu.Unlock()
		return
	}
	delete(t.byOrigin, l.origin)
	t.mu.Unlock()
	defer t.work.Done()
	l.lock <- struct{}{}
	defer func() { <-l.lock }()
	l.over = true
	if l.release != nil {
		l.release()
	}
}

// Close waits until all are given back. Later ones are not taken.
func (t *Table) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.work.Wait()
	return nil
}

// Turn says whose turn it is to ask, and waits while it is another's. A record that was read from the
// far store after this process took the lease need not be read again.
func (l *Lease) Turn(ctx context.Context, left <-chan struct{}) (turn cache.Turn, since uint64) {
	select {
	case l.lock <- struct{}{}:
	case <-ctx.Done():
		return cache.TurnNow, 0 // which fails, or is dropped
	case <-left:
		return cache.TurnNow, 0
	}
	if !l.over && !l.free && !time.Now().Before(l.next) {
		l.look(ctx)
	}
	over, free, taken, pause := l.over, l.free, l.taken, time.Until(l.next)
	<-l.lock
	switch {
	case over:
		return cache.TurnNow, 0
	case free:
		return cache.TurnLook, taken
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return cache.TurnNow, 0
	case <-left:
		return cache.TurnNow, 0
	}
	return cache.TurnWait, 0
}

// look asks for the lease. A caller that leaves meanwhile must not leave it
// taken without a holder.
func (l *Lease) look(ctx context.Context) {
	now, began := l.table.clock.Now(), time.Now()
	ok, held, release, err := l.table.layers.Acquire(context.WithoutCancel(ctx), cache.LeasePrefix+l.table.view+"\n"+l.origin, now.Add(l.table.length))
	took := time.Since(began)
	switch {
	case err != nil:
		l.free = true
	case ok:
		l.free, l.release, l.taken = true, release, l.table.layers.Moment()
	case !l.ends.IsZero() && held.After(l.ends.Add(l.within+leaseSlack)) && now.Before(l.ends.Add(-leaseSlack)):
		// It is a later one, so that of before was given back: an answer that
		// is not in the store now cannot be shared.
		l.free = true
	case !l.since.IsZero() && time.Since(l.since) >= l.table.patience:
		l.free = true // enough
	default:
		l.ends, l.within = held, took // a server may have counted from now on, or from its answer
		if l.since.IsZero() {
			l.since = began
		}
	}
	l.pause = min(max(2*l.pause, firstPoll), maxPoll)
	l.next = time.Now().Add(l.pause/2 + rand.N(l.pause/2)) // time that passes also under a fixed clock
}
