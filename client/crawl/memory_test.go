package crawl_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A File stores a few bytes for each target, finished or not.
func TestFileMemory(t *testing.T) {
	testkit.Large(t)
	const each = 25
	targets := testkit.Size(10_000, 50_000)
	for name, o := range map[string]crawl.FileOptions{"with offers": {}, "results only": {ResultsOnly: true}} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "queue")
			before := liveHeap()
			q, err := crawl.OpenFile(file, &o)
			if err != nil {
				t.Fatal(err)
			}
			again := func() {
				t.Helper()
				if err := q.Close(); err != nil {
					t.Fatal(err)
				}
				if q, err = crawl.OpenFile(file, &o); err != nil {
					t.Fatal(err)
				}
			}
			check := func(when string) {
				t.Helper()
				if grown := liveHeap() - before; grown > int64(each*targets)+64<<10 {
					t.Errorf("%s: %d bytes for each target", when, grown/int64(targets))
				}
			}
			offer := func(i int) {
				if _, err := q.Offer(t.Context(), fmt.Sprintf("a-long-name-of-some-site-%d.example", i)); err != nil {
					t.Fatal(err)
				}
			}
			if !o.ResultsOnly {
				for i := range targets {
					offer(i)
				}
				check("offered")
				again()
				check("opened again")
			}
			for i := range targets {
				if o.ResultsOnly {
					offer(i)
				}
				lease, err := q.Take(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if err := lease.Done(t.Context(), result(lease.Task().Target, crawl.Found, 1)); err != nil {
					t.Fatal(err)
				}
			}
			check("finished")
			again()
			check("finished, and opened again")
			if c, err := q.Count(t.Context()); err != nil || c.Finished != uint64(targets) {
				t.Errorf("%+v, %v", c, err)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
