package disk

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// at is the time at which the clocks of these tests begin.
func at() time.Time { return time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC) }

func TestAnEntryIsGoneAtTheEndOfItsTime(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	save(t, s, "k", "text", time.Hour)
	c.now = at().Add(time.Hour - time.Millisecond)
	want(t, "just before its end", bodyOf(s, "k"), "text")
	c.now = at().Add(time.Hour)
	want(t, "at its end", bodyOf(s, "k"), "(miss)")
	if n := len(there(t, dir)); n != 0 || s.corrupt.Load() != 0 {
		t.Errorf("%d files are left, %d corrupt", n, s.corrupt.Load())
	}
}

// An entry of the future is a miss, but it stays: the other clock may be right.
func TestAnEntryOfTheFutureIsAMissAndStays(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	save(t, s, "k", "text", time.Hour)
	for _, tt := range []struct {
		back time.Duration
		want string
	}{
		{59 * time.Second, "text"}, {60 * time.Second, "text"}, {61 * time.Second, "(miss)"},
		{24 * time.Hour, "(miss)"}, {87600 * time.Hour, "(miss)"}, {0, "text"},
	} {
		c.now = at().Add(-tt.back)
		want(t, "set back by "+tt.back.String(), bodyOf(s, "k"), tt.want)
	}
	c.now = at().Add(-24 * time.Hour)
	save(t, s, "k", "new", time.Hour)
	want(t, "saved by the clock that was set back", bodyOf(s, "k"), "new")
}

func TestAnEntryIsKeptForAYearAtMost(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{Now: c.time})
	save(t, s, "k", "text", 1<<63-1)
	c.now = at().Add(maxRetain - time.Second)
	want(t, "after a year", bodyOf(s, "k"), "text")
	c.now = at().Add(maxRetain)
	want(t, "after a year and a day", bodyOf(s, "k"), "(miss)")
}

// wantHeld looks without taking.
func wantHeld(t *testing.T, s *Store, what, key string, until time.Time) {
	t.Helper()
	_, held, _ := take(t, s, key, time.Time{})
	if diff := cmp.Diff(until, held); diff != "" {
		t.Errorf("%s: held until (-want +got):\n%s", what, diff)
	}
}

// If the clock is set back, no obligation is released early and none is held for ever: it lasts
// once more for its own length.
func TestAClockSetBackFreesNoObligationEarlyAndHoldsNoneForEver(t *testing.T) {
	for _, back := range []time.Duration{time.Second, time.Minute, 2 * time.Minute, 24 * time.Hour, 87600 * time.Hour} {
		for _, kind := range []string{"taken", "cooled"} {
			c := &wallClock{at()}
			s := open(t, t.TempDir(), &Options{Now: c.time})
			if kind == "taken" {
				take(t, s, "k", at().Add(time.Hour))
			} else if err := s.Hold(t.Context(), "k", at().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			c.now = at().Add(-back)
			end := c.now.Add(time.Hour)
			if back <= time.Minute { // not worth a new beginning
				end = at().Add(time.Hour)
			}
			what := kind + ", set back by " + back.String()
			for range 3 {
				wantHeld(t, s, what, "k", end)
				c.now = c.now.Add(time.Minute)
			}
			if ok, _, _ := take(t, s, "k", c.now.Add(time.Minute)); ok {
				t.Errorf("%s: free early", what)
			}
			c.now = end.Add(-time.Second)
			wantHeld(t, s, what+", before its end", "k", end)
			c.now = end
			wantHeld(t, s, what+", at its end", "k", time.Time{})
		}
	}
}

// A clock that is set forward ends what would have ended by then, no more.
func TestAClockSetForwardEndsWhatWouldHaveEnded(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	take(t, s, "k", at().Add(time.Hour))
	c.now = at().Add(24 * time.Hour)
	wantHeld(t, s, "a day later", "k", time.Time{})
	s.sweep()
	c.now = at()
	wantHeld(t, s, "set back again", "k", at().Add(time.Hour))
}

func TestObligationsAreCapped(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{Now: c.time})
	take(t, s, "taken", at().Add(1000*time.Hour))
	if err := s.Hold(t.Context(), "cooled", at().Add(1000*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"taken", "cooled"} {
		wantHeld(t, s, "1000 hours", key, at().Add(cache.MaxHold+time.Minute))
	}
	st := state{key: "written", taken: span{at(), at().Add(cache.MaxHold + time.Minute + time.Second)}}
	writeGeneration(t, s, "written", 1, encode([]state{st}), at().Add(-time.Hour))
	wantHeld(t, s, "a state of more than 24 hours", "written", time.Time{})
}

// writeGeneration plants a generation of an obligation.
func writeGeneration(t *testing.T, s *Store, key string, n uint64, data []byte, modified time.Time) string {
	t.Helper()
	path := s.files.root.Name() + "/" + generationPath(directoryOf(key), n)
	if err := os.MkdirAll(path[:len(path)-2], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
	return path
}
