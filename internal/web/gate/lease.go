package gate

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// Processes that share a store agree which of them asks an origin: the process that takes the
// lease of the origin. The others look into the store for the answers of the holder. When the
// lease is returned, they continue by themselves to get answers that cannot be shared. When the
// lease expires, one of them takes it, because the holder has died or hangs. The holder, and
// any party with write access to the store, sets the time of expiry, so a process never waits
// longer than two thirds of its own time. A store that fails delays no call.
//
// In a store that does not free the leases of a process that has ended (cache.LeaseStore), the holder
// signs that it is running. When the signs end before the lease, one of the others takes the lease of
// the successor, and signs in turn. When those signs end too, each asks by itself. So a lease that was
// left or planted costs half a second, twice at most. A holder that signs too late costs the origin
// one more set of requests.
const (
	// maxLease is the duration of a lease that is not returned. It is limited to half of
	// Options.Timeout, so that processes that waited in vain have time to ask.
	maxLease = 10 * time.Second
	// firstPoll and maxPoll are the shortest and the longest pause between two looks at a
	// lease.
	firstPoll = 25 * time.Millisecond
	maxPoll   = 200 * time.Millisecond
	// leaseSlack is the maximum difference between two readings of the same end, in addition to
	// the duration of each reading: a server returns the remaining time.
	leaseSlack = 100 * time.Millisecond
	// signEvery is the pause between two signs, and signFor the time for which one counts. A process
	// also waits that long after its first look, because a sign that it sees then may be one of an
	// earlier holder. It waits longer by its own delays: on a busy machine, the holder is late, too.
	signEvery = 150 * time.Millisecond
	signFor   = 450 * time.Millisecond
	// flushTime is how long a lease is kept for answers that are not written yet.
	flushTime = time.Second
)

// Leases contains the leases of a Client. All work of the Client on an origin shares one lease.
type Leases struct {
	layers *cache.Layered // nil: there is no other process
	clock  *clock.Clock
	view   string
	length time.Duration
	// patience is how long a process waits for a lease of another process. It is longer than
	// length, so that only one process replaces a dead holder.
	patience time.Duration

	mu       sync.Mutex
	closed   bool
	byOrigin map[string]*Lease
	work     sync.WaitGroup // leases in the table
}

// NewLeases returns the leases of a Client whose calls have a time-out.
func NewLeases(layers *cache.Layered, clk *clock.Clock, timeout time.Duration, view string) *Leases {
	return &Leases{
		layers: layers, clock: clk, view: view, length: min(timeout/2, maxLease), patience: timeout * 2 / 3,
		byOrigin: map[string]*Lease{},
	}
}

// Lease is what a process knows about the lease of an origin. The store is asked only before
// the origin would be asked.
type Lease struct {
	table  *Leases
	origin string
	users  int // guarded by leases.mu

	lock    chan struct{} // full: a goroutine reads or changes the fields below, or asks the store
	over    bool          // it is no longer used
	heir    bool          // the holder gives no sign: the lease of the successor counts
	alive   time.Time     // until when the holder counts as running; zero: no look yet
	free    bool          // the process may continue, with or without the lease
	ends    time.Time     // the earliest end of another process's lease; zero: the store was not asked
	within  time.Duration // the lease ends at most this long after ends
	since   time.Time     // when another process was first seen to hold it; zero: never
	release func()        // nil: this process does not hold it
	taken   uint64        // when this process took it, in the order of table.layers; zero: it did not
	pause   time.Duration // before the next look
	next    time.Time
}

// Join takes part in the lease of an origin. Each Join requires a Leave.
func (t *Leases) Join(origin string) *Lease {
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

// Again takes part in the lease once more.
func (l *Lease) Again() *Lease { return l.table.Join(l.origin) }

// Leave ends a Join. After the last Leave the lease is returned when the findings are written,
// because waiting processes look at that time.
func (l *Lease) Leave() {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	if l.users--; l.users == 0 && l.table.byOrigin[l.origin] == l {
		go l.end()
	}
}

// end returns a lease to the store unless another call has joined.
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

// Close waits until all leases are returned. No lease is taken later.
func (t *Leases) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.work.Wait()
	return nil
}

// Turn returns whose turn it is to ask, and waits while another process has the turn. A record
// that was read from the far store after this process took the lease need not be read again.
func (l *Lease) Turn(ctx context.Context, left <-chan struct{}) (turn cache.Turn, since uint64) {
	select {
	case l.lock <- struct{}{}:
	case <-ctx.Done():
		return cache.TurnNow, 0 // this fails, or is dropped
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

// look requests the lease. A caller that leaves at this time must not leave a lease that is
// taken but not held.
func (l *Lease) look(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	now, began := l.table.clock.Now(), time.Now()
	if !l.alive.IsZero() && !l.next.IsZero() {
		l.alive = l.alive.Add(min(began.Sub(l.next), signFor))
	}
	ok, held, release, err := l.table.layers.Acquire(ctx, l.key(), now.Add(l.table.length))
	took := time.Since(began)
	switch {
	case err != nil:
		l.free = true
	case ok:
		l.free, l.release, l.taken = true, l.signing(release), l.table.layers.Moment()
	case !l.ends.IsZero() && held.After(l.ends.Add(l.within+leaseSlack)) && now.Before(l.ends.Add(-leaseSlack)):
		// It is a later lease, so the earlier one was returned. An answer that is not in the
		// store now cannot be shared.
		l.free = true
	case !l.since.IsZero() && time.Since(l.since) >= l.table.patience:
		l.free = true // it has waited long enough
	default:
		l.ends, l.within = held, took // a server may have measured from now on, or from its answer
		if l.since.IsZero() {
			l.since = began
		}
	}
	l.pause = min(max(2*l.pause, firstPoll), maxPoll)
	l.next = time.Now().Add(l.pause/2 + rand.N(l.pause/2)) // time that also passes with a fixed clock
	if l.free {
		return
	}
	switch left := l.untilSilent(ctx); {
	case left > 0:
		if silent := time.Now().Add(left); silent.Before(l.next) {
			l.next = silent
		}
	case l.heir:
		l.free = true
	default:
		l.heir, l.alive, l.ends, l.next = true, time.Time{}, time.Time{}, time.Time{}
	}
}

// key returns the key of the lease that counts.
func (l *Lease) key() string {
	name := l.table.view + "\n" + l.origin
	if l.heir {
		name = "heir\n" + name
	}
	return cache.LeasePrefix + name
}

// signKey returns the key that is held while the holder of the lease is running.
func (l *Lease) signKey() string { return "signs\n" + l.table.view + "\n" + l.origin }

// signing gives signs until the lease is returned.
func (l *Lease) signing(release func()) func() {
	if l.table.layers.FreesLeases() {
		return release
	}
	returned := make(chan struct{})
	l.table.work.Go(func() {
		next := time.NewTicker(signEvery)
		defer next.Stop()
		for {
			select {
			case <-next.C:
				_ = l.table.layers.Hold(context.Background(), l.signKey(), l.table.clock.Now().Add(signFor))
			case <-returned:
				return
			}
		}
	})
	return func() {
		close(returned)
		release()
	}
}

// untilSilent returns the time for which the holder of the lease may be running without another sign.
// It is zero or less if the holder has given no sign in time. A sign that would count longer than
// signs do is planted, and does not count.
func (l *Lease) untilSilent(ctx context.Context) time.Duration {
	if l.table.layers.FreesLeases() {
		return maxLease
	}
	now, began := l.table.clock.Now(), time.Now()
	none, until, _, err := l.table.layers.Acquire(ctx, l.signKey(), time.Time{}) // takes nothing
	took := time.Since(began)
	if err != nil {
		return maxLease // it is not known
	}
	if l.alive.IsZero() {
		l.alive = began.Add(signFor)
	}
	l.alive = l.alive.Add(took)
	if left := until.Sub(now); !none && left <= signFor+leaseSlack+took {
		if end := began.Add(left); end.After(l.alive) {
			l.alive = end
		}
	}
	return time.Until(l.alive)
}
