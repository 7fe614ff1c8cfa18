package disk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// pausesOf returns n keys of pauses of a host, in all forms of the gate.
func pausesOf(host string, n int) (keys []string) {
	forms := []string{"hold own\n\nhttps://%s/%d", "hold led\n\nhttps://%s/%d", "floor\n\nadp %s /%d", "floor led\nview\nucp %s:8443 /%d", "hold own\n\nhttps://%s/%d\nabsent"}
	for i := range n {
		keys = append(keys, fmt.Sprintf(forms[i%len(forms)], host, i))
	}
	return keys
}

// The pauses of a host are one file. Each keeps its own end, and one that is given back or forgotten
// leaves the others.
func TestThePausesOfAHostAreOneFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	keys := pausesOf("shop.example", 10)
	ends := map[string]time.Time{}
	var releases []func()
	for i, key := range keys {
		ends[key] = time.Now().Add(time.Duration(i+1) * time.Hour).Truncate(time.Microsecond)
		if i%2 == 0 {
			if err := s.Hold(t.Context(), key, ends[key]); err != nil {
				t.Fatal(err)
			}
			continue
		}
		ok, _, release := take(t, s, key, ends[key])
		if !ok {
			t.Fatalf("%q is not free", key)
		}
		releases = append(releases, release)
	}
	if files := there(t, dir); len(files) != 1 {
		t.Errorf("the files are %q", files)
	}
	other := open(t, dir, nil)
	for _, key := range keys {
		wantHeld(t, other, "of another store: "+key, key, ends[key])
	}
	releases[0]()
	if _, err := other.Forget(t.Context(), func(key string) bool { return key == keys[2] }); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		end := ends[key]
		if i == 1 || i == 2 {
			end = time.Time{}
		}
		wantHeld(t, s, key, key, end)
	}
	if st := statsOf(t, s); st.Obligations != 8 {
		t.Errorf("%d obligations, want 8", st.Obligations)
	}
}

// Hosts and leases share nothing with one another.
func TestHostsAndLeasesHaveDirectoriesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	until := time.Now().Add(time.Hour)
	keys := append(pausesOf("a.example", 5), pausesOf("b.example", 5)...)
	keys = append(keys, cache.LeasePrefix+"\nhttps://a.example", "of no gate", "hold own\n\nhttps://a.example/"+strings.Repeat("x", maxSharedKey))
	for _, key := range keys {
		take(t, s, key, until)
	}
	if files := there(t, dir); len(files) != 5 {
		t.Errorf("the files are %q", files)
	}
}

// A look at many keys returns those that have a state, with one read for each host.
func TestTakenReadsAHostOnce(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	keys := append(pausesOf("a.example", 20), pausesOf("b.example", 20)...)
	held := []string{keys[3], keys[7]}
	for _, key := range held {
		if err := s.Hold(t.Context(), key, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	reads := 0
	s.files.fault = func(op, path string) error {
		if op == "read" && strings.HasPrefix(path, obligationsDir) {
			reads++
		}
		return nil
	}
	taken, err := s.Taken(t.Context(), s, keys)
	if err != nil || !slices.Equal(taken, held) || reads != 1 {
		t.Errorf("Taken: %q, %v, with %d reads", taken, err, reads)
	}
	writeGeneration(t, s, keys[0], 9, nil, time.Now()) // another process is about to write
	if taken, err := s.Taken(t.Context(), s, keys); err != nil || !slices.Equal(taken, held) {
		t.Errorf("while a state is written, Taken returns %q: %v", taken, err)
	}
	s.files.fault = func(op, _ string) error {
		if op == "list" {
			return os.ErrPermission
		}
		return nil
	}
	if _, err := s.Taken(t.Context(), s, keys); !errors.Is(err, os.ErrPermission) {
		t.Errorf("of a directory that cannot be read: %v", err)
	}
}

// A host with more pauses than its file may have loses those that end soonest, and never the one
// that is recorded.
func TestAHostWithTooManyPausesLosesThoseThatEndSoonest(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	keys := pausesOf("busy.example", 2*maxShared)
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(keys))
	for _, i := range order {
		if err := s.Hold(t.Context(), keys[i], time.Now().Add(time.Duration(i+1)*10*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if st := statsOf(t, s); st.Obligations != maxShared {
		t.Errorf("%d obligations, want %d", st.Obligations, maxShared)
	}
	for i, key := range keys {
		_, held, _ := take(t, s, key, time.Time{})
		if last := order[len(order)-1]; i >= maxShared+1 && held.IsZero() || i == last && held.IsZero() {
			t.Errorf("the pause of %d is lost", i)
		}
	}
	if files := there(t, dir); len(files) != 1 {
		t.Errorf("the files are %q", files)
	}
}

// Several stores that change the pauses of a host at once lose none of them, and of several takers
// one succeeds.
func TestConcurrentChangesOfAHostLoseNoPause(t *testing.T) {
	dir := t.TempDir()
	keys := pausesOf("shop.example", 12)
	until := time.Now().Add(time.Hour)
	var wg sync.WaitGroup
	var mu sync.Mutex
	taken := map[string]int{}
	for range 3 {
		s := open(t, dir, nil)
		for _, key := range keys {
			wg.Go(func() {
				ok, _, _, err := s.Acquire(t.Context(), key, until)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Errorf("%q: %v", key, err)
				}
				if ok {
					taken[key]++
				}
			})
		}
	}
	wg.Wait()
	s := open(t, dir, nil)
	for _, key := range keys {
		if _, held, _ := take(t, s, key, time.Time{}); taken[key] != 1 || held.IsZero() {
			t.Errorf("%q was taken %d times, and is held until %v", key, taken[key], held)
		}
	}
}
