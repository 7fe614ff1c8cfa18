package fetch

import (
	"context"
	"slices"
	"sync"
)

// Callers is the context of the callers that wait for the requests of a call. It ends when the last
// of them has left. All requests that are not written yet share its end.
type Callers struct {
	context.Context

	mu      sync.Mutex
	watched bool
	waiting []*exchange
}

// NewCallers returns the Callers that leave when ctx ends.
func NewCallers(ctx context.Context) *Callers { return &Callers{Context: ctx} }

// watch drops an exchange if the callers leave before unwatch.
func (c *Callers) watch(x *exchange) {
	c.mu.Lock()
	c.waiting = append(c.waiting, x)
	if !c.watched {
		c.watched = true
		context.AfterFunc(c.Context, c.left)
	}
	c.mu.Unlock()
	if c.Err() != nil { // left may have run before
		x.drop()
	}
}

func (c *Callers) unwatch(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.waiting, x); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
}

func (c *Callers) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.waiting {
		x.drop()
	}
}
