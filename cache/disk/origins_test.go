package disk

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

const originPrefix = "\n\nGET\nhttps://shop.example"

var recordName = cache.RecordKey(originPrefix + "/")

// addPart adds an answer to the record of an origin.
func addPart(t *testing.T, s *Store, path string) error {
	t.Helper()
	return s.UpdateRecord(t.Context(), recordName, nil, func(r *cache.Record) *cache.Record {
		out := *r
		if out.Parts = maps.Clone(r.Parts); out.Parts == nil {
			out.Parts = map[string]cache.Part{}
		}
		key := originPrefix + path
		out.Parts[key] = cache.Part{Variants: &cache.Variants{Entries: []*cache.Entry{cachetest.Entry(key, path)}}, Until: time.Now().Add(time.Hour)}
		return &out
	})
}

// partsOf are the paths in the record that a process finds which opens the directory now.
func partsOf(t *testing.T, dir string) string {
	t.Helper()
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.LoadRecord(t.Context(), recordName)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for key := range r.Parts {
		paths = append(paths, strings.TrimPrefix(key, originPrefix))
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

// If a process ends before any step of a change, or if its disk is full there, the change is lost
// and nothing else: the earlier content of the record stays.
func TestARecordSurvivesAnEndAtEachStep(t *testing.T) {
	steps := 0
	for step := 1; ; step++ {
		dir := t.TempDir()
		s := open(t, dir, nil)
		if err := addPart(t, s, "/1"); err != nil {
			t.Fatal(err)
		}
		n, ended := 0, false
		s.files.fault = func(op, path string) error {
			if n++; ended || n == step {
				ended = true // nothing more is done
				return syscall.ENOSPC
			}
			return nil
		}
		err := addPart(t, s, "/2")
		s.files.fault = nil
		found := partsOf(t, dir)
		if !ended {
			if err != nil || found != "/1 /2" {
				t.Errorf("all steps: %v, %q", err, found)
			}
			break
		}
		if steps++; err == nil && found != "/1 /2" || err != nil && found != "/1" && found != "/1 /2" {
			t.Errorf("step %d: %v, there is %q", step, err, found)
		}
	}
	if steps < 8 {
		t.Errorf("%d steps", steps)
	}
}

// A damaged record is removed, and counted; it is no other record and no entry.
func TestADamagedRecordIsRemoved(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	if err := addPart(t, s, "/1"); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Load(t.Context(), recordName); v != nil || err != nil {
		t.Errorf("as an entry: %v, %v", v, err)
	}
	path := pathOf(recordName)
	data, err := s.files.root.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := s.files.root.WriteFile(path, data, fileMode); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LoadRecord(t.Context(), recordName); !errors.Is(err, cache.ErrCorrupt) {
		t.Errorf("damaged: %v", err)
	}
	if r, err := s.LoadRecord(t.Context(), recordName); err != nil || len(r.Parts) != 0 {
		t.Errorf("afterwards: %v, %v", r, err)
	}
	if err := addPart(t, s, "/2"); err != nil || partsOf(t, dir) != "/2" {
		t.Errorf("anew: %v, %q", err, partsOf(t, dir))
	}
}

// The answers in a record are listed and can be removed one by one.
func TestAnswersInARecordAreListed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	for _, path := range []string{"/1", "/2", "/3"} {
		if err := addPart(t, s, path); err != nil {
			t.Fatal(err)
		}
	}
	save(t, s, "k", "alone", time.Hour)
	listed, bytes := 0, int64(0)
	for info, err := range s.Entries(t.Context()) {
		if err != nil || info.URL == "" || info.Bytes <= 0 || !info.Retain.After(info.Saved) {
			t.Errorf("%+v, %v", info, err)
		}
		listed++
		bytes += info.Bytes
	}
	st, err := s.Stats()
	if err != nil || listed != 4 || bytes != st.Bytes {
		t.Errorf("%d are listed with %d bytes, %+v, %v", listed, bytes, st, err)
	}
	n, err := s.Remove(t.Context(), nil)
	if err != nil || n != 4 || partsOf(t, dir) != "" {
		t.Errorf("%d removed, %v, left %q", n, err, partsOf(t, dir))
	}
}
