package fairshare

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/pausable"
)

const (
	// A domain may hold one part in aPart of the open memory that is left, so that there is
	// always some left for the next domain.
	aPart = 100
	// A domain may hold one part in aHalf of the memory of turns, except for the call that has
	// had its turn for the longest time.
	aHalf = 2
)

// Pool is the memory that calls hold for a time that remote parties determine. It is safe for
// concurrent use.
//
// Two thirds are open to all: a domain may hold a small part of the open memory that is left.
// A new domain therefore finds room at once, however many others there are. A call that needs
// more takes a turn, which moves its part to the last third. That third limits the number of
// calls with a turn, and no domain holds more than half of it. The call that got its turn
// first may exceed these limits, so that calls never wait for each other for ever.
//
// A turn lasts as long as the call, or until the call has given everything back. When remote
// parties have used up the time of a turn and other calls wait, the call is asked to leave. If
// there are several such calls, the call that holds the most memory is asked first.
type Pool struct {
	openLimit, turnsLimit int64
	time                  time.Duration // the time of a turn, without the pauses of its call

	mu          sync.Mutex
	open, turns int64           // memory held without a turn, and with a turn
	holders     []*Stay         // the stays with a turn, in the order in which they got it
	line        line[*Stay]     // in the order of arrival
	held        map[place]int64 // amounts per domain, without zeros
}

// place is the key of the memory that a domain holds with a turn, or without.
type place struct {
	domain string
	turn   bool
}

// Stay is the part of a Pool that one call holds. It is safe for concurrent use.
type Stay struct {
	pool   *Pool
	domain string
	call   *pausable.Context // nil if no caller waits for the work
	leave  func()
	timer  pausable.Timer // the timer of the turn

	held   int64 // guarded by pool.mu, like the fields below
	turn   bool
	over   bool // the time of its turn has expired
	asked  bool // it was asked to leave
	closed bool
}

// NewPool returns a Pool of limit bytes. turn is the time of a turn.
func NewPool(limit int64, turn time.Duration) *Pool {
	return &Pool{openLimit: limit - limit/3, turnsLimit: limit / 3, time: turn, held: map[place]int64{}}
}

// Used returns the amount that is taken.
func (r *Pool) Used() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open + r.turns
}

// Waiting returns the number of waiters.
func (r *Pool) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.line)
}

// Open begins a call for a domain. The Stay holds nothing yet. While it waits for room, the
// time-outs of the call are paused. leave is called at most once, on a goroutine of its own,
// when the call must end because others wait. A Stay that has taken a part must be closed.
func (r *Pool) Open(domain string, call *pausable.Context, leave func()) *Stay {
	return &Stay{pool: r, domain: domain, call: call, leave: leave}
}

// Asked reports whether the call was asked to leave.
func (s *Stay) Asked() bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.asked
}

// Take takes n more. It waits until they are available, ctx ends or left is closed; left may
// be nil. If there is an error, nothing was taken: the error is ctx.Err() or, if left was
// closed, context.Canceled. A closed Stay takes nothing and does not wait.
func (s *Stay) Take(ctx context.Context, n int64, left <-chan struct{}) error {
	w := s.pool.enter(s, n)
	if w == nil {
		return nil
	}
	defer s.call.Pause()()
	return w.await(ctx, left, s.pool.abandon)
}

// Return gives n back, or everything if the Stay holds less.
func (s *Stay) Return(n int64) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.put(s, n)
	s.pool.pump()
}

// Close gives everything back. If a caller waits for more, its wait ends without it.
func (s *Stay) Close() {
	r := s.pool
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	r.put(s, s.held)
	r.line.close(s)
	r.pump()
}

// TimeOut records that remote parties have used up the time of a turn.
func (s *Stay) TimeOut() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.over = s.turn
	s.pool.relieve()
}

// enter takes n, or returns a waiter for it.
func (r *Pool) enter(s *Stay, n int64) *waiter[*Stay] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.closed || n <= 0 {
		return nil
	}
	if r.admits(s, n) {
		r.add(s, n)
		return nil
	}
	w := &waiter[*Stay]{holder: s, n: n, granted: make(chan struct{})}
	r.line = append(r.line, w)
	r.pump()
	return w
}

// admits reports whether a Stay may take n without a new turn.
func (r *Pool) admits(s *Stay, n int64) bool {
	if s.turn {
		return s == r.holders[0] || r.mayTurn(s, n)
	}
	left := r.openLimit - r.open - n
	return r.held[place{domain: s.domain}]+n <= left/aPart
}

// mayTurn reports whether a domain may hold n more with a turn.
func (r *Pool) mayTurn(s *Stay, n int64) bool {
	return len(r.holders) == 0 || r.turns+n <= r.turnsLimit && r.held[place{s.domain, true}]+n <= r.turnsLimit/aHalf
}

// begin gives a turn to a Stay.
func (r *Pool) begin(s *Stay) {
	held := s.held
	r.add(s, -held)
	s.turn = true
	r.add(s, held)
	r.holders = append(r.holders, s)
	s.timer.Start(s.call, r.time, s)
}

// end ends the turn of a Stay that holds nothing.
func (r *Pool) end(s *Stay) {
	s.timer.Stop()
	s.turn, s.over = false, false
	r.holders = slices.DeleteFunc(r.holders, func(other *Stay) bool { return other == s })
}

// add changes the amount that a Stay holds.
func (r *Pool) add(s *Stay, n int64) {
	s.held += n
	if s.turn {
		r.turns += n
	} else {
		r.open += n
	}
	at := place{s.domain, s.turn}
	if r.held[at] += n; r.held[at] == 0 {
		delete(r.held, at)
	}
}

func (r *Pool) put(s *Stay, n int64) {
	r.add(s, -min(n, s.held))
	if s.turn && s.held == 0 {
		r.end(s)
	}
}

// abandon removes a waiter, or gives back the part that it got in the meantime.
func (r *Pool) abandon(w *waiter[*Stay]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.line.abandon(w) {
		r.put(w.holder, w.n)
	}
	r.pump()
}

// pump serves all waiters that may be served now. New turns are given in the order of arrival. A
// waiter is overtaken only if its own domain prevents its turn.
func (r *Pool) pump() {
	turns := true
	r.line = slices.DeleteFunc(r.line, func(w *waiter[*Stay]) bool {
		s := w.holder
		switch {
		case r.admits(s, w.n):
		case !s.turn && turns && r.mayTurn(s, s.held+w.n):
			r.begin(s)
		default:
			turns = turns && (s.turn || r.held[place{s.domain, true}] > 0)
			return false
		}
		r.add(s, w.n)
		close(w.granted)
		return true
	})
	r.relieve()
}

// relieve asks a call whose time is over to leave if another call waits and no call has been
// asked already. It chooses the call that holds the most.
func (r *Pool) relieve() {
	var most *Stay
	for _, s := range r.holders {
		switch {
		case s.asked:
			return
		case s.over && (most == nil || s.held > most.held):
			most = s
		}
	}
	if most != nil && slices.ContainsFunc(r.line, func(w *waiter[*Stay]) bool { return w.holder != most }) {
		most.asked = true
		go most.leave()
	}
}
