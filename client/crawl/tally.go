package crawl

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client"
)

// tally tells a queue how many answers a worker could not store.
type tally struct {
	of     *client.Client
	ledger Ledger // nil: the queue is none
	name   string // of the worker

	mu   sync.Mutex
	told uint64
}

func newTally(c *client.Client, q Queue) *tally {
	ledger, _ := q.(Ledger)
	return &tally{of: c, ledger: ledger, name: rand.Text()}
}

// tellEvery is how often a queue is told while a worker works.
const tellEvery = 10 * time.Second

// keep tells the queue again and again, until ctx ends.
func (t *tally) keep(ctx context.Context) {
	for t.ledger != nil && ctx.Err() == nil {
		wait(ctx, tellEvery)
		t.tell(ctx)
	}
}

// tell tells the queue a number that is new. One that it does not take is a part of the
// next.
func (t *tally) tell(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of.Stats().Store
	n := s.Dropped + s.Failed
	if t.ledger == nil || n == t.told || ctx.Err() != nil {
		return
	}
	if t.ledger.Unstored(ctx, t.name, n) == nil {
		t.told = n
	}
}
