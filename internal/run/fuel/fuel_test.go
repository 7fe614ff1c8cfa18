package fuel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

func TestCounts(t *testing.T) {
	c := fuel.Under(t.Context())
	err := c.Do(func() {
		c.Add(3)
		c.Text(0)
		c.Text(fuel.Piece)
	})
	if err != nil || c.Steps() != 6 {
		t.Errorf("%d steps, %v", c.Steps(), err)
	}
}

// Work that never ends by itself ends with its context, 50,000 steps later at
// most.
func TestEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := fuel.Under(ctx)
	const when = 100_000
	err := c.Do(func() {
		for {
			if c.Add(7); c.Steps() >= when {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || c.Steps() > when+50_000 {
		t.Errorf("%v after %d steps", err, c.Steps())
	}
	if err := c.Do(func() { t.Error("it began") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEndsAfterItsSteps(t *testing.T) {
	for _, limit := range []int64{1, 10, fuel.Every, fuel.Every + 1, 3 * fuel.Every} {
		c := fuel.Within(limit)
		err := c.Do(func() {
			for {
				c.Add(1)
			}
		})
		if !errors.Is(err, fuel.ErrSpent) || c.Steps() != limit+1 {
			t.Errorf("limit %d: %v after %d steps", limit, err, c.Steps())
		}
	}
	c := fuel.Within(10)
	if err := c.Do(func() { c.Add(10) }); err != nil {
		t.Error(err)
	}
}

func TestInside(t *testing.T) {
	c := fuel.Within(1)
	err := c.Do(func() {
		err := c.Do(func() { c.Add(2) })
		t.Errorf("it went on, with %v", err)
	})
	if !errors.Is(err, fuel.ErrSpent) {
		t.Error(err)
	}
}

// A panic that is not of the counter, and the end of other work, pass through.
func TestOthersPass(t *testing.T) {
	outer, inner := fuel.Within(1), fuel.Within(100)
	err := outer.Do(func() {
		if err := inner.Do(func() { outer.Add(5) }); err != nil {
			t.Error("the inner work took the end of the outer one for its own")
		}
	})
	if !errors.Is(err, fuel.ErrSpent) {
		t.Error(err)
	}
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v", v)
		}
	}()
	_ = inner.Do(func() { panic("mine") })
}

func TestNilCountsNothing(t *testing.T) {
	var c *fuel.Counter
	ran := false
	if err := c.Do(func() { c.Add(1 << 30); c.Text(1 << 30); ran = true }); err != nil || !ran || c.Steps() != 0 {
		t.Errorf("%v, ran %t, %d steps", err, ran, c.Steps())
	}
}
