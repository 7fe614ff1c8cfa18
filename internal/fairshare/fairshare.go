// Package fairshare shares the scarce resources of a process, parsers and memory,
// between the domains that it asks.
//
// A piece of work opens a [Share], takes resources as it goes on, and closes
// the share at its end. Shares that have to wait stand in a queue for each
// domain, and the domains take turns, so one with hundreds of documents holds
// up another by one turn.
//
// Work that holds something and waits for more could wait for ever, each piece
// for the other. So one share at a time is favoured: the first that waits while
// it holds something takes all it needs, past the limit, until it is closed.
// The limit can therefore be exceeded by the needs of one piece of work.
package fairshare

import (
	"context"
	"slices"
	"sync"
)

// Quota holds the amount of a resource, and the shares waiting for it. It is
// safe for concurrent use.
type Quota struct {
	limit int64

	mu       sync.Mutex
	used     int64
	favoured *Share
	turns    []*queue // of the domains that wait, in the order of their turns
	queues   map[string]*queue
}

// queue holds the waiters for one domain, first come, first served. It is never
// empty.
type queue struct {
	domain  string
	waiters []*waiter
}

type waiter struct {
	share   *Share
	n       int64
	granted chan struct{} // closed when the wait is over
}

// New returns a Quota of limit, which is at least 1.
func New(limit int64) *Quota { return &Quota{limit: limit, queues: map[string]*queue{}} }

// Used is the amount that is taken.
func (q *Quota) Used() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used
}

// Waiting is the number of waiting shares.
func (q *Quota) Waiting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, line := range q.turns {
		n += len(line.waiters)
	}
	return n
}

// Share is the part of a Quota that one piece of work holds. It is safe for
// concurrent use.
type Share struct {
	quota  *Quota
	domain string
	pause  func() (resume func())

	held   int64 // like the fields below, guarded by quota.mu
	closed bool
}

// Open begins a piece of work for a domain, which holds no part of the resource
// yet. pause is called when it begins to wait, and the function that pause
// returns when the wait is over; both may be nil. A share that has taken a part
// must be closed.
func (q *Quota) Open(domain string, pause func() (resume func())) *Share {
	return &Share{quota: q, domain: domain, pause: pause}
}

// Take takes n more, and waits for it until ctx ends or left is closed, which may
// be nil. The error is that of ctx, or context.Canceled: then nothing was taken. A
// closed share takes nothing and does not wait.
func (s *Share) Take(ctx context.Context, n int64, left <-chan struct{}) error {
	w := s.quota.enter(s, n)
	if w == nil {
		return nil
	}
	if s.pause != nil {
		defer s.pause()()
	}
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		s.quota.abandon(w)
		return ctx.Err()
	case <-left:
		s.quota.abandon(w)
		return context.Canceled
	}
}

// Return gives n back, or all that there is.
func (s *Share) Return(n int64) {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	s.quota.put(s, n)
	s.quota.pump()
}

// Close gives everything back. A caller waiting for more goes on without it.
func (s *Share) Close() {
	q := s.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	q.put(s, s.held)
	if line := q.queues[s.domain]; line != nil {
		line.waiters = slices.DeleteFunc(line.waiters, func(w *waiter) bool {
			if w.share == s {
				close(w.granted)
			}
			return w.share == s
		})
		q.forget(line)
	}
	q.pump()
}

// enter takes n, or returns a waiter for it.
func (q *Quota) enter(s *Share, n int64) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.closed || n <= 0 {
		return nil
	}
	w := &waiter{share: s, n: n}
	if s == q.favoured || len(q.turns) == 0 && q.fits(n) || q.favour(s) {
		q.grant(w)
		return nil
	}
	w.granted = make(chan struct{})
	line := q.queues[s.domain]
	if line == nil {
		line = &queue{domain: s.domain}
		q.queues[s.domain] = line
		q.turns = append(q.turns, line)
	}
	line.waiters = append(line.waiters, w)
	return w
}

// fits reports whether n may be taken now. A need larger than the limit is met
// alone.
func (q *Quota) fits(n int64) bool { return q.used+n <= q.limit || q.used == 0 }

// favour makes a share the favoured one, if it holds something and no other is.
func (q *Quota) favour(s *Share) bool {
	if q.favoured == nil && s.held > 0 {
		q.favoured = s
	}
	return q.favoured == s
}

func (q *Quota) grant(w *waiter) {
	q.used += w.n
	w.share.held += w.n
	if w.granted != nil {
		close(w.granted)
	}
}

func (q *Quota) put(s *Share, n int64) {
	n = min(n, s.held)
	s.held -= n
	q.used -= n
	if s.held == 0 && q.favoured == s {
		q.favoured = nil
	}
}

// abandon takes a waiter out, or gives back the share that it got in the
// meantime.
func (q *Quota) abandon(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-w.granted:
		q.put(w.share, w.n)
	default:
		line := q.queues[w.share.domain]
		line.waiters = slices.DeleteFunc(line.waiters, func(other *waiter) bool { return other == w })
		q.forget(line)
	}
	q.pump()
}

// pump serves the domains in turn as long as there is enough for the next, and
// then the favoured share.
func (q *Quota) pump() {
	for len(q.turns) > 0 && q.fits(q.turns[0].waiters[0].n) {
		line := q.turns[0]
		w := line.waiters[0]
		line.waiters = line.waiters[1:]
		q.turns = append(q.turns[1:], line)
		q.forget(line)
		q.grant(w)
	}
	for i := 0; i < len(q.turns); i++ {
		line := q.turns[i]
		line.waiters = slices.DeleteFunc(line.waiters, func(w *waiter) bool {
			favoured := q.favour(w.share)
			if favoured {
				q.grant(w)
			}
			return favoured
		})
		if q.forget(line) {
			i--
		}
	}
}

// forget takes out a queue in which no one waits.
func (q *Quota) forget(line *queue) bool {
	if len(line.waiters) > 0 {
		return false
	}
	delete(q.queues, line.domain)
	q.turns = slices.DeleteFunc(q.turns, func(other *queue) bool { return other == line })
	return true
}
