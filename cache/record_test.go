package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

const recordOrigin = "a view\n\nGET\nhttps://shop.example"

var recordKey = cache.RecordKey(recordOrigin + "/x")

// placeOf is a key and its variants: a "no", or a document.
func placeOf(i int, text string, at time.Time) (string, *cache.Variants) {
	key := fmt.Sprintf("%s/place/%d", recordOrigin, i)
	e := *cachetest.Entry(key, text)
	e.URL, e.RequestTime, e.ResponseTime = strings.TrimPrefix(key, "a view\n\nGET\n"), at, at.Add(time.Millisecond)
	return key, &cache.Variants{Entries: []*cache.Entry{cache.Restore(e)}}
}

func recordOf(n int) *cache.Record {
	r := &cache.Record{Parts: map[string]cache.Part{}}
	for i := range n {
		at := time.Date(2026, 1, 2, 3, 4, 5, i, time.UTC)
		key, v := placeOf(i, "not found", at)
		r.Parts[key] = cache.Part{Variants: v, Until: at.Add(24 * time.Hour)}
	}
	return r
}

// A record comes back as it was, and thirty like answers take little more room than one.
func TestARecordIsReadAsItWasWritten(t *testing.T) {
	one, err := recordOf(1).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	r := recordOf(30)
	key, own := placeOf(31, "a document", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	own.Entries[0].URL = "https://shop.example/another"
	own.Entries = append(own.Entries, cachetest.Entry(key, "a variant"))
	r.Parts[key] = cache.Part{Variants: own, Until: time.Unix(5, 7).UTC()}
	data, err := r.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 4*len(one)+30*60 {
		t.Errorf("%d bytes, of one part %d", len(data), len(one))
	}
	back, err := cache.UnmarshalRecord(recordKey, data)
	if err != nil {
		t.Fatal(err)
	}
	for key, p := range r.Parts {
		got := back.Parts[key]
		if !got.Until.Equal(p.Until) || len(got.Variants.Entries) != len(p.Variants.Entries) {
			t.Fatalf("%s: %+v", key, got)
		}
		for i, e := range p.Variants.Entries {
			a, errA := (&cache.Variants{Entries: []*cache.Entry{e}}).MarshalBinary()
			b, errB := (&cache.Variants{Entries: []*cache.Entry{got.Variants.Entries[i]}}).MarshalBinary()
			if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: another entry: %v", key, err)
			}
		}
	}
	if again, err := back.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the same record is written in another way: %v", err)
	}
}

// Bytes that are no record are an error, and no panic; so is a record of another origin.
func TestBytesThatAreNoRecord(t *testing.T) {
	data, err := recordOf(3).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cache.UnmarshalRecord(strings.Replace(recordKey, "shop", "other", 1), data); !errors.Is(err, cache.ErrCorrupt) {
		t.Errorf("of another origin: %v", err)
	}
	for n := range data {
		if _, err := cache.UnmarshalRecord(recordKey, data[:n]); !errors.Is(err, cache.ErrCorrupt) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		flipped := bytes.Clone(data)
		flipped[n] ^= 1 << (n % 8)
		if r, err := cache.UnmarshalRecord(recordKey, flipped); err == nil {
			if _, err := r.MarshalBinary(); err != nil {
				t.Errorf("byte %d: what was read cannot be written: %v", n, err)
			}
		}
	}
	next := bytes.Clone(data)
	next[3]++
	if _, err := cache.UnmarshalRecord(recordKey, next); !errors.Is(err, cache.ErrSchema) {
		t.Errorf("another schema: %v", err)
	}
}

// recordStores are those that keep records.
func recordStores(t *testing.T) map[string]func() cache.RecordStore {
	dir, server := t.TempDir(), testkit.StartRedis(t)
	return map[string]func() cache.RecordStore{
		"disk": func() cache.RecordStore {
			s, err := disk.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		"redis": func() cache.RecordStore {
			s, err := redis.Open(server.URL(), &redis.Options{Key: bytes.Repeat([]byte{7}, redis.MinKey), Budget: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	}
}

// add is a change that adds parts.
func add(numbers ...int) func(*cache.Record) *cache.Record {
	return func(r *cache.Record) *cache.Record {
		out := *r
		if out.Parts = maps.Clone(r.Parts); out.Parts == nil {
			out.Parts = map[string]cache.Part{}
		}
		for _, i := range numbers {
			key, v := placeOf(i, "not found", time.Now())
			out.Parts[key] = cache.Part{Variants: v, Until: time.Now().Add(time.Hour)}
		}
		return &out
	}
}

// wantParts loads the record, and compares its keys.
func wantParts(t *testing.T, s cache.RecordStore, when string, numbers ...int) *cache.Record {
	t.Helper()
	r, err := s.LoadRecord(t.Context(), recordKey)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	var want []string
	for _, i := range numbers {
		key, _ := placeOf(i, "", time.Time{})
		want = append(want, key)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(r.Parts))); diff != "" {
		t.Errorf("%s: %s", when, diff)
	}
	if r.Generation == "" {
		t.Errorf("%s: no generation", when)
	}
	return r
}

// If many processes change a record, no change is lost, whatever version each of them has read.
func TestNoChangeOfARecordIsLost(t *testing.T) {
	for name, open := range recordStores(t) {
		t.Run(name, func(t *testing.T) {
			first, second := open(), open()
			seen := wantParts(t, first, "empty")
			done := make(chan error)
			var all []int
			for i := range 12 {
				s := []cache.RecordStore{first, second}[i%2]
				all = append(all, i)
				go func() { done <- s.UpdateRecord(context.Background(), recordKey, seen, add(i)) }()
			}
			for range 12 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			wantParts(t, second, "all", all...)
		})
	}
}

// A Purge of a URL ends its part and leaves the others; the generation is another one.
// A Purge of the origin, or of all, ends the record.
func TestAPurgeEndsPartsOfARecord(t *testing.T) {
	for name, open := range recordStores(t) {
		t.Run(name, func(t *testing.T) {
			first, second := open(), open()
			if err := first.UpdateRecord(t.Context(), recordKey, nil, add(1, 2, 3)); err != nil {
				t.Fatal(err)
			}
			before := wantParts(t, second, "added", 1, 2, 3)
			key, _ := placeOf(2, "", time.Time{})
			if err := second.(cache.Purger).Purge(t.Context(), cache.ScopesOf(key)[0]); err != nil {
				t.Fatal(err)
			}
			after := wantParts(t, first, "without the second", 1, 3)
			if after.Generation == before.Generation {
				t.Error("the generation is the same")
			}
			scopes := cache.ScopesOf(recordKey)
			for _, scope := range scopes[1:] {
				if err := first.UpdateRecord(t.Context(), recordKey, nil, add(1, 3)); err != nil {
					t.Fatal(err)
				}
				before := wantParts(t, second, "again", 1, 3)
				if err := second.(cache.Purger).Purge(t.Context(), scope); err != nil {
					t.Fatal(err)
				}
				if after := wantParts(t, first, "purged"); after.Generation == before.Generation {
					t.Error("the generation is the same")
				}
			}
			if err := first.UpdateRecord(t.Context(), recordKey, nil, func(r *cache.Record) *cache.Record { return r }); err != nil {
				t.Errorf("nothing for nothing: %v", err)
			}
		})
	}
}
