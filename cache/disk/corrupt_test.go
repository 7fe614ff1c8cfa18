package disk

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// wantRejected checks that a damaged file in the place of k causes an error, is removed and
// counted, and that a Save restores the entry.
func wantRejected(t *testing.T, s *Store, dir, what string) {
	t.Helper()
	before := s.corrupt.Load()
	v, err := s.Load(t.Context(), "k")
	var failure *Error
	if v != nil || !errors.Is(err, cache.ErrCorrupt) || !errors.As(err, &failure) || failure.Path != pathOf("k") {
		t.Errorf("%s: Load: %v, %v", what, v, err)
	}
	if n := s.corrupt.Load() - before; n != 1 {
		t.Errorf("%s: counted %d times", what, n)
	}
	if _, err := os.Lstat(where(dir, "k")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: still there: %v", what, err)
	}
	want(t, what+", later", bodyOf(s, "k"), "(miss)")
}

// plant puts bytes in the place of k's file, as somebody else would.
func plant(t *testing.T, dir string, data []byte) {
	t.Helper()
	if err := os.WriteFile(where(dir, "k"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// saved returns the file of k with a text.
func saved(t *testing.T, s *Store, dir, text string) []byte {
	t.Helper()
	save(t, s, "k", text, time.Hour)
	data, err := os.ReadFile(where(dir, "k"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAFileCutAtAnyByteIsRejected(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	data := saved(t, s, dir, "text")
	for n := range data {
		plant(t, dir, data[:n])
		wantRejected(t, s, dir, fmt.Sprintf("%d bytes", n))
	}
	plant(t, dir, append(bytes.Clone(data), 0))
	wantRejected(t, s, dir, "a byte too many")
}

func TestAFileWithAFlippedBitIsRejected(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	data := saved(t, s, dir, "text")
	for i := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[i/8] ^= 1 << (i % 8)
		plant(t, dir, flipped)
		wantRejected(t, s, dir, fmt.Sprintf("bit %d", i))
	}
}

// resum gives a file the checksum of its content, as an editor that knows the format would.
func resum(data []byte) []byte {
	sum := sha256.Sum256(data[savedAt:])
	copy(data[sumAt:], sum[:])
	return data
}

// The checksum is not secret, so the content under it is judged all the same.
func TestAnEditedFileWithItsChecksumIsJudged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	original := saved(t, s, dir, "some text")
	edit := func(f func(data []byte) []byte) []byte { return resum(f(bytes.Clone(original))) }
	for what, data := range map[string][]byte{
		"another version":   edit(func(d []byte) []byte { d[sumAt-1]++; return d }),
		"body":              edit(func(d []byte) []byte { return bytes.Replace(d, []byte("some text"), []byte("evil text"), 1) }),
		"key":               edit(func(d []byte) []byte { d[headSize] = 'j'; return d }),
		"key beyond":        edit(func(d []byte) []byte { d[keyAt] = 0xff; return d }),
		"key shorter":       edit(func(d []byte) []byte { d[keyAt+3]--; return d }),
		"entries cut":       edit(func(d []byte) []byte { return d[:len(d)-1] }),
		"entries of a wire": edit(func(d []byte) []byte { d[headSize+1+3]++; return d }),
	} {
		plant(t, dir, data)
		wantRejected(t, s, dir, what)
	}
}

func TestAnEditedFileWithoutItsChecksumIsRejected(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	for what, f := range map[string]func(d []byte){
		"body":  func(d []byte) { d[len(d)-1]++ },
		"URL":   func(d []byte) { d[bytes.Index(d, []byte("example.com"))]++ },
		"saved": func(d []byte) { d[savedAt+7]++ },
		"until": func(d []byte) { d[retainAt+3]++ },
	} {
		data := saved(t, s, dir, "text")
		f(data)
		plant(t, dir, data)
		wantRejected(t, s, dir, what)
	}
}

// Another key's file, copied here, is whole and still not this key's.
func TestAFileOfAnotherKeyIsRejected(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	save(t, s, "other", "of another", time.Hour)
	save(t, s, "k", "text", time.Hour)
	data, err := os.ReadFile(where(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	plant(t, dir, data)
	wantRejected(t, s, dir, "the other file")
	want(t, "the other key", bodyOf(s, "other"), "of another")
}

// A file is not read into memory because it is there.
func TestAHugeFileIsNotReadIntoMemory(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	data := saved(t, s, dir, "text")
	for what, size := range map[string]int64{
		"1 GiB, sparse": 1 << 30, "512 MiB": 512 << 20, "just too large": maxFile + 1, "zeros": maxFile,
	} {
		for _, begin := range [][]byte{nil, data} {
			if size == maxFile && begin != nil {
				continue // as large as an entry may be, and begins as one: it is read
			}
			plant(t, dir, begin)
			if err := os.Truncate(where(dir, "k"), size); err != nil {
				t.Fatal(err)
			}
			if n := testkit.Allocated(func() { wantRejected(t, s, dir, what) }); n > 1<<20 {
				t.Errorf("%s: %.0f bytes allocated", what, n)
			}
		}
	}
}

func TestADirectoryInThePlaceOfAFileIsReplaced(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	fill := func() {
		t.Helper()
		if err := os.RemoveAll(where(dir, "k")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(where(dir, "k")+"/sub/dir", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(where(dir, "k")+"/sub/file", []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	wantRejected(t, s, dir, "a directory")
	fill()
	save(t, s, "k", "text", time.Hour)
	want(t, "saved over a directory", bodyOf(s, "k"), "text")
	fill()
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	want(t, "deleted directory", bodyOf(s, "k"), "(miss)")
}

// What else is in the way of a Save is put right: a missing or planted
// directory of entries, no directory for temporary files.
func TestSavePutsADamagedLayoutRight(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	shard := dir + "/" + dirOf(pathOf("k"))
	for what, damage := range map[string]func() error{
		"no directory of entries": func() error { return os.RemoveAll(shard) },
		"a file instead":          func() error { return os.WriteFile(shard, nil, 0o600) },
		"no temporary directory":  func() error { return os.RemoveAll(dir + "/v1/tmp") },
	} {
		if err := os.RemoveAll(shard); err != nil {
			t.Fatal(err)
		}
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		save(t, s, "k", what, time.Hour)
		want(t, what, bodyOf(s, "k"), what)
	}
	if err := os.RemoveAll(dir + "/v1"); err != nil {
		t.Fatal(err)
	}
	want(t, "everything gone", bodyOf(s, "k"), "(miss)")
	if ok, _, _ := take(t, s, "k", time.Time{}); !ok {
		t.Error("nothing holds, but the key is held")
	}
	save(t, s, "k", "text", time.Hour)
	want(t, "saved again", bodyOf(s, "k"), "text")
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(file, nil); s != nil || !errors.Is(err, ErrNotDirectory) {
		t.Errorf("Open of a file: %v", err)
	}
	if s, err := Open(file+"/below", nil); s != nil || err == nil {
		t.Errorf("Open below a file: %v", err)
	}
	if s, err := Open(dir, &Options{MaxBytes: -1}); s != nil || err == nil {
		t.Errorf("Open with -1 bytes: %v", err)
	}
	if err := os.WriteFile(dir+"/v1", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir, nil); s != nil || !errors.Is(err, ErrNotDirectory) {
		t.Errorf("Open with a file as v1: %v", err)
	}
	made := dir + "/a/b"
	open(t, made, nil)
	open(t, made, nil) // an existing store is opened again
}

// Two stores share one directory, and each finds the entries of the other.
func TestSharedDirectory(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, nil), open(t, dir, nil)
	save(t, a, "k", "text", time.Hour)
	v, err := b.Load(t.Context(), "k")
	if err != nil || v == nil || v.From != From {
		t.Fatalf("Load by the other: %+v, %v", v, err)
	}
	until := time.Now().Add(time.Hour)
	_, _, release := take(t, a, "k", until)
	if ok, held, _ := take(t, b, "k", until); ok || held.Sub(until).Abs() > time.Second {
		t.Errorf("what one holds, the other gets: %t, %v", ok, held)
	}
	release()
	if ok, _, _ := take(t, b, "k", until); !ok {
		t.Error("what one has given back, the other does not get")
	}
	if diff := cmp.Diff(Stats{Entries: 1, Bytes: v.Size(), Obligations: 1}, statsOf(t, b), cmp.FilterPath(func(p cmp.Path) bool {
		return p.String() == "Bytes" || p.String() == "Oldest" || p.String() == "Newest"
	}, cmp.Ignore())); diff != "" {
		t.Errorf("Stats (-want +got):\n%s", diff)
	}
}

func statsOf(t *testing.T, s *Store) Stats {
	t.Helper()
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return st
}
