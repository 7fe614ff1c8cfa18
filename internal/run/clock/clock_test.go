package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/clock"
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
		if now := c.Now(); now != now.Round(0) {
			t.Errorf("Now carries a monotonic reading: %v", now)
		}
	})
}

func TestOf(t *testing.T) {
	if clock.Of(nil) != nil {
		t.Error("no function is not the system's clock")
	}
	synctest.Test(t, func(t *testing.T) {
		fixed := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
		for _, row := range []struct {
			now        func() time.Time
			wall, mono time.Duration // the times that pass in an hour
		}{
			{time.Now, time.Hour, time.Hour},
			{func() time.Time { return fixed }, 0, time.Hour},
			{func() time.Time { return time.Now().Round(0).Add(time.Minute) }, time.Hour, time.Hour},
		} {
			c := clock.Of(row.now)
			wall, mono := c.Read()
			time.Sleep(time.Hour)
			if now, later := c.Read(); now.Sub(wall) != row.wall || later-mono != row.mono {
				t.Errorf("%v and %v have passed, want %v and %v", now.Sub(wall), later-mono, row.wall, row.mono)
			}
		}
	})
}

// The monotonic reading of a time is used. Bubbles have none.
func TestOfReading(t *testing.T) {
	once := time.Now()
	c := clock.Of(func() time.Time { return once })
	wall, mono := c.Read()
	time.Sleep(time.Millisecond)
	if now, later := c.Read(); !now.Equal(wall) || later != mono {
		t.Errorf("%v and %v have passed", now.Sub(wall), later-mono)
	}
	once = once.Add(time.Hour)
	if later := c.Mono(); later-mono != time.Hour {
		t.Errorf("%v of monotonic time have passed, want an hour", later-mono)
	}
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
	half := clock.New(nil, nil)
	if half.Now().IsZero() {
		t.Error("New(nil, nil) has no time")
	}
}
