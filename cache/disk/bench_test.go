package disk

import (
	"strings"
	"testing"
	"time"
)

// cardSize is the size of a typical agent card.
const cardSize = 2600

func BenchmarkLoad(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	save(b, s, "k", strings.Repeat("x", cardSize), time.Hour)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if v, err := s.Load(ctx, "k"); v == nil || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadMiss(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if v, err := s.Load(ctx, "k"); len(v.Entries) != 0 || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSave(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	v := entryOf("k", strings.Repeat("x", cardSize))
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Save(ctx, "k", v, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAcquire(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	ctx := b.Context()
	until := time.Now().Add(time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		ok, _, release, err := s.Acquire(ctx, "k", until)
		if !ok || err != nil {
			b.Fatal(ok, err)
		}
		release()
	}
}

func BenchmarkLook(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if ok, _, _, err := s.Acquire(ctx, "k", time.Time{}); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
