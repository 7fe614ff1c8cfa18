package clock

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// counted returns a clock that counts how often it is read. Its wall time is ahead of the time
// of the bubble by ahead.
func counted() (clk *Clock, looks, ahead *atomic.Int64) {
	looks, ahead = new(atomic.Int64), new(atomic.Int64)
	wall := func() time.Time {
		looks.Add(1)
		return time.Now().Add(time.Duration(ahead.Load()))
	}
	return New(wall, nil), looks, ahead
}

// coarse returns a Coarse that keeps its last reading, as with the system's clock.
func coarse(t *testing.T, clk *Clock) *Coarse {
	k := NewCoarse(clk)
	k.tick = tick
	t.Cleanup(k.Stop)
	return k
}

// in returns a time after d by both clocks.
func in(clk *Clock, d time.Duration) (wall int64, mono time.Duration) {
	now, mono := clk.Read()
	return now.Add(d).UnixNano(), mono + d
}

// Monotonic time does not advance while a laptop sleeps. At most a tick after the resume,
// everything that has expired meanwhile is expired.
func TestASuspendIsSeenInATick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk, looks, ahead := counted()
		k := coarse(t, clk)
		wall, mono := in(clk, time.Hour)
		for range 3 {
			if !k.Ahead(wall, mono) {
				t.Fatal("it has ended at once")
			}
		}
		looks.Store(0)
		for range 100 {
			k.Ahead(wall, mono)
		}
		if looks.Load() != 0 {
			t.Errorf("%d looks within a tick", looks.Load())
		}
		ahead.Store(int64(12 * time.Hour)) // over night
		time.Sleep(tick)
		synctest.Wait()
		if k.Ahead(wall, mono) {
			t.Error("what ended over night has not ended a tick after the resume")
		}
		ahead.Store(-int64(12 * time.Hour)) // the clock is set back
		time.Sleep(time.Hour - tick)
		synctest.Wait()
		if k.Ahead(wall, mono) {
			t.Error("setting the clock back makes it younger")
		}
	})
}

// Coarse is exact to the nanosecond after any last reading, for either clock.
func TestCoarseEndsExactly(t *testing.T) {
	for name, later := range map[string]struct{ wall, mono time.Duration }{
		"both": {}, "monotonic time": {wall: time.Hour}, "wall time": {mono: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := coarse(t, nil)
			wall, mono := in(nil, time.Minute)
			wall, mono = wall+int64(later.wall), mono+later.mono
			want := true
			for _, wait := range []time.Duration{time.Minute - 1, 1} {
				time.Sleep(wait - min(wait-1, tick/2))
				k.Ahead(wall, mono)
				k.Ahead(wall, mono)
				time.Sleep(min(wait-1, tick/2)) // the last reading is kept
				for range 3 {
					if k.Ahead(wall, mono) != want {
						t.Errorf("%s: ahead: %v, want %v", name, !want, want)
					}
				}
				want = false
			}
		})
	}
}

// No timer runs for rare questions.
func TestCoarseRestsBetweenRareQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk, looks, _ := counted()
		k := coarse(t, clk)
		wall, mono := in(clk, time.Hour)
		looks.Store(0)
		for range 10 {
			time.Sleep(tick)
			k.Ahead(wall, mono)
		}
		if k.recent.Load() || looks.Load() != 10 {
			t.Errorf("%d looks for 10 rare questions, the last is kept: %v", looks.Load(), k.recent.Load())
		}
	})
}

// The clocks of a caller are read each time, and nothing is kept after Stop.
func TestCoarseReadsOtherClocksEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk, looks, _ := counted()
		own, stopped := NewCoarse(clk), coarse(t, clk)
		defer own.Stop()
		stopped.Stop()
		for name, k := range map[string]*Coarse{"another clock": own, "stopped": stopped} {
			wall, mono := in(clk, time.Hour)
			looks.Store(0)
			for range 10 {
				k.Ahead(wall, mono)
			}
			if looks.Load() != 10 {
				t.Errorf("%s: %d looks for 10 questions", name, looks.Load())
			}
		}
	})
}

func BenchmarkCoarseAhead(b *testing.B) {
	k := NewCoarse(nil)
	defer k.Stop()
	wall, mono := in(nil, time.Hour)
	for b.Loop() {
		if !k.Ahead(wall, mono) {
			b.Fatal("an hour has passed")
		}
	}
}
