package cache_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// wired are variants with something in every field.
func wired() *cache.Variants {
	body := []byte("one\x00\xff")
	odd := cache.Restore(cache.Entry{
		Key: "view\n\nGET\nhttps://example.com/ \xff", URL: "https://example.com/\xff", Status: 404,
		Header: http.Header{
			"X-Obs-Text": {"caf\xe9", "", "a,b\tc"}, "x-lower": {"1"}, "X-None": {}, "": {"no name"},
			"Cache-Control": {"max-age=60", "must-revalidate"},
		},
		Vary:         []cache.VaryField{{Name: "Z", Value: "z"}, {Name: "A", Absent: true}, {Name: "B"}},
		RequestTime:  time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		ResponseTime: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		Body:         body,
		Digest:       sha256.Sum256(body),
		RemoteAddr:   netip.MustParseAddrPort("[fe80::1%eth0]:65535"),
		Lifetime:     cache.Lifetime{For: math.MinInt64, Source: "caf\xe9", Remembered: true},
		SetsCookie:   true,
	})
	return &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", ""), odd, cachetest.Entry("k", "plain")}}
}

// written compares what can be written down.
func writtenDown() cmp.Option {
	return cmp.Options{
		cmpopts.IgnoreUnexported(cache.Entry{}),
		cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b }),
	}
}

func marshal(t testing.TB, v *cache.Variants) []byte {
	t.Helper()
	data, err := v.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWireKeepsEveryField(t *testing.T) {
	for _, want := range []*cache.Variants{{}, wired()} {
		data := marshal(t, want)
		got, err := cache.UnmarshalVariants(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, writtenDown()); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(data, marshal(t, got)); diff != "" {
			t.Errorf("written again (-want +got):\n%s", diff)
		}
	}
}

// An entry that was read back is used as one that was never away: what
// decisions read is derived again.
func TestWireRestores(t *testing.T) {
	e := cachetest.Entry("k", "text")
	got, err := cache.UnmarshalVariants(marshal(t, &cache.Variants{Entries: []*cache.Entry{e}, From: "nowhere"}))
	if err != nil {
		t.Fatal(err)
	}
	want := &cache.Variants{Entries: []*cache.Entry{e}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(cache.Entry{}), cmpopts.IgnoreFields(cache.Entry{}, "hit"), cmpopts.EquateComparable(netip.AddrPort{}),
		cmp.Exporter(func(typ reflect.Type) bool { return strings.HasSuffix(typ.PkgPath(), "/cache") })); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
}

func TestWireNoteStaysBehind(t *testing.T) {
	plain, noted := cachetest.Entry("k", "text"), cachetest.Entry("k", "text")
	noted.Note = cache.TestNote{Value: "a reading"}
	if diff := cmp.Diff(marshal(t, &cache.Variants{Entries: []*cache.Entry{plain}}), marshal(t, &cache.Variants{Entries: []*cache.Entry{noted}})); diff != "" {
		t.Errorf("a Note changes the bytes (-without +with):\n%s", diff)
	}
}

func TestWireBodiesAliasTheData(t *testing.T) {
	data := marshal(t, &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", "a body")}})
	v, err := cache.UnmarshalVariants(data)
	if err != nil {
		t.Fatal(err)
	}
	body := v.Entries[0].Body
	if &body[0] != &data[len(data)-len(body)] {
		t.Error("the body was copied")
	}
	if cap(body) != len(body) {
		t.Errorf("an append to the body would write %d bytes behind it", cap(body)-len(body))
	}
}

func TestWirePrefixesFail(t *testing.T) {
	data := marshal(t, wired())
	for n := range data {
		wantCorrupt(t, fmt.Sprintf("the first %d bytes", n), data[:n])
	}
	wantCorrupt(t, "a byte too many", append(bytes.Clone(data), 0))
	wantCorrupt(t, "twice", append(bytes.Clone(data), data...))
}

// A flipped bit either fails or is another value that is written the same way:
// nothing is read that was not written. A body never comes back changed.
func TestWireFlippedBits(t *testing.T) {
	data := marshal(t, wired())
	failed := 0
	for i := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[i/8] ^= 1 << (i % 8)
		v, err := cache.UnmarshalVariants(flipped)
		if err != nil {
			wantCorrupt(t, fmt.Sprintf("bit %d", i), flipped)
			failed++
			continue
		}
		if !bytes.Equal(marshal(t, v), flipped) {
			t.Errorf("bit %d: another way to write a value is accepted", i)
		}
		for n, e := range v.Entries {
			if want := wired().Entries[n].Body; !bytes.Equal(want, e.Body) {
				t.Errorf("bit %d: body %q became %q", i, want, e.Body)
			}
		}
	}
	if failed == 0 || failed == 8*len(data) {
		t.Errorf("%d of %d flipped bits fail", failed, 8*len(data))
	}
}

func wantCorrupt(t *testing.T, what string, data []byte) {
	t.Helper()
	v, err := cache.UnmarshalVariants(data)
	var corrupt *cache.CorruptError
	if !errors.As(err, &corrupt) || !errors.Is(err, cache.ErrCorrupt) || v != nil {
		t.Errorf("%s: %v, %v, want a CorruptError", what, v, err)
		return
	}
	if corrupt.Offset < 0 || corrupt.Offset > len(data) {
		t.Errorf("%s: %v: offset outside of %d bytes", what, err, len(data))
	}
}

// Each claim is of something huge that is not there.
func TestWireSetsNoMemoryAside(t *testing.T) {
	const head = "wfv" + string(rune(cache.Schema))
	const start = head + "\x01" // one entry
	claim := func(n uint64) string { return string(binary.AppendUvarint(nil, n)) }
	field := func(s string) string { return claim(uint64(len(s))) + s }
	pad := strings.Repeat("\x00", 64)
	for name, data := range map[string]string{
		"another version":       "wfv\x01\x00",
		"variants":              head + claim(9) + pad,
		"all variants":          head + claim(math.MaxUint64) + pad,
		"fields":                start + claim(1<<40) + pad,
		"fields, wrapping":      start + claim(math.MaxUint64) + pad,
		"key":                   start + field(claim(1<<40)+pad),
		"header names":          start + field("\x00\x00\x00"+claim(1<<40)+pad),
		"header lines":          start + field("\x00\x00\x00\x01"+claim(1<<40)+pad),
		"lines of a name":       start + field("\x00\x00\x00\x01\x02\x00"+claim(1<<40)+pad),
		"fewer lines than said": start + field("\x00\x00\x00\x01\x02\x00\x01\x00"+pad),
		"vary":                  start + field("\x00\x00\x00\x00\x00"+claim(1<<40)+pad),
		"status":                start + field("\x00\x00"+claim(1<<40)+pad),
		"number of eleven":      start + strings.Repeat("\xff", 10) + "\x01",
		"number too long":       head + "\x80\x00",
		"names out of order":    start + field("\x00\x00\x00\x02\x00\x01b\x00\x01a\x00"+pad),
		"a name twice":          start + field("\x00\x00\x00\x02\x00\x01b\x00\x01b\x00"+pad),
	} {
		if n := testkit.Allocated(func() { wantCorrupt(t, name, []byte(data)) }); n > 1<<20 {
			t.Errorf("%s: %.0f bytes allocated for %d", name, n, len(data))
		}
	}
}

// An entry that could not be read back is not written.
func TestWireRefusesToWrite(t *testing.T) {
	change := func(f func(*cache.Entry)) *cache.Variants {
		e := cachetest.Entry("k", "text")
		f(e)
		return &cache.Variants{Entries: []*cache.Entry{e}}
	}
	nine := &cache.Variants{}
	for range cache.MaxVariants + 1 {
		nine.Entries = append(nine.Entries, cachetest.Entry("k", "text"))
	}
	for name, v := range map[string]*cache.Variants{
		"too many variants": nine,
		"negative status":   change(func(e *cache.Entry) { e.Status = -1 }),
		"large status":      change(func(e *cache.Entry) { e.Status = 1000 }),
		"year 0":            change(func(e *cache.Entry) { e.RequestTime = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"year 10000":        change(func(e *cache.Entry) { e.ResponseTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"header lines":      change(func(e *cache.Entry) { e.Header["X"] = make([]string, 5000) }),
		"vary":              change(func(e *cache.Entry) { e.Vary = make([]cache.VaryField, 5000) }),
	} {
		if data, err := v.MarshalBinary(); err == nil {
			t.Errorf("%s: written as %d bytes", name, len(data))
		}
	}
	last := change(func(e *cache.Entry) { e.Header["X"] = make([]string, 4096-5); e.Status = 999 })
	if _, err := cache.UnmarshalVariants(marshal(t, last)); err != nil {
		t.Errorf("what is just allowed cannot be read back: %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	data := marshal(f, wired())
	f.Add(data)
	f.Add(marshal(f, &cache.Variants{}))
	f.Add(marshal(f, &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", "text")}}))
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := cache.UnmarshalVariants(data)
		if err != nil {
			wantCorrupt(t, "input", data)
			return
		}
		if again := marshal(t, v); !bytes.Equal(data, again) {
			t.Errorf("%x is written again as %x", data, again)
		}
		if size := v.Size(); size > 64<<10+512*int64(len(data)) {
			t.Errorf("%d bytes became %d", len(data), size)
		}
	})
}

func BenchmarkUnmarshalVariants(b *testing.B) {
	data := marshal(b, &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", strings.Repeat("x", 2600))}})
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := cache.UnmarshalVariants(data); err != nil {
			b.Fatal(err)
		}
	}
}
