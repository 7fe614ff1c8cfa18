package clock

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a clock that counts how often it is looked at; its wall time is
// ahead of that of the bubble by what ahead holds.
func counted() (clk *Clock, looks, ahead *atomic.Int64) {
	looks, ahead = new(atomic.Int64), new(atomic.Int64)
	wall := func() time.Time {
		looks.Add(1)
		return time.Now().Add(time.Duration(ahead.Load()))
	}
	return New(wall, nil), looks, ahead
}

// coarse is a Coarse over a clock that keeps what it has seen, as it does with
// the system's.
func coarse(t *testing.T, clk *Clock) *Coarse {
	k := NewCoarse(clk)
	k.tick = tick
	t.Cleanup(k.Stop)
	return k
}

// in is the end of something by both clocks, as they are now.
func in(clk *Clock, d time.Duration) (wall int64, mono time.Duration) {
	now, mono := clk.Read()
	return now.Add(d).UnixNano(), mono + d
}

// Monotonic time stands still while a laptop sleeps: a tick of it after the
// resume at the latest, what ended meanwhile has ended.
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

// However recent the last look: to the nanosecond, by whichever clock ends it.
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
				time.Sleep(min(wait-1, tick/2)) // the last look is kept
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

// Nothing runs for who asks now and then.
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

// Whoever brings clocks of his own has them read each time, and after Stop
// nothing is kept.
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
