package disk

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

// variant is one of the variants of a key, with a body of 64 KiB.
func variant(key string, n int) *cache.Entry {
	e := cachetest.Entry(key, fmt.Sprint("variant ", n, " ", kilobytes(64)))
	e.Vary[0].Value = fmt.Sprint("type/", n)
	return cache.Restore(*e)
}

func saveVariants(t *testing.T, s *Store, key string, v *cache.Variants) {
	t.Helper()
	if err := s.Save(t.Context(), key, v, time.Hour); err != nil {
		t.Fatal(err)
	}
}

// eight large variants.
func eight(key string) *cache.Variants {
	v := &cache.Variants{}
	for n := range cache.MaxVariants {
		v.Entries = append(v.Entries, variant(key, n))
	}
	return v
}

// bodies are those that Load returns.
func bodies(t *testing.T, s *Store, key string) (texts []string) {
	t.Helper()
	v, err := s.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range v.Entries {
		text, _, _ := strings.Cut(string(e.Body), " x")
		texts = append(texts, text)
	}
	return texts
}

// renewed returns variants after the validation of one.
func renewed(v *cache.Variants, n int) *cache.Variants {
	fresh := *v.Entries[n]
	fresh.ResponseTime = fresh.ResponseTime.Add(time.Minute)
	out := &cache.Variants{Entries: []*cache.Entry{cache.Restore(fresh)}}
	for i, e := range v.Entries {
		if i != n {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// If one of eight large variants has changed, only that one is written.
func TestOneVariantIsWrittenWhenOneHasChanged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	v := eight("k")
	saveVariants(t, s, "k", v)
	var synced []string
	s.files.fault = func(op, path string) error {
		if op == "rename" {
			synced = append(synced, path)
		}
		return nil
	}
	saveVariants(t, s, "k", renewed(v, 3))
	s.files.fault = nil
	if len(synced) != 2 || dirOf(synced[0]) != pathOf("k")+partsEnd || synced[1] != pathOf("k") {
		t.Errorf("written were %q, want one part and its list", synced)
	}
	want(t, "after it", strings.Join(bodies(t, s, "k"), ","), "variant 3,variant 0,variant 1,variant 2,variant 4,variant 5,variant 6,variant 7")
	if n := len(there(t, dir)); n != 1+cache.MaxVariants {
		t.Errorf("%d files, want a list and eight parts", n)
	}
	if st := statsOf(t, s); st.Entries != 1 || st.Bytes < 8*64<<10 || st.Bytes != s.bytes.Load() {
		t.Errorf("%+v, %d bytes by estimate", st, s.bytes.Load())
	}
}

// However variants are kept, another form takes their place, and nothing is left.
func TestFormsTakeThePlaceOfEachOther(t *testing.T) {
	small := entryOf("k", "text")
	for name, row := range map[string]struct {
		change func(s *Store) error
		files  int
	}{
		"fewer": {func(s *Store) error {
			return s.Save(t.Context(), "k", &cache.Variants{Entries: eight("k").Entries[:2]}, time.Hour)
		}, 3},
		"small":  {func(s *Store) error { return s.Save(t.Context(), "k", small, time.Hour) }, 1},
		"none":   {func(s *Store) error { return s.Save(t.Context(), "k", small, 0) }, 0},
		"delete": {func(s *Store) error { return s.Delete(t.Context(), "k") }, 0},
		"remove": {func(s *Store) error { _, err := s.Remove(t.Context(), nil); return err }, 0},
		"large":  {func(s *Store) error { return s.Save(t.Context(), "k", entryOf("k", kilobytes(2<<10)), time.Hour) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, &Options{MaxBytes: 1 << 20})
			saveVariants(t, s, "k", eight("k"))
			s.settle() // a sweep that runs during a change may include it or not
			if err := row.change(s); err != nil {
				t.Error(err)
			}
			s.settle()
			if files := there(t, dir); len(files) != row.files {
				t.Errorf("files: %q", files)
			}
			if st := statsOf(t, s); st.Bytes != s.bytes.Load() {
				t.Errorf("%d bytes, %d by estimate", st.Bytes, s.bytes.Load())
			}
		})
	}
}

// Variants are read as a whole or not at all: one that is damaged, is another one or
// is gone costs all of them, and no other key's.
func TestPartsAreReadAsAWhole(t *testing.T) {
	for name, row := range map[string]struct {
		damage  func(part, other string) error
		corrupt uint64
	}{
		"gone":  {func(part, _ string) error { return os.Remove(part) }, 0},
		"cut":   {func(part, _ string) error { return os.Truncate(part, 1000) }, 1},
		"empty": {func(part, _ string) error { return os.Truncate(part, 0) }, 1},
		"another": {func(part, other string) error {
			data, err := os.ReadFile(other)
			if err != nil {
				return err
			}
			return os.WriteFile(part, data, fileMode)
		}, 1},
		"flipped": {func(part, _ string) error {
			data, err := os.ReadFile(part)
			if err != nil {
				return err
			}
			data[len(data)/2] ^= 1
			return os.WriteFile(part, data, fileMode)
		}, 1},
		"no part": {func(part, _ string) error { return os.WriteFile(part, []byte(kilobytes(1)), fileMode) }, 1},
		"link":    {func(part, other string) error { _ = os.Remove(part); return os.Symlink(other, part) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, nil)
			saveVariants(t, s, "k", eight("k"))
			saveVariants(t, s, "other", eight("other"))
			parts, err := os.ReadDir(where(dir, "k") + partsEnd)
			if err != nil {
				t.Fatal(err)
			}
			at := func(i int) string { return where(dir, "k") + partsEnd + "/" + parts[i].Name() }
			if err := row.damage(at(2), at(5)); err != nil {
				t.Fatal(err)
			}
			if got := bodyOf(s, "k"); got != "(miss)" && got != "(corrupt)" || s.corrupt.Load() != row.corrupt {
				t.Errorf("got %.20s, %d corrupt", got, s.corrupt.Load())
			}
			want(t, "later", bodyOf(s, "k"), "(miss)")
			if n := len(bodies(t, s, "other")); n != cache.MaxVariants {
				t.Errorf("%d variants of another key", n)
			}
			saveVariants(t, s, "k", eight("k"))
			if n := len(bodies(t, s, "k")); n != cache.MaxVariants {
				t.Errorf("saved again: %d variants", n)
			}
		})
	}
}

// The size of parts is counted. They are removed with their file, or alone after the file is gone.
func TestPartsAreSwept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &Options{MaxBytes: 1 << 20})
	saveVariants(t, s, "first", eight("first"))
	if err := s.Save(t.Context(), "last", eight("last"), 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	s.settle()
	s.sweep()
	want(t, "what ends first", bodyOf(s, "first"), "(miss)")
	if n := len(bodies(t, s, "last")); n != cache.MaxVariants || s.evictions.Load() != 1 {
		t.Errorf("%d variants, %d evictions", n, s.evictions.Load())
	}
	if err := os.Remove(where(dir, "last")); err != nil {
		t.Fatal(err)
	}
	s.sweep()
	if n := len(there(t, dir)); n != cache.MaxVariants {
		t.Errorf("%d files of a list that may still come", n)
	}
	c := &wallClock{time.Now().Add(2 * staleTemporary)}
	open(t, dir, &Options{Now: c.time})
	if files := there(t, dir); len(files) != 0 {
		t.Errorf("files: %q", files)
	}
}
