package turns

import (
	"context"
	"sync"
)

// Semaphore bounds how many calls run at a time. Each origin has only a few of all slots, and
// so has each domain, so that slow ones cannot take them from the others.
type Semaphore struct {
	all  chan struct{}
	most []int // for each kind of key

	mu    sync.Mutex
	keys  map[key]*places
	spare [][]*places // without users, for each kind
}

// key is one for which calls run: an origin, for example.
type key struct {
	kind int
	name string
}

// places are those of one key.
type places struct {
	free  chan struct{}
	users int // guarded by Semaphore.mu
}

// NewSemaphore has slots for a number of calls at a time, and most of them for each key, by its
// kind. There are two kinds at most.
func NewSemaphore(all int, most ...int) *Semaphore {
	return &Semaphore{all: make(chan struct{}, all), most: most, keys: make(map[key]*places), spare: make([][]*places, len(most))}
}

// stay is one call that has joined keys, and that has a place at some of them.
type stay struct {
	slots  *Semaphore
	keys   [2]key
	joined [2]*places
	n, has int // keys that it has joined, and that it has a place at
	all    bool
}

// Enter waits until one more call may run for keys, one of each kind, the narrowest
// first; leave ends it. The wait ends with ctx, whose error it returns.
func (p *Semaphore) Enter(ctx context.Context, keys ...string) (leave func(), err error) {
	s := &stay{slots: p}
	for kind, name := range keys {
		k := key{kind, name}
		s.keys[kind], s.joined[kind] = k, p.join(k)
		s.n++
		if err := take(ctx, s.joined[kind].free); err != nil {
			s.leave()
			return nil, err
		}
		s.has++
	}
	if err := take(ctx, p.all); err != nil {
		s.leave()
		return nil, err
	}
	s.all = true
	return s.leave, nil
}

// leave gives the places back in reverse order.
func (s *stay) leave() {
	if s.all {
		<-s.slots.all
	}
	for i := s.n - 1; i >= 0; i-- {
		if i < s.has {
			<-s.joined[i].free
		}
		s.slots.leave(s.keys[i], s.joined[i])
	}
}

// take waits for a place, first come, first served.
func take(ctx context.Context, places chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	select {
	case places <- struct{}{}:
		if err := ctx.Err(); err != nil { // both came at once
			<-places
			return err
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Semaphore) join(k key) *places {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.keys[k]
	if own == nil {
		own = p.unused(k.kind)
		p.keys[k] = own
	}
	own.users++
	return own
}

// unused are places without users: those of an earlier key, or new ones.
func (p *Semaphore) unused(kind int) *places {
	if n := len(p.spare[kind]); n > 0 {
		own := p.spare[kind][n-1]
		p.spare[kind] = p.spare[kind][:n-1]
		return own
	}
	return &places{free: make(chan struct{}, p.most[kind])}
}

func (p *Semaphore) leave(k key, own *places) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users > 0 {
		return
	}
	delete(p.keys, k)
	if len(p.spare[k.kind]) < cap(p.all) {
		p.spare[k.kind] = append(p.spare[k.kind], own)
	}
}
