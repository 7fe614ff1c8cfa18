package disk

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// openAs opens the store of a version with another schema.
func openAs(t *testing.T, dir string, schema int, opts *Options) *Store {
	t.Helper()
	s, err := openSchema(dir, schema, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.settle()
	return s
}

// otherSchemas returns the numbers of an older and of a newer version.
func otherSchemas() []int { return []int{cache.Schema - 1, cache.Schema + 1} }

// The entry of an older or a newer version is a miss: it is no error, is not
// counted as damaged, and stays. So is one of the version that had no number in
// the name of its directory.
func TestOtherSchemaIsAMiss(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	data := saved(t, s, dir, "text")
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	of := map[string][]byte{}
	for entries, schema := range map[string]byte{entriesDir: 1, entriesOf(cache.Schema - 1): cache.Schema - 1, entriesOf(cache.Schema + 1): cache.Schema + 1} {
		other := bytes.Clone(data)
		other[headSize+len("k")+len("wfv")] = schema
		name := filepath.Join(dir, filepath.FromSlash((&Store{entries: entries}).pathOf("k")))
		if err := os.MkdirAll(filepath.Dir(name), dirMode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, resum(other), fileMode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		of[name] = other
	}
	want(t, "before", bodyOf(s, "k"), "(miss)")
	save(t, s, "k", "ours", time.Hour)
	want(t, "saved", bodyOf(s, "k"), "ours")
	s.sweep()
	if n, err := s.Remove(t.Context(), nil); n != 1 || err != nil {
		t.Errorf("Remove: %d, %v", n, err)
	}
	want(t, "removed", bodyOf(s, "k"), "(miss)")
	if st := statsOf(t, s); st.Entries != 0 || st.Bytes != 0 || st.Corrupt != 0 {
		t.Errorf("what is theirs counts: %+v", st)
	}
	for name, was := range of {
		if is, err := os.ReadFile(name); err != nil || !bytes.Equal(is, was) {
			t.Errorf("%s was touched: %v", name, err)
		}
	}
}

// Versions that share a directory see each other's obligations, and nothing else: each saves,
// deletes, sweeps and evicts only its own entries.
func TestSchemasSideBySide(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &Options{MaxBytes: 20 << 10})
	for _, schema := range otherSchemas() {
		other := openAs(t, dir, schema, nil)
		save(t, other, "k", "theirs", time.Hour)
		save(t, s, "k", "ours", time.Hour)
		want(t, "ours", bodyOf(s, "k"), "ours")
		want(t, "theirs", bodyOf(other, "k"), "theirs")
		if err := s.Delete(t.Context(), "k"); err != nil {
			t.Error(err)
		}
		want(t, "theirs, after a deletion of ours", bodyOf(other, "k"), "theirs")
		save(t, s, "k", "ours", time.Hour)
		if n, err := other.Remove(t.Context(), nil); n != 1 || err != nil {
			t.Errorf("Remove: %d, %v", n, err)
		}
		want(t, "ours, after theirs were removed", bodyOf(s, "k"), "ours")
		save(t, other, "k", "theirs", time.Minute)
		for i := range 40 {
			save(t, s, fmt.Sprint("large", i), kilobytes(1), time.Hour)
		}
		s.settle()
		s.sweep()
		if st := statsOf(t, s); st.Evictions == 0 || st.Entries < 10 || st.Bytes > 20<<10 {
			t.Errorf("no room was made: %+v", st)
		}
		want(t, "theirs, after an eviction", bodyOf(other, "k"), "theirs")
		if diff := cmp.Diff([]string{"k https://example.com/card.json?q=1"}, listed(t, other)); diff != "" {
			t.Errorf("theirs (-want +got):\n%s", diff)
		}
		if st := statsOf(t, other); st.Entries != 1 || st.Evictions+st.Corrupt != 0 {
			t.Errorf("theirs: %+v", st)
		}
		until := time.Now().Add(time.Hour)
		if err := s.Hold(t.Context(), fmt.Sprint("h", schema), until); err != nil {
			t.Error(err)
		}
		if ok, _, _ := take(t, other, fmt.Sprint("h", schema), until); ok {
			t.Error("an obligation that one version keeps, another does not know")
		}
	}
}

// Unusable entries are reported once: when a version opens the directory of another one for the
// first time. If there are none, nothing is reported.
func TestEntriesOfAnotherVersionAreSaidOnce(t *testing.T) {
	var log bytes.Buffer
	opts := &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	empty, dir := t.TempDir(), t.TempDir()
	openAs(t, empty, cache.Schema-1, opts)
	open(t, empty, opts)
	save(t, openAs(t, dir, cache.Schema-1, opts), "k", "theirs", time.Hour)
	if log.Len() > 0 {
		t.Errorf("without entries of others: %s", log.String())
	}
	for range 3 {
		open(t, dir, opts)
	}
	if n := strings.Count(log.String(), "another version"); n != 1 || !strings.Contains(log.String(), dir) {
		t.Errorf("said %d times: %s", n, log.String())
	}
}

// A purge by one version does not affect the entries of another one, and both go on.
func TestAPurgeLeavesOtherVersionsAtWork(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	for _, schema := range otherSchemas() {
		other := openAs(t, dir, schema, nil)
		save(t, other, "k", "theirs", time.Hour)
		save(t, s, "k", "ours", time.Hour)
		if err := s.Purge(t.Context(), cache.Everything()); err != nil {
			t.Fatal(err)
		}
		want(t, "ours", bodyOf(s, "k"), "(miss)")
		for _, one := range []*Store{s, other} {
			save(t, one, "k", "again", time.Hour)
			want(t, "again", bodyOf(one, "k"), "again")
		}
	}
}

// Versions that write and sweep at the same time lose nothing.
func TestSchemasAtOnce(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{open(t, dir, nil)}
	for _, schema := range otherSchemas() {
		stores = append(stores, openAs(t, dir, schema, nil))
	}
	var all sync.WaitGroup
	for n, s := range stores {
		all.Go(func() {
			for i := range 50 {
				text := fmt.Sprint("store ", n, " text ", i)
				if err := s.Save(t.Context(), "k", entryOf("k", text), time.Hour); err != nil {
					t.Error(err)
				}
				s.sweeping.Lock()
				s.tidying.Lock()
				s.sweep()
				s.tidying.Unlock()
				s.sweeping.Unlock()
				if got := bodyOf(s, "k"); got != text {
					t.Errorf("%q became %q", text, got)
				}
			}
		})
	}
	all.Wait()
	for n, s := range stores {
		if st := statsOf(t, s); st.Entries != 1 || st.Corrupt+st.Evictions != 0 {
			t.Errorf("store %d: %+v", n, st)
		}
	}
}

// Entries that ended long ago are removed in any schema, because the version that wrote them may
// never run here again. Names that are no entries stay.
func TestSweepOfOtherSchemas(t *testing.T) {
	dir := t.TempDir()
	wall := &wallClock{time.Now()}
	opts := &Options{Now: wall.time}
	s, other := open(t, dir, opts), openAs(t, dir, cache.Schema+1, opts)
	save(t, other, "short", "theirs", time.Hour)
	save(t, other, "long", "theirs", 200*time.Hour)
	foreign := dir + "/v1/e3x"
	if err := os.MkdirAll(foreign+"/00", dirMode); err != nil {
		t.Fatal(err)
	}
	kept := foreign + "/00/" + hashOf("k")
	if err := writeFile(kept); err != nil {
		t.Fatal(err)
	}
	wall.now = wall.now.Add(afterEnd)
	s.sweep()
	if st := statsOf(t, other); st.Entries != 2 {
		t.Errorf("too early: %+v", st)
	}
	wall.now = wall.now.Add(2 * time.Hour)
	s.sweep()
	want(t, "long ended", bodyOf(other, "short"), "(miss)")
	want(t, "not ended", bodyOf(other, "long"), "theirs")
	if st := statsOf(t, other); st.Entries != 1 || st.Corrupt != 0 {
		t.Errorf("%+v", st)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	wall.now = wall.now.Add(200 * time.Hour)
	s.sweep()
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(other.entries))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory of what has ended: %v", err)
	}
	save(t, other, "k", "theirs", time.Hour)
	want(t, "written where there is no directory", bodyOf(other, "k"), "theirs")
	s.files.fault = func(op, path string) error {
		if op == "list" && path == layoutDir {
			return fs.ErrPermission
		}
		return nil
	}
	s.sweep() // fails nothing
}

// TestFormsArePinned: a change of how a file is written without another number,
// in its magic or in the name of its directory, would be damage to all that is
// stored.
func TestFormsArePinned(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	st := state{token: token{1, 2, 3}, taken: spanOf(now, now.Add(time.Hour)), cooled: spanOf(now, now.Add(2*time.Hour)), key: "key"}
	h := &head{key: "key", generation: "--of all", saved: now, retain: now.Add(time.Hour), by: storeID{1, 2}, mono: time.Second, parts: 0}
	for name, row := range map[string]struct {
		form []byte
		want string
	}{
		"entry in " + entriesOf(cache.Schema): {h.before([]byte("entries")), "dac47c52992d932a9922f47634857749215f725163046ce4df5b143854d6b1ca"},
		"obligation in " + obligationsDir:     {encode([]state{st, {key: "another", taken: st.taken}}), "e8ffe648d20fe47e84fc391555b1a4cdd9ccf1fd9b926991b755ec700c9b1f9c"},
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256(row.form)); got != row.want {
			t.Errorf("%s is written as %s: a change needs another number", name, got)
		}
	}
}

// TestStateOfAnotherVersion: a generation of an obligation of another version is
// not read.
func TestStateOfAnotherVersion(t *testing.T) {
	now := time.Now()
	st := state{taken: spanOf(now, now.Add(time.Hour)), key: "key"}
	for name, row := range map[string]struct {
		change func(b []byte) []byte
		want   string
	}{
		"this one": {func(b []byte) []byte { return b }, ""},
		"newer":    {func(b []byte) []byte { b[len(stateMagic)-1]++; return b }, "not a file of this version"},
		"older":    {func(b []byte) []byte { b[len(stateMagic)-1]--; return b }, "not a file of this version"},
		"entry":    {func(b []byte) []byte { copy(b, entryMagic); return b }, "not a file of this version"},
		"garbage":  {func(b []byte) []byte { return bytes.Repeat([]byte{0xff}, len(b)) }, "not a file of this version"},
		"cut off":  {func(b []byte) []byte { return b[:len(b)-1] }, "wrong checksum"},
		"no head":  {func(b []byte) []byte { return b[:statesAt-1] }, "cut off"},
		"empty":    {func([]byte) []byte { return nil }, "cut off"},
	} {
		if _, reason := decode(row.change(encode([]state{st}))); reason != row.want {
			t.Errorf("%s: %q, want %q", name, reason, row.want)
		}
	}
}
