package disk

import (
	"os"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

const leaseKey = cache.LeasePrefix + "https://shop.example"

// A planted lease, complete or not, holds for a quarter of a second at most. Other obligations last
// as long as they were written.
func TestAPlantedLeaseHoldsAQuarterOfASecondAtMost(t *testing.T) {
	whole := func(key string) []byte {
		st := state{key: key, token: token{1}, taken: span{at(), at().Add(time.Hour)}}
		return encode([]state{st})
	}
	for name, tt := range map[string]struct {
		key      string
		data     []byte
		modified time.Duration
		held     time.Duration
	}{
		"whole":                {leaseKey, whole(leaseKey), 0, 0},
		"empty":                {leaseKey, nil, 0, leaseGrace},
		"empty, a little old":  {leaseKey, nil, -leaseGrace, 0},
		"empty, of the future": {leaseKey, nil, 30 * time.Second, 0},
		"another obligation":   {"floor", whole("floor"), 0, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			c := &wallClock{at()}
			s := open(t, t.TempDir(), &Options{Now: c.time})
			writeGeneration(t, s, tt.key, 1, tt.data, at().Add(tt.modified))
			end := time.Time{}
			if tt.held > 0 {
				end = at().Add(tt.held)
			}
			if _, held, release := take(t, s, tt.key, at().Add(time.Second)); !held.Equal(end) {
				t.Errorf("at once: held until %v, want %v", held, end)
			} else if held.IsZero() {
				release()
			}
			if tt.held <= leaseGrace {
				c.now = at().Add(leaseGrace)
				if ok, _, release := take(t, s, tt.key, at().Add(time.Minute)); !ok {
					t.Error("still held after the grace")
				} else {
					release()
				}
			}
		})
	}
}

// A lease of a living process holds, whichever Store looks; when the process
// ends, or gives it back, it holds no more, and no lock stays.
func TestALeaseHoldsAsLongAsItsProcessLives(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, nil), open(t, dir, nil)
	until := time.Now().Add(time.Minute)
	ok, _, release := take(t, a, leaseKey, until)
	if !ok {
		t.Fatal("not taken")
	}
	for name, s := range map[string]*Store{"its own": a, "another": b} {
		if ok, held, _ := take(t, s, leaseKey, until); ok || held.IsZero() {
			t.Errorf("%s store took it too", name)
		}
	}
	release()
	if ok, _, again := take(t, b, leaseKey, until); !ok {
		t.Error("not given back")
	} else if len(a.locks.of) != 0 || len(b.locks.of) != 1 {
		t.Errorf("%d and %d locks", len(a.locks.of), len(b.locks.of))
	} else {
		_ = again // b ends with it
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if ok, held, _ := take(t, a, leaseKey, until); !ok {
		t.Errorf("of a store that was closed: held until %v", held)
	}
}

// A path that is no regular file is no lease, and does not block.
func TestADirectoryIsNoLeaseAndDoesNotBlock(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	path := s.files.root.Name() + "/" + generationPath(directoryOf(leaseKey), 1)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for time.Since(began) < time.Second {
		if ok, _, _ := take(t, s, leaseKey, time.Now().Add(time.Minute)); ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("still held after a second")
}
