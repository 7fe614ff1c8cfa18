package budget

import (
	"context"
	"sync/atomic"
	"time"
)

// Places are the places for the calls of a store that run at a time.
type Places struct {
	taken chan struct{}
	signs atomic.Uint64
}

// NewPlaces returns n places.
func NewPlaces(n int) *Places { return &Places{taken: make(chan struct{}, n)} }

// Sign notes that the store has given a sign.
func (p *Places) Sign() { p.signs.Add(1) }

// Taken returns the number of places that are taken.
func (p *Places) Taken() int { return len(p.taken) }

// Give gives a place back. The end of a call is a sign.
func (p *Places) Give() {
	p.Sign()
	<-p.taken
}

// Take takes a place. It waits for one as long as the store gives signs. After a silence its error
// is context.DeadlineExceeded. It returns the error of ctx when ctx ends, and ended when closed is
// closed.
func (p *Places) Take(ctx context.Context, closed <-chan struct{}, ended error) error {
	select {
	case p.taken <- struct{}{}:
		return nil
	default:
	}
	w := p.watch(ctx)
	defer w.timer.Stop()
	for {
		select {
		case p.taken <- struct{}{}:
			return nil
		case <-closed:
			return ended
		case <-ctx.Done():
			return ctx.Err()
		case <-w.timer.C:
			if w.silent() {
				return context.DeadlineExceeded
			}
			w.timer.Reset(w.limit.Silence)
		}
	}
}

// TakeAll takes all places, each when it is free.
func (p *Places) TakeAll() {
	for range cap(p.taken) {
		p.taken <- struct{}{}
	}
}

// Run does work in a place that the caller has taken, and returns its result. work calls done with
// the result once, and gives the place back when it returns. Run returns earlier when ctx ends, or
// when the work has run for the Limit of ctx. Then the work goes on in the background.
func Run[R any](ctx context.Context, p *Places, work func(done func(R))) (R, error) {
	result := make(chan R, 1)
	var began atomic.Pointer[time.Time]
	go func() {
		defer p.Give()
		now := time.Now()
		began.Store(&now)
		work(func(r R) { result <- r })
	}()
	w := p.watch(ctx)
	defer w.timer.Stop()
	var none R
	for {
		select {
		case r := <-result:
			return r, nil
		case <-ctx.Done():
			return none, ctx.Err()
		case <-w.timer.C:
		}
		select {
		case r := <-result: // it waited for a processor
			return r, nil
		default:
		}
		if err := w.judge(began.Load()); err != nil {
			return none, err
		}
	}
}

// watch watches for the signs of a store.
type watch struct {
	places *Places
	limit  Limit
	timer  *time.Timer
	signs  uint64
}

// watch begins to watch for signs. Its timer ends the first silence. Without a limit it never ends.
func (p *Places) watch(ctx context.Context) *watch {
	w := &watch{places: p, limit: in(ctx), signs: p.signs.Load()}
	w.timer = time.NewTimer(w.limit.Silence)
	if w.limit.Silence <= 0 {
		w.timer.Stop()
	}
	return w
}

// silent reports whether there was no sign since the last call.
func (w *watch) silent() bool {
	now := w.places.signs.Load()
	defer func() { w.signs = now }()
	return now == w.signs
}

// judge returns the error of work that is out of time, or sets the timer to its next end.
func (w *watch) judge(began *time.Time) error {
	ran := time.Duration(0)
	if began != nil {
		ran = time.Since(*began)
	}
	switch silent := w.silent(); {
	case ran < w.limit.Silence: // the work itself waited for a processor
		w.timer.Reset(w.limit.Silence - ran)
	case silent:
		return context.DeadlineExceeded
	case ran >= w.limit.Longest:
		return ErrBusy
	default:
		w.timer.Reset(min(w.limit.Silence, w.limit.Longest-ran))
	}
	return nil
}
