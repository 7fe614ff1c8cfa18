package cachetest

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// testRecord checks that an absent record is a miss with a generation, that a record is loaded
// as it was saved, and that no change of it is lost, whichever version the writer has read. It
// applies to stores that keep records.
func testRecord(t *testing.T, s cache.Store) {
	rs, ok := s.(cache.RecordStore)
	if !ok || !rs.Records(s) {
		return // a store need not be a RecordStore
	}
	name := cache.RecordKey(keyOf("", "https://a.example/"))
	seen := loadRecord(t, rs, name)
	if len(seen.Parts) != 0 || seen.Generation == "" {
		t.Fatalf("a record that was never saved: %+v", seen)
	}
	keys := []string{keyOf("", "https://a.example/1"), keyOf("", "https://a.example/2")}
	for _, key := range keys {
		part := cache.Part{Variants: variants(key, "text"), Until: time.Now().Add(time.Hour)}
		updateRecord(t, rs, name, seen, func(parts map[string]cache.Part) { parts[key] = part })
	}
	got := loadRecord(t, rs, name)
	if got.Generation != seen.Generation {
		t.Errorf("generation %q after %q", got.Generation, seen.Generation)
	}
	for _, key := range keys {
		if got.Parts[key].Variants == nil {
			t.Fatalf("%q is lost", key)
		}
		compare(t, variants(key, "text"), got.Parts[key].Variants)
	}
	if load(t, s, keys[0]) != nil {
		t.Error("a part of a record was loaded as an entry")
	}
	updateRecord(t, rs, name, nil, func(parts map[string]cache.Part) { clear(parts) })
	if got := loadRecord(t, rs, name); len(got.Parts) != 0 {
		t.Errorf("%d parts remain after all were removed", len(got.Parts))
	}
}

func loadRecord(t *testing.T, s cache.RecordStore, name string) *cache.Record {
	t.Helper()
	r, err := s.LoadRecord(t.Context(), name)
	if err != nil || r == nil {
		t.Fatalf("LoadRecord: %v, %v", r, err)
	}
	return r
}

func updateRecord(t *testing.T, s cache.RecordStore, name string, seen *cache.Record, change func(map[string]cache.Part)) {
	t.Helper()
	if err := s.UpdateRecord(t.Context(), name, seen, func(r *cache.Record) *cache.Record {
		out := *r
		if out.Parts = maps.Clone(r.Parts); out.Parts == nil {
			out.Parts = map[string]cache.Part{}
		}
		change(out.Parts)
		return &out
	}); err != nil {
		t.Fatalf("UpdateRecord: %v", err)
	}
}

// testGlance checks that a store reports all keys that are taken or held among many keys. It
// may report further keys.
func testGlance(t *testing.T, s cache.Store) {
	g, ok := s.(cache.GlanceStore)
	if !ok {
		return // a store need not be a GlanceStore
	}
	until := time.Now().Add(time.Hour)
	acquire(t, g, "taken", until)
	if err := g.Hold(t.Context(), "held", until); err != nil {
		t.Fatal(err)
	}
	got, err := g.Taken(t.Context(), s, []string{"free", "taken", "held"})
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	told := map[string]bool{}
	for _, key := range got {
		told[key] = true
	}
	if err != nil || !told["taken"] || !told["held"] || len(told) > 3 {
		t.Errorf("Taken: %q, %v", got, err)
	}
}
