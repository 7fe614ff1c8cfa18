package disk

import (
	"context"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// run does work, and returns when the work, ctx or the budget of ctx is over. If the work is not done
// then, it goes on in the background. When it is done, run gives back the ticket, which may be nil.
func run[R any](ctx context.Context, s *Store, k *ticket, work func() (R, error)) (R, error) {
	type result struct {
		value R
		err   error
	}
	var none R
	if err := s.enter(ctx); err != nil {
		k.give()
		return none, err
	}
	r, err := budget.Run(ctx, s.places, func(done func(result)) {
		value, err := work()
		k.give()
		done(result{value, err})
		s.trim()
	})
	if err != nil {
		return none, err
	}
	return r.value, r.err
}

// enter waits until one more operation may run.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case s == nil || s.places == nil:
		return errUnmade
	case s.isClosed():
		return cache.ErrClosed
	}
	if err := s.places.Take(ctx, s.closed, cache.ErrClosed); err != nil {
		return err
	}
	if s.isClosed() {
		s.places.Give()
		return cache.ErrClosed
	}
	return nil
}

// Timed reports that the budget of a call begins when its work on files begins. It is false for a
// type that embeds the Store.
func (s *Store) Timed(of any) bool { return of == any(s) }

// Budget implements [cache.PatientStore].
func (s *Store) Budget() time.Duration {
	if s == nil {
		return 0
	}
	return s.budget
}

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// turns order the operations of this process on one name. Without them, a Save that its caller has
// given up could end after the next one, and restore the entry that the next one replaced.
type turns struct {
	mu    sync.Mutex
	calls uint64
	of    map[string]*turn
}

type turn struct {
	using  sync.Mutex
	users  int    // guarded by turns.mu
	latest uint64 // number of the last call that has taken effect
}

// The pauses between two looks whether a name is free.
const (
	firstLook = 20 * time.Microsecond
	lastLook  = time.Millisecond
)

// Lock waits until no other call uses the name. It does not wait in the Mutex, which would stop the time of
// a bubble of testing/synctest while the other call pauses, nor on a channel: a Store that was opened
// outside of a bubble tidies up there, and a channel belongs to one bubble.
func (t *turn) Lock() {
	for pause := firstLook; !t.using.TryLock(); pause = min(2*pause, lastLook) {
		time.Sleep(pause)
	}
}

// Unlock lets the next call use the name.
func (t *turn) Unlock() { t.using.Unlock() }

// ticket is a call's place in the order of its name.
type ticket struct {
	*turn
	all    *turns
	name   string
	number uint64
}

// join returns the ticket of a call. give must be called afterwards.
func (t *turns) join(name string) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	tn := t.of[name]
	if tn == nil {
		if t.of == nil {
			t.of = make(map[string]*turn)
		}
		tn = new(turn)
		t.of[name] = tn
	}
	tn.users++
	t.calls++
	return &ticket{turn: tn, all: t, name: name, number: t.calls}
}

func (k *ticket) give() {
	if k == nil {
		return
	}
	k.all.mu.Lock()
	defer k.all.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(k.all.of, k.name)
	}
}

// alone does work while no other call of this process uses the name.
func (t *turns) alone(name string, work func()) {
	k := t.join(name)
	defer k.give()
	k.Lock()
	defer k.Unlock()
	work()
}

// inOrder does work unless a later call has already taken effect.
func (k *ticket) inOrder(work func() error) error {
	k.Lock()
	defer k.Unlock()
	if k.latest > k.number {
		return nil
	}
	err := work()
	if err == nil {
		k.latest = k.number
	}
	return err
}
