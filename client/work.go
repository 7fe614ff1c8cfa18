package client

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/work"
)

// counted does work on what was read. It ends when ctx does: the error says so,
// and then nothing that f was making may be used.
func (c *Client) counted(ctx context.Context, f func(*work.Counter)) error {
	w := work.Under(ctx)
	err := w.Do(func() { f(w) })
	c.counters.steps.Add(uint64(w.Steps()))
	return err
}

// partialSteps is how much work is done for a caller whose time is up: as much
// as passes before work that goes on sees that its caller has left.
const partialSteps = 50_000
