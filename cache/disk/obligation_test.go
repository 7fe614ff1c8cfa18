package disk

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Nothing is taken during the grace of a generation without content, because its writer may be
// about to write it. After the grace its writer was killed. A look never waits for it.
func TestUnfinishedGeneration(t *testing.T) {
	for _, tt := range []struct {
		what     string
		modified time.Duration // seen from now
		held     time.Duration // from now; 0: free
	}{
		{"just now", 0, grace},
		{"9 s ago", -9 * time.Second, time.Second},
		{"10 s ago", -grace, 0},
		{"long ago", -time.Hour, 0},
		{"a little ahead", 30 * time.Second, grace},
		{"far ahead", time.Hour, 0},
	} {
		c := &wallClock{at()}
		s := open(t, t.TempDir(), &Options{Now: c.time})
		writeGeneration(t, s, "k", 1, nil, at().Add(tt.modified))
		wanted := time.Time{}
		if tt.held > 0 {
			wanted = at().Add(tt.held)
		}
		wantHeld(t, s, "a look, "+tt.what, "k", time.Time{})
		if ok, held, _ := take(t, s, "k", at().Add(time.Hour)); ok != (tt.held == 0) || !held.Equal(wanted) {
			t.Errorf("%s: taken: %t, held until %v, want %v", tt.what, ok, held, wanted)
		}
		c.now = at().Add(2 * time.Minute)
		if tt.held > 0 {
			if ok, _, _ := take(t, s, "k", c.now.Add(time.Hour)); !ok {
				t.Errorf("%s: still held after two minutes", tt.what)
			}
		}
	}
}

// An obligation that was held when a writer was killed is still held.
func TestUnfinishedGenerationFreesNothing(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{Now: c.time})
	if err := s.Hold(t.Context(), "k", at().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	writeGeneration(t, s, "k", 2, nil, at().Add(-time.Hour))
	wantHeld(t, s, "after the grace", "k", at().Add(time.Hour))
	if err := s.Hold(t.Context(), "k", at().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, s, "held on", "k", at().Add(2*time.Hour))
	want(t, "files", fmt.Sprint(there(t, s.files.root.Name())), "["+generationPath(hashOf("k"), 3)+"]")
}

// A change of any bit or byte of a state is found.
func TestDamagedState(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{Now: c.time})
	st := state{key: "k", cooled: span{at(), at().Add(time.Hour)}}
	data := encode([]state{st})
	writeGeneration(t, s, "k", 1, data, at().Add(-time.Hour))
	wantHeld(t, s, "whole", "k", at().Add(time.Hour))
	for n := range data {
		if _, reason := decode(data[:n]); reason == "" {
			t.Errorf("cut to %d bytes: accepted", n)
		}
	}
	for i := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[i/8] ^= 1 << (i % 8)
		if _, reason := decode(flipped); reason == "" {
			t.Errorf("bit %d flipped: accepted", i)
		}
	}
	other := state{key: "other", cooled: st.cooled}
	for what, data := range map[string][]byte{
		"of another key": encode([]state{other}), "too long": make([]byte, maxState+1), "cut": data[:len(data)-1],
	} {
		writeGeneration(t, s, "k", 1, data, at().Add(-time.Hour))
		wantHeld(t, s, what, "k", time.Time{})
	}
}

// The highest number is used, by value and not by name. Foreign names are ignored.
func TestHighestGenerationCounts(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{Now: c.time})
	for n, hours := range map[uint64]time.Duration{2: 2, 9: 9, 10: 10} {
		st := state{key: "k", cooled: span{at(), at().Add(hours * time.Hour)}}
		writeGeneration(t, s, "k", n, encode([]state{st}), at())
	}
	path := writeGeneration(t, s, "k", 1, nil, at())
	for _, foreign := range []string{"", "0", "x", "-", "+2", ".5"} {
		if err := writeFile(path + foreign + "x"); err != nil {
			t.Fatal(err)
		}
	}
	wantHeld(t, s, "of 2, 9 and 10", "k", at().Add(10*time.Hour))
}

// A writer that finds an unknown generation withdraws: its name was free only because others had
// passed it.
func TestLateWriterWithdraws(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	until := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	_, _, first := take(t, s, "k", until)
	first() // generation 2
	taken := false
	s.files.fault = func(op, _ string) error {
		if op == "create" && !taken { // between the look and the writing of 3
			taken = true
			_, _, release := take(t, other, "k", until) // 3
			release()                                   // 4
			take(t, other, "k", until)                  // 5
		}
		return nil
	}
	ok, held, _ := take(t, s, "k", until.Add(time.Hour))
	if ok || !held.Equal(until) {
		t.Errorf("taken twice: %t, held until %v, want %v", ok, held, until)
	}
	want(t, "files", fmt.Sprint(there(t, dir)), "["+generationPath(hashOf("k"), 5)+"]")
}

// A Hold that builds on a taking before the taker has seen that it won does not
// cost it the victory.
func TestTakerOvertakenByHold(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	until := time.Now().Add(time.Hour)
	held := false
	s.files.fault = func(op, path string) error {
		if op == "list" && !held && len(there(t, dir)) == 1 { // the second look, after writing
			held = true
			return other.Hold(t.Context(), "k", until.Add(time.Minute))
		}
		return nil
	}
	ok, _, release := take(t, s, "k", until)
	if !ok || !held {
		t.Fatalf("Acquire: %t; Hold came between: %t", ok, held)
	}
	release()
	if ok, end, _ := take(t, s, "k", until); ok || end.Sub(until.Add(time.Minute)).Abs() > time.Second {
		t.Errorf("after the release: %t, held until %v", ok, end)
	}
}

// A look leaves no trace, also of a key that was never held.
func TestLookWritesNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	take(t, s, "k", time.Now())
	take(t, s, "k", time.Time{})
	if diff := cmp.Diff([]string(nil), there(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestPastObligationsAreSwept(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	take(t, s, "taken", at().Add(time.Hour))
	if err := s.Hold(t.Context(), "cooled", at().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	writeGeneration(t, s, "unread", 1, nil, at())
	for _, tt := range []struct {
		after time.Duration
		left  int
	}{{0, 3}, {48 * time.Hour, 3}, {48*time.Hour + time.Second, 2}, {49*time.Hour + time.Second, 1}, {50*time.Hour + time.Second, 0}} {
		c.now = at().Add(tt.after)
		s.sweep()
		if left := len(there(t, dir)); left != tt.left {
			t.Errorf("after %v there are %d obligations, want %d", tt.after, left, tt.left)
		}
	}
	if n := len(s.obligations()); n != 0 {
		t.Errorf("%d empty directories are left", n)
	}
	if ok, _, _ := take(t, s, "taken", c.now.Add(time.Hour)); !ok {
		t.Error("what was swept cannot be taken")
	}
}

// A generation that was empty at the look, and is whole by the time that
// another follows it, is not lost: its writer believes that it has won.
func TestLateContentIsNotLost(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	now := time.Now()
	st := state{key: "k", token: token{1}, taken: span{now, now.Add(time.Hour)}}
	writeGeneration(t, s, "k", 1, nil, now)
	done := false
	s.files.fault = func(op, _ string) error {
		if op == "create" && !done {
			done = true
			writeGeneration(t, other, "k", 1, encode([]state{st}), now)
		}
		return nil
	}
	if err := s.Hold(t.Context(), "k", now.Add(time.Minute)); err != nil || !done {
		t.Fatal(err, done)
	}
	if ok, held, _ := take(t, other, "k", now.Add(time.Minute)); ok || held.Sub(now.Add(time.Hour)).Abs() > time.Second {
		t.Errorf("taken twice: %t, held until %v", ok, held)
	}
}
