package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// gauge answers after a second and knows how many requests there were at a time.
type gauge struct{ now, most atomic.Int32 }

func (g *gauge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A call that ended at this instant may have left its place before the server knows.
	time.Sleep(time.Millisecond)
	if r.Context().Err() != nil {
		return
	}
	n := g.now.Add(1)
	defer g.now.Add(-1)
	for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	select {
	case <-time.After(time.Second):
		_, _ = io.WriteString(w, "ok")
	case <-r.Context().Done():
	}
}

// Four calls run at an origin at a time, whichever Caller makes them, and those that
// wait do so within their time.
func TestCallsOfAnOrigin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var g gauge
		s := newShop(t, shopDocument, g.ServeHTTP)
		callers := [2]*call.Caller{s.caller(nil), s.caller(nil)}
		var all sync.WaitGroup
		var late, early atomic.Int32
		for i := range 20 {
			all.Go(func() {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
				defer cancel()
				if res, err := callers[i%2].Call(ctx, s.box, "listOrders", nil); err != nil {
					wantCode(t, res, err, call.Timeout)
					late.Add(1)
					if time.Since(start) > 3500*time.Millisecond {
						early.Add(1)
					}
				}
			})
		}
		all.Wait()
		if g.most.Load() != call.PerOrigin || late.Load() != 8 || early.Load() != 0 {
			t.Errorf("%d at a time, %d too late, %d waited longer than they were allowed to", g.most.Load(), late.Load(), early.Load())
		}
	})
}

// Sixty-four calls of a Client run at a time, whichever Caller makes them, and an origin
// that is busy takes no place of the others.
func TestCallsOfAClient(t *testing.T) {
	const origins = 20
	bubble(t, func(t *testing.T) {
		var g gauge
		net := clienttest.New(t)
		var names []string
		for i := range origins {
			name := fmt.Sprintf("shop%d.example", i)
			names = append(names, name)
			sniff := &sniffer{}
			net.Host(name, sniff.watch(name, clienttest.Pages{"/openapi.json": shopDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", name)}, g.ServeHTTP))
		}
		c := net.Client(func(o *client.Options) { o.Limits.Budget = 1000 })
		boxes := make([]*tools.Box, origins)
		for i, name := range names {
			var err error
			if boxes[i], err = tools.Load(t.Context(), c, []string{name}, nil); err != nil {
				t.Fatal(err)
			}
		}
		var callers [2]*call.Caller
		for i := range callers {
			var err error
			if callers[i], err = call.New(c, nil); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		var failed atomic.Int32
		start := time.Now()
		for i := range 4 * origins {
			all.Go(func() {
				if _, err := callers[i%2].Call(t.Context(), boxes[i%origins], "listOrders", nil); err != nil {
					failed.Add(1)
				}
			})
		}
		all.Wait()
		if took := time.Since(start); g.most.Load() != call.PerClient || failed.Load() != 0 || took > 3*time.Second {
			t.Errorf("%d at a time, %d failed, in %v", g.most.Load(), failed.Load(), took)
		}
	})
}
