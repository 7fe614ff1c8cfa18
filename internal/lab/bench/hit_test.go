package bench

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/bench/suites"
)

// caches are ours and the others, each with the document.
func caches(tb testing.TB) []*suites.Cache {
	tb.Helper()
	all, err := suites.Caches()
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range all {
		tb.Cleanup(func() {
			if err := c.Close(); err != nil {
				tb.Error(err)
			}
		})
	}
	return all
}

// A hit of ours allocates less often than that of any other, in the same run.
func TestHitAllocatesLeast(t *testing.T) {
	const runs = 200
	allocs := map[string]float64{}
	for _, c := range caches(t) {
		allocs[c.Name] = testing.AllocsPerRun(runs, func() {
			if err := c.Hit(); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%s: %v allocations per hit", c.Name, allocs[c.Name])
	}
	for name, n := range allocs {
		if name != suites.Ours && n <= allocs[suites.Ours] {
			t.Errorf("a hit of ours allocates %v times, of %s %v times", allocs[suites.Ours], name, n)
		}
	}
}

// The document is what is said of it.
func TestDocument(t *testing.T) {
	if n := len(suites.Document()); n != suites.DocumentBytes {
		t.Errorf("the document has %d bytes, want %d", n, suites.DocumentBytes)
	}
}

func BenchmarkTransportHit(b *testing.B) {
	for _, c := range caches(b) {
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(suites.DocumentBytes)
			for b.Loop() {
				if err := c.Hit(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
