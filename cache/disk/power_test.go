package disk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

// journal notes the operations that change something, in their order.
func journal(s *Store) *[]string {
	var ops []string
	s.files.fault = func(op, path string) error {
		switch op {
		case "lstat", "open", "read", "list", "close":
		default:
			ops = append(ops, op+" "+path)
		}
		return nil
	}
	return &ops
}

// TestNothingGetsItsNameBeforeItIsSynced: after a loss of power there is the old entry, the new one
// or none. A file is synced before it gets its name, and the name is synced before Save returns.
// The list of parts gets its name after all parts.
func TestNothingGetsItsNameBeforeItIsSynced(t *testing.T) {
	for name, v := range map[string]*cache.Variants{"one": entryOf("k", "text"), "eight": eight("k")} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), nil)
			save(t, s, "k", "old", time.Hour)
			ops := journal(s)
			saveVariants(t, s, "k", v)
			s.files.fault = nil
			named := map[string]int{} // by its name: the last rename, the first may find no directory
			for i, op := range *ops {
				if to, is := strings.CutPrefix(op, "rename "); is {
					named[to] = i
				}
			}
			for to, i := range named {
				file := i - 1
				for file > 0 && !strings.HasPrefix((*ops)[file], "sync "+temporaryDir) {
					file--
				}
				late := func(op string) bool { return strings.HasPrefix(op, "write ") || strings.HasPrefix(op, "chtimes ") }
				if file == 0 || slices.ContainsFunc((*ops)[file:i], late) || !slices.Contains((*ops)[i:], "syncdir "+dirOf(to)) {
					t.Errorf("%s was not synced before it got its name, or its name was not: %q", to, *ops)
				}
			}
			if files := map[string]int{"one": 1, "eight": 1 + cache.MaxVariants}[name]; len(named) != files {
				t.Errorf("%d files have got their names, want %d", len(named), files)
			}
			for to, i := range named {
				if i > named[pathOf("k")] {
					t.Errorf("%s got its name after the entry", to)
				}
			}
		})
	}
}

// A deleted entry does not come back after a loss of power: the removal of its name is synced
// before the call returns. Deleting a missing entry costs no sync.
func TestADeletionIsSynced(t *testing.T) {
	for name, end := range map[string]func(s *Store) error{
		"Delete": func(s *Store) error { return s.Delete(context.Background(), "k") },
		"Save for no time": func(s *Store) error {
			return s.Save(context.Background(), "k", entryOf("k", "new"), 0)
		},
		"Remove": func(s *Store) error { _, err := s.Remove(context.Background(), nil); return err },
		"Purge":  func(s *Store) error { return s.Purge(context.Background(), cache.ScopesOf("k")[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), nil)
			save(t, s, "k", "text", time.Hour)
			ops := journal(s)
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			gone, synced := slices.Index(*ops, "remove "+pathOf("k")), slices.Index(*ops, "syncdir "+dirOf(pathOf("k")))
			if gone < 0 || synced < gone {
				t.Errorf("operations: %q", *ops)
			}
			*ops = nil
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(*ops, "syncdir "+dirOf(pathOf("k"))) && name != "Purge" {
				t.Errorf("when there is nothing: %q", *ops)
			}
		})
	}
}

// A directory that cannot be written to is read all the same. What cannot be saved,
// deleted, purged or taken is an error.
func TestReadOnlyDirectory(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	save(t, s, "k", "text", time.Hour)
	saveVariants(t, s, "large", eight("large"))
	s.files.fault = func(op, _ string) error {
		switch op {
		case "create", "mkdir", "rename", "remove", "chtimes", "write":
			return syscall.EROFS
		}
		return nil
	}
	want(t, "Load", bodyOf(s, "k"), "text")
	if n := len(bodies(t, s, "large")); n != cache.MaxVariants {
		t.Errorf("%d variants", n)
	}
	_, _, _, acquired := s.Acquire(t.Context(), "k", time.Now().Add(time.Hour))
	for name, err := range map[string]error{
		"Save": s.Save(t.Context(), "k", entryOf("k", "new"), time.Hour), "Delete": s.Delete(t.Context(), "k"),
		"Save of parts": s.Save(t.Context(), "large", renewed(eight("large"), 1), time.Hour), "Acquire": acquired,
		"Hold": s.Hold(t.Context(), "k", time.Now().Add(time.Hour)), "Purge": s.Purge(t.Context(), cache.ScopesOf("k")[0]),
	} {
		if failure, ok := errors.AsType[*Error](err); !ok || !errors.Is(failure, syscall.EROFS) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ok, _, _, err := s.Acquire(t.Context(), "k", time.Time{}); !ok || err != nil {
		t.Errorf("a look: %t, %v", ok, err)
	}
	s.sweep()
	want(t, "after a sweep", bodyOf(s, "k"), "text")
}

// Entries that this store has saved age by a monotonic clock. Entries of another store have only
// the time of the wall clock.
func TestAClockThatGoesBackMakesNoEntryYounger(t *testing.T) {
	dir := t.TempDir()
	wall := time.Now()
	elapsed := time.Duration(0)
	set := time.Duration(0)
	clock := func() time.Time { return wall.Add(elapsed + set).Round(0) }
	s, other := open(t, dir, nil), open(t, dir, nil)
	s.clock, other.clock = twoClocks(clock, &elapsed), twoClocks(clock, &elapsed)
	e := cachetest.Entry("k", "text")
	e.RequestTime, e.ResponseTime = clock(), clock()
	saveVariants(t, s, "k", &cache.Variants{Entries: []*cache.Entry{cache.Restore(*e)}})
	for _, step := range []struct{ elapsed, set, age, theirs time.Duration }{
		{10 * time.Second, 0, 10 * time.Second, 10 * time.Second},
		{10 * time.Second, -8 * time.Second, 10 * time.Second, 2 * time.Second},
		{20 * time.Second, -28 * time.Second, 20 * time.Second, -8 * time.Second},
		{20 * time.Second, time.Hour - 30*time.Second, time.Hour - 10*time.Second, time.Hour - 10*time.Second},
		{time.Minute, 0, time.Minute, time.Minute},
	} {
		elapsed, set = step.elapsed, step.set
		for who, age := range map[*Store]time.Duration{s: step.age, other: step.theirs} {
			v, err := who.Load(t.Context(), "k")
			if err != nil || len(v.Entries) != 1 {
				t.Fatal(v, err)
			}
			if got := clock().Sub(v.Entries[0].ResponseTime); (got - age).Abs() > time.Millisecond {
				t.Errorf("after %v, set by %v, its own %t: %v old, want %v", step.elapsed, step.set, who == s, got, age)
			}
		}
	}
}
