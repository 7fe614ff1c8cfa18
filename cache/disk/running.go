package disk

import (
	"context"
	"sync"

	"github.com/wayfindhq/wayfind/cache"
)

// run does work, and returns when the work or ctx is done. If ctx is done first, the work goes on
// in the background. When the work is done, run gives back the ticket, which may be nil.
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
	done := make(chan result, 1)
	go func() {
		defer s.leave()
		value, err := work()
		k.give()
		done <- result{value, err}
		s.trim()
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// enter waits until one more operation may run.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case s == nil || s.slots == nil:
		return errUnmade
	case s.isClosed():
		return cache.ErrClosed
	}
	select {
	case s.slots <- struct{}{}:
	case <-s.closed:
		return cache.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.isClosed() {
		s.leave()
		return cache.ErrClosed
	}
	return nil
}

func (s *Store) leave() { <-s.slots }

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
	sync.Mutex
	users  int    // guarded by turns.mu
	latest uint64 // number of the last call that has taken effect
}

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
