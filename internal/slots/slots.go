// Package slots bounds how much work runs at a time, as a whole and for each origin.
package slots

import (
	"context"
	"sync"
)

// Slots bound how many calls run at a time. An origin has only a few of all slots,
// so that a slow one cannot take them from the others.
type Slots struct {
	all       chan struct{}
	perOrigin int

	mu      sync.Mutex
	origins map[string]*originSlots
}

// originSlots are those of one origin.
type originSlots struct {
	places chan struct{}
	users  int // guarded by Slots.mu
}

// New makes slots for a number of calls at a time, and for a number at each origin.
func New(all, perOrigin int) *Slots {
	return &Slots{all: make(chan struct{}, all), perOrigin: perOrigin, origins: make(map[string]*originSlots)}
}

// Enter waits until one more call may run at an origin; leave ends it. The wait ends with
// ctx, whose error it returns.
func (p *Slots) Enter(ctx context.Context, origin string) (leave func(), err error) {
	own := p.join(origin)
	if err := take(ctx, own.places); err != nil {
		p.leave(origin, own)
		return nil, err
	}
	if err := take(ctx, p.all); err != nil {
		<-own.places
		p.leave(origin, own)
		return nil, err
	}
	return func() {
		<-p.all
		<-own.places
		p.leave(origin, own)
	}, nil
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

func (p *Slots) join(origin string) *originSlots {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.origins[origin]
	if own == nil {
		own = &originSlots{places: make(chan struct{}, p.perOrigin)}
		p.origins[origin] = own
	}
	own.users++
	return own
}

func (p *Slots) leave(origin string, own *originSlots) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.origins, origin)
	}
}
