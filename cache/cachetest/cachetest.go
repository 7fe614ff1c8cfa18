// Package cachetest tests whether a cache.Store obeys the laws of its interface.
//
//	func TestStore(t *testing.T) {
//		cachetest.TestStore(t, func(t *testing.T) cache.Store { … })
//	}
//
// The tests check these laws:
//
//   - An unknown key is a miss and not an error.
//   - Load returns saved variants at once and in full, field by field, with the properties of
//     the response that net/http reports.
//   - Save replaces an entry; if retain <= 0, it deletes the entry. Keys are compared in full.
//   - One of several callers gets an obligation, and the others are informed when it ends. A
//     release is idempotent and releases no other caller's obligation. A hold stops all callers
//     and is never shortened. A look takes nothing.
//   - A Purge of a cache.Purger ends all entries in its scope, in each partition, and no
//     others. It also ends entries that are saved later with an earlier generation.
//   - The generation of a cache.GenerationStore changes with each Purge that covers a key, and not
//     without one.
//   - A cache.RecordStore loses no change of a record. A cache.GlanceStore reports all
//     obligations.
//   - Calls during Close neither panic nor hang, and calls after it return cache.ErrClosed.
//
// Each store decides how much it keeps, and for how long.
package cachetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind/cache"
)

// TestStore runs each law as a subtest. open returns a new empty store, which TestStore closes.
func TestStore(t *testing.T, open func(t *testing.T) cache.Store) {
	laws := []struct {
		name string
		law  func(t *testing.T, s cache.Store)
	}{
		{"Miss", testMiss},
		{"SaveIsVisible", testSave},
		{"SaveReplaces", testReplace},
		{"RetainZeroDeletes", testRetain},
		{"Delete", testDelete},
		{"KeysInFull", testKeys},
		{"ResponseIsKept", testResponse},
		{"AcquireOnce", obliging(testAcquire)},
		{"AcquireUnderLoad", obliging(testAcquireRace)},
		{"AcquireLook", obliging(testLook)},
		{"Hold", obliging(testHold)},
		{"HoldOutlivesRelease", obliging(testHoldRelease)},
		{"ObligationsAreNotEntries", obliging(testApart)},
		{"Purge", testPurge},
		{"PurgeEndsLateSaves", testPurgeLate},
		{"Generation", testGeneration},
		{"Record", testRecord},
		{"Glance", testGlance},
	}
	for _, l := range laws {
		t.Run(l.name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			l.law(t, s)
		})
	}
	t.Run("Close", func(t *testing.T) { testClose(t, open(t)) })
	t.Run("CloseUnderLoad", func(t *testing.T) { testCloseRace(t, open(t)) })
}

// Entry returns an entry that may be saved in a store, with its own body.
func Entry(key, text string) *cache.Entry {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) // the same time in each call
	body := []byte(text)
	return cache.Restore(cache.Entry{
		Key:    key,
		URL:    "https://example.com/card.json?q=1",
		Status: http.StatusOK,
		Header: http.Header{
			"Cache-Control": {"max-age=60", "private"}, "Etag": {`W/"1"`},
			"Content-Type": {"application/json"}, "Vary": {"Accept, X-Empty"},
		},
		Vary:         []cache.VaryField{{Name: "Accept", Value: "application/json"}, {Name: "X-Empty", Absent: true}},
		RequestTime:  now.Add(-time.Second),
		ResponseTime: now,
		Body:         body,
		Digest:       sha256.Sum256(body),
		RemoteAddr:   netip.MustParseAddrPort("192.0.2.7:443"),
		Lifetime:     cache.Lifetime{For: time.Minute, Source: "max-age", Explicit: true, Obligation: true},
		Shared:       true,
		Credentialed: true,
		SetsCookie:   true,
	})
}

// variants returns variants with the given texts.
func variants(key string, texts ...string) *cache.Variants {
	v := &cache.Variants{}
	for _, text := range texts {
		v.Entries = append(v.Entries, Entry(key, text))
	}
	return v
}

// compare reports the differences between the loaded variants and the expected ones. A Note may
// be lost.
func compare(t *testing.T, want, got *cache.Variants) {
	t.Helper()
	opts := cmp.Options{
		cmpopts.IgnoreUnexported(cache.Entry{}),
		cmpopts.IgnoreFields(cache.Entry{}, "Note"),
		cmpopts.IgnoreFields(cache.Variants{}, "From", "Generation"),
		cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b }),
		cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) }),
	}
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Errorf("loaded variants (-want +got):\n%s", diff)
	}
}

func load(t *testing.T, s cache.Store, key string) *cache.Variants {
	t.Helper()
	v, err := s.Load(t.Context(), key)
	if err != nil {
		t.Fatalf("Load(%q): %v", key, err)
	}
	if v != nil && len(v.Entries) == 0 {
		return nil // a miss with a generation
	}
	return v
}

func save(t *testing.T, s cache.Store, key string, v *cache.Variants, retain time.Duration) {
	t.Helper()
	if err := s.Save(t.Context(), key, v, retain); err != nil {
		t.Fatalf("Save(%q): %v", key, err)
	}
}

func testMiss(t *testing.T, s cache.Store) {
	if v := load(t, s, "nothing"); v != nil {
		t.Errorf("an empty store contains %v", v)
	}
	if err := s.Delete(t.Context(), "nothing"); err != nil {
		t.Errorf("Delete of an unknown key: %v", err)
	}
}

func testSave(t *testing.T, s cache.Store) {
	texts := make([]string, cache.MaxVariants)
	for i := range texts {
		texts[i] = strings.Repeat("variant", i) // the first has no body
	}
	want := variants("k", texts...)
	save(t, s, "k", want, time.Hour)
	compare(t, want, load(t, s, "k"))
}

func testReplace(t *testing.T, s cache.Store) {
	for i := range 20 {
		want := variants("k", fmt.Sprint("version ", i))
		save(t, s, "k", want, time.Hour)
		compare(t, want, load(t, s, "k"))
	}
}

func testRetain(t *testing.T, s cache.Store) {
	for _, retain := range []time.Duration{0, -time.Second} {
		save(t, s, "k", variants("k", "old"), time.Hour)
		save(t, s, "k", variants("k", "new"), retain)
		if v := load(t, s, "k"); v != nil {
			t.Errorf("after Save with retain %v the store contains %q", retain, v.Entries[0].Body)
		}
	}
}

func testDelete(t *testing.T, s cache.Store) {
	save(t, s, "k", variants("k", "text"), time.Hour)
	save(t, s, "other", variants("other", "text"), time.Hour)
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	if v := load(t, s, "k"); v != nil {
		t.Error("the deleted key still exists")
	}
	if load(t, s, "other") == nil {
		t.Error("another key was deleted too")
	}
	save(t, s, "k", variants("k", "again"), time.Hour)
	compare(t, variants("k", "again"), load(t, s, "k"))
}

func testKeys(t *testing.T, s cache.Store) {
	long := strings.Repeat("x", 3000)
	keys := []string{
		"", "k", "K", "k ", "k/", "../k", "k\x00", "k\n", "v\n\nGET\nhttps://example.com/",
		"v\n\nGET\nhttps://example.com/?", "ключ", long, long + "y", "a*b?c:d|e", "con", "k%2f",
	}
	for _, k := range keys {
		save(t, s, k, variants(k, "of "+k), time.Hour)
	}
	for _, k := range keys {
		compare(t, variants(k, "of "+k), load(t, s, k))
	}
}

func testClose(t *testing.T, s cache.Store) {
	save(t, s, "k", variants("k", "text"), time.Hour)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	ctx := t.Context()
	_, loadErr := s.Load(ctx, "k")
	errs := map[string]error{
		"Load": loadErr, "Delete": s.Delete(ctx, "k"), "Save": s.Save(ctx, "k", variants("k", "text"), time.Hour),
	}
	obliging(func(_ *testing.T, o cache.ObligationStore) {
		_, _, _, errs["Acquire"] = o.Acquire(ctx, "k", time.Now().Add(time.Hour))
		errs["Hold"] = o.Hold(ctx, "k", time.Now().Add(time.Hour))
	})(t, s)
	for name, err := range errs {
		if !errors.Is(err, cache.ErrClosed) {
			t.Errorf("%s after Close: %v, want cache.ErrClosed", name, err)
		}
	}
}

func testCloseRace(t *testing.T, s cache.Store) {
	ctx, stop := context.WithCancel(t.Context())
	var wg, begun sync.WaitGroup
	for i := range 8 {
		begun.Add(1)
		wg.Go(func() {
			key := fmt.Sprint("k", i)
			v := variants(key, "text")
			for n := 0; ctx.Err() == nil; n++ {
				_, err := s.Load(ctx, key)
				err = errors.Join(err, s.Save(ctx, key, v, time.Hour), s.Delete(ctx, key))
				if n == 0 {
					begun.Done()
				}
				if errors.Is(err, cache.ErrClosed) {
					return
				}
			}
		})
	}
	begun.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("Close under load: %v", err)
	}
	stop()
	wg.Wait()
}
