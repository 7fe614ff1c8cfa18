package client

import (
	"context"
	"sync"
)

// Limits of what package client/call does at a time.
const (
	CallsAtOnce    = 64 // of one Client
	CallsPerOrigin = 4
)

// callPlaces bound how many calls run at a time. An origin has only a few of all places,
// so that a slow one cannot take them from the others.
type callPlaces struct {
	all chan struct{}

	mu      sync.Mutex
	origins map[string]*originPlaces
}

// originPlaces are those of one origin.
type originPlaces struct {
	places chan struct{}
	users  int // guarded by callPlaces.mu
}

func newCallPlaces() *callPlaces {
	return &callPlaces{all: make(chan struct{}, CallsAtOnce), origins: make(map[string]*originPlaces)}
}

func (p *callPlaces) enter(ctx context.Context, origin string) (leave func(), err error) {
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

func (p *callPlaces) join(origin string) *originPlaces {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.origins[origin]
	if own == nil {
		own = &originPlaces{places: make(chan struct{}, CallsPerOrigin)}
		p.origins[origin] = own
	}
	own.users++
	return own
}

func (p *callPlaces) leave(origin string, own *originPlaces) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.origins, origin)
	}
}
