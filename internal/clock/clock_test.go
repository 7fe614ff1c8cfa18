package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

func TestSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *clock.Clock
		wall, mono := c.Read()
		time.Sleep(3 * time.Second)
		if got := c.Now().Sub(wall); got != 3*time.Second {
			t.Errorf("wall time advanced by %v, want 3s", got)
		}
		if got := c.Mono() - mono; got != 3*time.Second {
			t.Errorf("monotonic time advanced by %v, want 3s", got)
		}
		if c.IsFixed() {
			t.Error("the system's clock says that it is fixed")
		}
		if now := c.Now(); now != now.Round(0) {
			t.Errorf("Now carries a monotonic reading: %v", now)
		}
	})
}

func TestFixed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
		c := clock.Fixed(want)
		time.Sleep(time.Hour)
		wall, mono := c.Read()
		if !wall.Equal(want) || mono != c.Mono() || !c.IsFixed() {
			t.Errorf("Read() = %v, %v; IsFixed() = %v", wall, mono, c.IsFixed())
		}
	})
}

func TestNew(t *testing.T) {
	wall, mono := time.Unix(100, 0), 5*time.Second
	c := clock.New(func() time.Time { return wall }, func() time.Duration { return mono })
	wall = wall.Add(-time.Hour)
	mono += time.Minute
	if got := c.Now(); !got.Equal(time.Unix(100, 0).Add(-time.Hour)) {
		t.Errorf("Now() = %v", got)
	}
	if got := c.Mono(); got != 65*time.Second {
		t.Errorf("Mono() = %v", got)
	}
	if c.IsFixed() {
		t.Error("IsFixed() = true for a clock made by New")
	}
	half := clock.New(nil, nil)
	if half.Now().IsZero() {
		t.Error("New(nil, nil) has no time")
	}
}
