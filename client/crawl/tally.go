package crawl

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client"
)

// tally reports the number of answers that a worker could not store to a queue.
type tally struct {
	of     *client.Client
	ledger Ledger // nil if the queue is not a Ledger
	name   string // the name of the worker

	mu   sync.Mutex
	told uint64
}

func newTally(c *client.Client, q Queue) *tally {
	ledger, _ := q.(Ledger)
	return &tally{of: c, ledger: ledger, name: rand.Text()}
}

// tellEvery is the interval of the reports while a worker works.
const tellEvery = 10 * time.Second

// keep reports to the queue at intervals, until ctx ends.
func (t *tally) keep(ctx context.Context) {
	for t.ledger != nil && ctx.Err() == nil {
		wait(ctx, tellEvery)
		t.tell(ctx)
	}
}

// tell reports the number to the queue if it is new. If this fails, the number is included in
// the next report.
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
