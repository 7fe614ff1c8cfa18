package cache_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// ordered returns the number of events of a run whose order is enumerated, for a number of actors.
// Later events happen in any order. Under the race detector, which sees the same steps in each
// order, there are fewer.
func ordered(actors int) int {
	if actors > 2 {
		return testkit.Sizes(4, 5, 7)
	}
	return testkit.Sizes(5, 8, 10)
}

// crossing stops every call of the stores and of the origin, until the driver
// releases it. choices is the order of the first ones: which of those that wait.
type crossing struct {
	mu      sync.Mutex
	waiting []stopped // in the order in which they came
	ordered int
	log     []string
	choices []int
	widths  []int       // how many waited at each choice
	open    bool        // nothing stops any more
	near    cache.Store // the near store of the process, without stops
}

type stopped struct {
	name string
	goOn chan struct{}
}

// at stops the caller.
func (c *crossing) at(name string) {
	c.mu.Lock()
	if c.open {
		c.mu.Unlock()
		return
	}
	s := stopped{name, make(chan struct{})}
	c.waiting = append(c.waiting, s)
	c.mu.Unlock()
	<-s.goOn
}

// release lets one of those that wait go on, and reports whether one did.
func (c *crossing) release() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return false
	}
	n := 0
	if step := len(c.widths); step < c.ordered {
		slices.SortStableFunc(c.waiting, func(a, b stopped) int { return strings.Compare(a.name, b.name) })
		if step == len(c.choices) {
			c.choices = append(c.choices, 0)
		}
		// Of two that do the same, package runtime decides which comes first.
		n = min(c.choices[step], len(c.waiting)-1)
		c.widths = append(c.widths, len(c.waiting))
	}
	s := c.waiting[n]
	c.waiting = slices.Delete(c.waiting, n, n+1)
	c.log = append(c.log, s.name)
	close(s.goOn)
	return true
}

// next returns the choices of the next run, nil after the last.
func (c *crossing) next() []int {
	for i := len(c.choices) - 1; i >= 0; i-- {
		if c.choices[i]+1 < c.widths[i] {
			return append(slices.Clone(c.choices[:i]), c.choices[i]+1)
		}
	}
	return nil
}

// crossed is a store that stops after it has read, and before it writes.
type crossed struct {
	cache.Store
	*crossing
	name string
}

func (s crossed) Load(ctx context.Context, key string) (*cache.Variants, error) {
	v, err := s.Store.Load(ctx, key)
	s.at(s.name + " loaded")
	return v, err
}

func (s crossed) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.at(s.name + " save")
	return s.Store.Save(ctx, key, v, retain)
}

func (s crossed) Delete(ctx context.Context, key string) error {
	s.at(s.name + " delete")
	return s.Store.Delete(ctx, key)
}

type (
	nearCrossed struct{ crossed }
	farCrossed  struct{ crossed }
)

func (nearCrossed) Local() bool { return true }

// purgeCrossed is a near store that ends the entries of all partitions.
type purgeCrossed struct{ nearCrossed }

func (s purgeCrossed) Purge(ctx context.Context, scope cache.Scope) error {
	s.at(s.name + " purge")
	return s.Store.(cache.Purger).Purge(ctx, scope)
}

// failCrossed is one whose writes fail, and maybe its deletions.
type failCrossed struct {
	nearCrossed
	deletes bool
}

func (s failCrossed) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	if s.failing() {
		s.at(s.name + " fails to save")
		return errRefused
	}
	return s.nearCrossed.Save(ctx, key, v, retain)
}

func (s failCrossed) Delete(ctx context.Context, key string) error {
	if !s.deletes && s.failing() {
		s.at(s.name + " fails to delete")
		return errRefused
	}
	return s.nearCrossed.Delete(ctx, key)
}

// failing: nothing has to be prepared any more.
func (c *crossing) failing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.open
}

// stopping is a body that stops before each of its parts.
type stopping struct {
	*crossing
	name  string
	parts []string
}

func (b *stopping) Read(p []byte) (int, error) {
	b.at(b.name)
	if len(b.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.parts[0])
	b.parts = b.parts[1:]
	return n, nil
}

func (*stopping) Close() error           { return nil }
func (farCrossed) Budget() time.Duration { return time.Hour }
