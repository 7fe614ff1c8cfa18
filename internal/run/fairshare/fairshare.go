// Package fairshare shares the scarce resources of a process between the domains that it
// contacts.
//
// A [Quota] is for resources that are held while this process works: parsers, and the memory
// of a document while it is read. A [Pool] is for memory that is held for a time that a remote
// party determines.
package fairshare

import (
	"context"
	"slices"
	"sync"
)

// Quota is an amount of a resource, with the shares that wait for it. Domains take turns,
// according to the cost of their work: a domain with hundreds of large documents delays a
// domain with a small document by no more than the document that is being read. It is safe for
// concurrent use.
//
// A share must not be held while it waits for more of the Quota, or for a remote party.
type Quota struct {
	limit int64

	mu   sync.Mutex
	used int64
	// now is the cost of the work that each waiting domain could have completed so far if all
	// had been served at the same time.
	now  float64
	line line[*Share]   // in the order in which they are due
	of   map[string]int // the number of waiters of each domain in line
}

// New returns a Quota with a limit of at least 1.
func New(limit int64) *Quota { return &Quota{limit: limit, of: map[string]int{}} }

// Used returns the amount that is taken.
func (q *Quota) Used() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used
}

// Waiting returns the number of waiting shares.
func (q *Quota) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.line)
}

// Share is the part of a Quota that one piece of work holds. It is safe for
// concurrent use.
type Share struct {
	quota  *Quota
	domain string
	pause  func() (resume func())

	held   int64 // guarded by quota.mu, like the field below
	closed bool
}

// Open begins a piece of work for a domain. The Share holds no part of the resource yet. pause
// is called when the work begins to wait, and the function that it returns is called when the
// wait is over. Both may be nil. A Share that has taken a part must be closed.
func (q *Quota) Open(domain string, pause func() (resume func())) *Share {
	return &Share{quota: q, domain: domain, pause: pause}
}

// Take takes n more. It waits until they are available, ctx ends or left is closed; left may
// be nil. If there is an error, nothing was taken: the error is ctx.Err() or, if left was
// closed, context.Canceled. A closed Share takes nothing and does not wait.
func (s *Share) Take(ctx context.Context, n int64, left <-chan struct{}) error {
	return s.TakeFor(ctx, n, n, left)
}

// TakeFor is Take for work with a cost, which determines when it is the domain's turn.
func (s *Share) TakeFor(ctx context.Context, n, cost int64, left <-chan struct{}) error {
	w := s.quota.enter(s, n, cost)
	if w == nil {
		return nil
	}
	if s.pause != nil {
		defer s.pause()()
	}
	return w.await(ctx, left, s.quota.abandon)
}

// Return gives n back, or everything if the Share holds less.
func (s *Share) Return(n int64) {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	s.quota.put(s, n)
	s.quota.pump()
}

// Close gives everything back. If a caller waits for more, its wait ends without it.
func (s *Share) Close() {
	q := s.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	q.put(s, s.held)
	for _, w := range q.line.close(s) {
		q.leaves(w)
	}
	q.pump()
}

// enter takes n, or returns a waiter for it.
func (q *Quota) enter(s *Share, n, cost int64) *waiter[*Share] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.closed || n <= 0 {
		return nil
	}
	w := &waiter[*Share]{holder: s, n: n, cost: cost}
	if len(q.line) == 0 && q.fits(n) {
		q.grant(w)
		return nil
	}
	w.granted = make(chan struct{})
	w.due = q.now
	for _, other := range q.line {
		if other.holder.domain == s.domain {
			w.due = other.due // the last of them
		}
	}
	w.due += float64(cost)
	at, _ := slices.BinarySearchFunc(q.line, w.due, func(other *waiter[*Share], due float64) int {
		if other.due > due {
			return 1
		}
		return -1 // after earlier waiters
	})
	q.line = slices.Insert(q.line, at, w)
	q.of[s.domain]++
	return w
}

// leaves counts a waiter that is no longer in line.
func (q *Quota) leaves(w *waiter[*Share]) {
	if q.of[w.holder.domain]--; q.of[w.holder.domain] == 0 {
		delete(q.of, w.holder.domain)
	}
}

// fits reports whether n may be taken now. If n is larger than the limit, it may be taken when
// nothing else is.
func (q *Quota) fits(n int64) bool { return q.used+n <= q.limit || q.used == 0 }

func (q *Quota) grant(w *waiter[*Share]) {
	q.used += w.n
	w.holder.held += w.n
	q.now += float64(w.cost) / float64(q.domains(w.holder.domain))
	if w.granted != nil {
		close(w.granted)
	}
}

// domains returns the number of domains that are served or wait.
func (q *Quota) domains(served string) int {
	if q.of[served] > 0 {
		return len(q.of)
	}
	return len(q.of) + 1
}

func (q *Quota) put(s *Share, n int64) {
	n = min(n, s.held)
	s.held -= n
	q.used -= n
}

// abandon removes a waiter, or gives back the amount that it was granted in the meantime.
func (q *Quota) abandon(w *waiter[*Share]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.line.abandon(w) {
		q.leaves(w)
	} else {
		q.put(w.holder, w.n)
	}
	q.pump()
}

// pump serves waiters in order, as long as there is enough for the next.
func (q *Quota) pump() {
	for len(q.line) > 0 && q.fits(q.line[0].n) {
		w := q.line[0]
		q.line = q.line[1:]
		q.leaves(w)
		q.grant(w)
	}
}
