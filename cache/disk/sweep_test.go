package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// kilobytes is a body of about so many of them.
func kilobytes(n int) string { return strings.Repeat("x", n<<10) }

func TestBytesAreBounded(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &Options{MaxBytes: 100 << 10})
	for i := range 200 {
		save(t, s, fmt.Sprint("k", i), kilobytes(1+i%7), time.Duration(1+i)*time.Hour)
		s.settle()
		if st := statsOf(t, s); st.Bytes > 100<<10 || st.Bytes != s.bytes.Load() {
			t.Fatalf("%d bytes after %d entries, %d by estimate", st.Bytes, i+1, s.bytes.Load())
		}
	}
	st := statsOf(t, s)
	if st.Evictions != uint64(200-st.Entries) || st.Bytes < 60<<10 {
		t.Errorf("%+v: want all evictions counted and the store well used", st)
	}
	want(t, "the last to end", bodyOf(s, "k199"), kilobytes(1+199%7))
	want(t, "the first to end", bodyOf(s, "k0"), "(miss)")
}

// Entries are evicted in this order: those from a clock that was years ahead, ended ones, and those
// that end soonest.
func TestEvictionOrder(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at().Add(10 * 365 * 24 * time.Hour)}
	s := open(t, dir, &Options{MaxBytes: 54 << 10, Now: c.time}) // 5 of 9 KiB are less than 90 %
	save(t, s, "ahead", kilobytes(9), time.Hour)
	s.settle()
	c.now = at()
	save(t, s, "past", kilobytes(9), time.Minute)
	save(t, s, "last", kilobytes(9), 5*time.Hour)
	save(t, s, "middle", kilobytes(9), 3*time.Hour)
	save(t, s, "soon", kilobytes(9), time.Hour)
	s.settle()
	c.now = at().Add(2 * time.Minute)
	left := func() (keys []string) {
		for _, key := range []string{"ahead", "past", "soon", "middle", "last"} {
			if _, err := os.Stat(where(dir, key)); err == nil {
				keys = append(keys, key)
			}
		}
		return keys
	}
	for i, wanted := range [][]string{
		{"past", "soon", "middle", "last"}, {"soon", "middle", "last"}, {"middle", "last"}, {"last"}, nil,
	} {
		save(t, s, fmt.Sprint("new", i), kilobytes(9), 100*time.Hour)
		s.settle()
		if diff := cmp.Diff(wanted, left()); diff != "" {
			t.Errorf("after %d more (-want +got):\n%s", i+1, diff)
		}
	}
	if n := s.evictions.Load(); n != 4 { // "past" had ended
		t.Errorf("%d evictions, want 4", n)
	}
}

// The entries of other processes are counted as well, with a delay.
func TestOthersCount(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, &Options{MaxBytes: 100 << 10})
	b := open(t, dir, &Options{MaxBytes: 100 << 10})
	for i := range 100 {
		for n, s := range []*Store{a, b} {
			save(t, s, fmt.Sprint(n, "/", i), kilobytes(2), time.Duration(1+i)*time.Hour)
			s.settle()
		}
		if st := statsOf(t, a); st.Bytes > (100+100/recountShare+4)<<10 {
			t.Fatalf("%d bytes after %d entries each", st.Bytes, i+1)
		}
	}
}

func TestOpenSweeps(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	for i := range 20 {
		save(t, s, fmt.Sprint("k", i), kilobytes(9), time.Duration(1+i)*time.Hour)
	}
	save(t, s, "past", "text", time.Minute)
	c.now = at().Add(time.Minute + afterEnd + time.Second) // k0 to k19 ended less than that ago, or not yet
	again := open(t, dir, &Options{Now: c.time})
	if st := statsOf(t, again); st.Entries != 20 || st.Bytes != again.bytes.Load() {
		t.Errorf("%+v: want 20 entries, and %d bytes", st, again.bytes.Load())
	}
	c.now = at()
	smaller := open(t, dir, &Options{MaxBytes: 100 << 10, Now: c.time})
	if st := statsOf(t, smaller); st.Bytes > 90<<10 || st.Entries < 8 || st.Evictions != uint64(20-st.Entries) {
		t.Errorf("opened with 100 KiB: %+v", st)
	}
}

func TestTooLargeIsNotKept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &Options{MaxBytes: 10 << 10})
	save(t, s, "k", "old", time.Hour)
	save(t, s, "k", kilobytes(10), time.Hour)
	want(t, "too large", bodyOf(s, "k"), "(miss)")
	if names := there(t, dir); len(names) > 0 || s.bytes.Load() != 0 {
		t.Errorf("left: %q, %d bytes", names, s.bytes.Load())
	}
	save(t, s, "k", kilobytes(9), time.Hour)
	want(t, "just small enough", bodyOf(s, "k"), kilobytes(9))
}

// A sweep that cannot remove anything fails no Save, and is not tried again
// with each.
func TestSweepThatFails(t *testing.T) {
	s := open(t, t.TempDir(), &Options{MaxBytes: 100 << 10})
	lists := 0
	s.files.fault = func(op, path string) error {
		if op == "list" && path == s.entries {
			lists++
		}
		if op == "remove" {
			return syscall.EROFS
		}
		return nil
	}
	for i := range 200 {
		save(t, s, fmt.Sprint("k", i), kilobytes(1), time.Hour)
		s.settle()
	}
	if lists == 0 || lists > 40 {
		t.Errorf("%d sweeps for 200 entries", lists)
	}
}

// Looking for leftovers, which takes as long as there are obligations, does not stop
// others from making room.
func TestRoomIsMadeBesideTidying(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{MaxBytes: 100 << 10, Now: c.time})
	s.settle()
	looking, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.files.fault = func(op, path string) error {
		if op == "list" && path == obligationsDir {
			once.Do(func() {
				close(looking)
				<-goOn
			})
		}
		return nil
	}
	c.now = at().Add(tidyEvery)
	fill := func(from int) {
		for i := range 100 {
			save(t, s, fmt.Sprint("k", from+i), kilobytes(1), 100*time.Hour)
		}
	}
	filled := make(chan struct{})
	go func() {
		defer close(filled)
		fill(0)
	}()
	<-looking
	fill(100)
	fill(200)
	if held := s.bytes.Load(); held > 150<<10 || s.evictions.Load() == 0 {
		t.Errorf("beside a look for leftovers: %d bytes, %d evictions", held, s.evictions.Load())
	}
	close(goOn)
	<-filled
	s.settle()
	last := s.tidied.Load()
	for _, step := range []struct {
		after time.Duration
		tidy  bool
	}{{tidyEvery - time.Second, false}, {tidyEvery, true}, {0, true}} {
		c.now = time.Unix(last, 0).Add(step.after)
		fill(300)
		s.settle()
		if (s.tidied.Load() == c.now.Unix()) != step.tidy {
			t.Errorf("%v after the first look: another one is not %v", step.after, step.tidy)
		}
	}
}

// Names that are not ours are neither counted nor removed.
func TestForeignFilesStay(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &Options{MaxBytes: 10 << 10})
	save(t, s, "k", "text", time.Hour)
	shard := dir + "/" + dirOf(pathOf("k"))
	foreign := []string{dir + "/file", dir + "/v1/file", dir + "/" + s.entries + "/file", shard + "/file", shard + "/" + strings.Repeat("g", 64), dir + "/v1/o/file"}
	for _, name := range foreign {
		if err := os.WriteFile(name, []byte(kilobytes(20)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.sweep()
	if st := statsOf(t, s); st.Entries != 1 || st.Bytes > 10<<10 {
		t.Errorf("foreign files count: %+v", st)
	}
	if n, err := s.Remove(t.Context(), nil); n != 1 || err != nil {
		t.Errorf("Remove: %d, %v", n, err)
	}
	for _, name := range foreign {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// listed are the keys and URLs that Entries yields, in alphabetical order.
func listed(t *testing.T, s *Store) []string {
	t.Helper()
	var all []string
	for info, err := range s.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info.Key+" "+info.URL)
	}
	slices.Sort(all)
	return all
}

// pages stores entries under URLs of their own.
func pages(t *testing.T, s *Store, names ...string) {
	t.Helper()
	for _, name := range names {
		v := entryOf(name, "text of "+name)
		v.Entries[0].URL = "https://" + name + ".example/"
		if err := s.Save(t.Context(), name, v, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEntries(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	pages(t, s, "a", "b", "k")
	c.now = at().Add(time.Minute)
	save(t, s, "ended", "text", time.Second)
	c.now = at().Add(time.Hour)
	save(t, s, "future", "text", time.Hour)
	c.now = at().Add(2 * time.Minute)
	plant(t, dir, []byte("corrupt"))
	if diff := cmp.Diff([]string{"a https://a.example/", "b https://b.example/"}, listed(t, s)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	for info := range s.Entries(t.Context()) {
		fi, err := os.Stat(where(dir, info.Key))
		if err != nil {
			t.Fatal(err)
		}
		wanted := Info{URL: "https://" + info.Key + ".example/", Key: info.Key, Bytes: fi.Size(), Saved: at(), Retain: at().Add(time.Hour)}
		if diff := cmp.Diff(wanted, info); diff != "" {
			t.Errorf("info (-want +got):\n%s", diff)
		}
		break
	}
	st := statsOf(t, s)
	if st.Entries != 3 || st.Corrupt != 1 || !st.Oldest.Equal(at()) || !st.Newest.Equal(at().Add(time.Hour)) {
		t.Errorf("stats: %+v", st)
	}
}

func TestRemove(t *testing.T) {
	c := &wallClock{at()}
	s := open(t, t.TempDir(), &Options{Now: c.time})
	pages(t, s, "a", "b", "c")
	take(t, s, "taken", at().Add(time.Hour))
	n, err := s.Remove(t.Context(), func(url string) bool { return strings.Contains(url, "//b.") })
	if n != 1 || err != nil {
		t.Errorf("Remove of b: %d, %v", n, err)
	}
	if diff := cmp.Diff([]string{"a https://a.example/", "c https://c.example/"}, listed(t, s)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	c.now = at().Add(-time.Hour) // entries of the future are entries
	if n, err := s.Remove(t.Context(), nil); n != 2 || err != nil {
		t.Errorf("Remove of all: %d, %v", n, err)
	}
	c.now = at()
	if st := statsOf(t, s); st.Entries != 0 || st.Obligations != 1 {
		t.Errorf("left: %+v", st)
	}
}

// A file that cannot be read or removed does not keep the others from being removed.
func TestRemoveGoesOn(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	pages(t, s, "a", "b", "c")
	s.files.fault = func(op, path string) error {
		if op == "open" && path == pathOf("a") || op == "remove" && path == pathOf("b") {
			return syscall.EIO
		}
		return nil
	}
	if n, err := s.Remove(t.Context(), nil); n != 1 || !errors.Is(err, syscall.EIO) {
		t.Errorf("Remove: %d, %v", n, err)
	}
	s.files.fault = nil
	if n := len(listed(t, s)); n != 2 {
		t.Errorf("%d entries are left, want 2", n)
	}
}

// The loop over Entries may use the store, cancel and close it.
func TestEntriesWhileClosing(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	pages(t, s, "a", "b", "c")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var errs []error
	for info, err := range s.Entries(ctx) {
		if errs = append(errs, err); err == nil {
			want(t, info.Key, bodyOf(s, info.Key), "text of "+info.Key)
			cancel()
		}
	}
	if len(errs) != 2 || !errors.Is(errs[1], context.Canceled) {
		t.Errorf("cancelled after the first: %v", errs)
	}
	errs = nil
	for _, err := range s.Entries(t.Context()) {
		if errs = append(errs, err); err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(errs) != 2 || !errors.Is(errs[1], cache.ErrClosed) {
		t.Errorf("closed after the first: %v", errs)
	}
	if _, err := s.Stats(); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("Stats: %v", err)
	}
	if _, err := s.Remove(t.Context(), nil); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("Remove: %v", err)
	}
}
