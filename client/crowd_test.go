package client_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/testkit"
)

// overHeap runs f and reports the bytes that the heap held when they were more
// than limit, 0 otherwise. The context of f ends then.
func overHeap(ctx context.Context, limit uint64, f func(ctx context.Context)) (over uint64) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watch sync.WaitGroup
	watch.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if metrics.Read(sample); sample[0].Value.Uint64() > limit {
				over = sample[0].Value.Uint64()
				cancel()
				return
			}
		}
	})
	f(ctx)
	cancel()
	watch.Wait()
	return over
}

// A process has limits of its own: 64 sites with large documents at all places
// cost it a bounded amount of memory, and the sites beside them, which answer
// at once, do not time out while theirs are read.
func TestAProcessHasLimitsOfItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement of memory: without -short")
	}
	const most = 640 << 20 // 512 MiB, and the servers in this process
	body := `{"awp_version":"0.2","domain":"shop.example","intent":"x","actions":[],"agent_hints":{"a":[` + strings.TrimSuffix(strings.Repeat("{},", 80_000), ",") + `]}}`
	large := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".txt") || strings.HasSuffix(r.URL.Path, ".md") {
			http.NotFound(w, r)
			return
		}
		clienttest.Page{Body: body, Header: http.Header{"Content-Type": {"application/json"}}}.ServeHTTP(w, r)
	})
	internet, stop := clienttest.Start()
	defer stop()
	var names, small []string
	for i := range testkit.Crowd(64) {
		names = append(names, fmt.Sprintf("large%d.example", i))
		internet.Host(names[i], large)
	}
	for i := range testkit.Crowd(16) {
		small = append(small, fmt.Sprintf("small%d.example", i))
		internet.Host(small[i], clienttest.Pages{"/agent.json": oneAction("/x")})
	}
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	found, lost := map[string]bool{}, map[string]error{}
	over := overHeap(t.Context(), most, func(ctx context.Context) {
		for site, err := range c.ResolveAll(ctx, slices.Values(append(names, small...)), &client.BatchOptions{InFlight: 80}) {
			if err == nil && site != nil && len(site.Services) > 0 {
				found[site.Origin] = true
			} else if site != nil {
				lost[site.Origin] = err
			}
		}
	})
	if over > 0 {
		t.Fatalf("the heap held %d MiB", over>>20)
	}
	for _, name := range small {
		if !found["https://"+name] {
			t.Errorf("%s was not found: %v", name, lost["https://"+name])
		}
	}
}
