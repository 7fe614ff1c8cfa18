//go:build !race

package client_test

import (
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// maxHeap is the maximum growth of the heap in one call, for any site.
const maxHeap = 32 << 20

// sentinel is garbage that reports when it is collected.
type sentinel struct{ big *int }

// peak returns the maximum growth of the heap while work ran: live and unswept memory, after each
// of many collections. No other work should run at the same time.
func peak(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	runtime.GC()
	base := heap()
	var most atomic.Int64
	var over atomic.Bool
	var watch func()
	watch = func() { // is called after each collection
		runtime.SetFinalizer(&sentinel{new(int)}, func(*sentinel) {
			most.Store(max(most.Load(), heap()))
			if !over.Load() {
				watch()
			}
		})
	}
	watch()
	work()
	over.Store(true)
	most.Store(max(most.Load(), heap()))
	runtime.GC()
	return most.Load() - base
}

// One call takes little memory, whatever documents a site sends. A dozen documents at once are read
// at once, and kept for a while. The test runs alone, and not under the race detector, which has a
// heap of its own.
func TestHeapOfOneCall(t *testing.T) {
	testkit.Large(t)
	endless := func(chunk string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		})
	}
	fill := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	for name, site := range map[string]http.Handler{
		"a bomb":               zipped(t, fill(" ", 64<<20)),
		"a body without end":   endless(fill(`{"a": [1, 2]}, `, 16<<10)),
		"a bomb of brackets":   zipped(t, fill("[", 16<<20)),
		"as many values":       page("[" + fill("1,", 250<<10) + "1]"),
		"as many objects":      page("[" + fill("{},", 250<<10) + "1]"),
		"as many members":      page(`{"spec_version": "1.0", "capabilities": [` + fill(`{"a":1},`, 240<<10) + "1]}"),
		"as many capabilities": page(strings.Replace(manifest("shop.example", "/a"), "[", "["+fill(`{"name": "a", "description": "b", "detail_url": "/c"},`, 240<<10), 1)),
		"as many escapes":      page(`{"spec_version": "1.0", "name": "` + fill(`\u0041`, 240<<10) + `"}`),
		"as many quotes":       page(fill("> ", 60<<10), "Content-Type", "text/markdown"),
		"as many list items":   page(fill("- a\n", 60<<10), "Content-Type", "text/markdown"),
		"redirects":            clienttest.Redirect(302, "/x"+fill("/x", 8<<10)),
		"as many fields":       clienttest.Page{Header: http.Header{"X": slices.Repeat([]string{"x"}, 60_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			for everywhere, most := range map[bool]int64{false: maxHeap, true: 4 * maxHeap} {
				if everywhere && !testkit.Long() {
					continue
				}
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", http.NotFoundHandler()).Handle(wellKnown, site)
					if everywhere {
						for _, f := range formats.All() {
							for _, l := range f.Locations {
								host.Handle(l.Path, site)
							}
						}
					}
					c := newClient(t, internet, withFormats(formats.All()...))
					grown := peak(func() {
						_, err := c.Resolve(t.Context(), "shop.example")
						if e := clienttest.CheckError(err); e != nil {
							t.Error(e)
						}
					})
					if grown > most {
						t.Errorf("at each place %v: the heap grew by %.1f MiB, at most %d may be", everywhere, float64(grown)/(1<<20), most>>20)
					}
				})
			}
		})
	}
}
