// Package slots bounds how much work runs at a time, as a whole and for each of those
// that it is for.
package slots

import (
	"context"
	"sync"
)

// Slots bound how many calls run at a time. Each origin has only a few of all slots, and
// so has each domain, so that slow ones cannot take them from the others.
type Slots struct {
	all  chan struct{}
	most []int // for each kind of key

	mu   sync.Mutex
	keys map[key]*places
}

// key is one for which calls run: an origin, for example.
type key struct {
	kind int
	name string
}

// places are those of one key.
type places struct {
	free  chan struct{}
	users int // guarded by Slots.mu
}

// New makes slots for a number of calls at a time, and most of them for each key, by its
// kind.
func New(all int, most ...int) *Slots {
	return &Slots{all: make(chan struct{}, all), most: most, keys: make(map[key]*places)}
}

// Enter waits until one more call may run for keys, one of each kind, the narrowest
// first; leave ends it. The wait ends with ctx, whose error it returns.
func (p *Slots) Enter(ctx context.Context, keys ...string) (leave func(), err error) {
	var undo []func()
	leave = func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
	enter := func(places chan struct{}) bool {
		if err = take(ctx, places); err != nil {
			leave()
			return false
		}
		undo = append(undo, func() { <-places })
		return true
	}
	for kind, name := range keys {
		k := key{kind, name}
		own := p.join(k)
		undo = append(undo, func() { p.leave(k, own) })
		if !enter(own.free) {
			return nil, err
		}
	}
	if !enter(p.all) {
		return nil, err
	}
	return leave, nil
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

func (p *Slots) join(k key) *places {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.keys[k]
	if own == nil {
		own = &places{free: make(chan struct{}, p.most[k.kind])}
		p.keys[k] = own
	}
	own.users++
	return own
}

func (p *Slots) leave(k key, own *places) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.keys, k)
	}
}
