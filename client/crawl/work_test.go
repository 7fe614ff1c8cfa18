package crawl_test

import (
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/parse"
)

// A domain that takes longer than the time for one domain has a result, and is not asked again
// endlessly.
func TestWorkEndsWithASlowDomain(t *testing.T) {
	for name, test := range map[string]struct {
		opts     crawl.Options
		repeated int
	}{
		"attempts": {crawl.Options{Attempts: 3, Backoff: time.Second}, 2},
		"once":     {crawl.Options{Once: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				internet := clienttest.New(t)
				host := internet.Host("slow.example", nil)
				host.Handle("/llms.txt", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
				queue, err := crawl.OpenFile(filepath.Join(t.TempDir(), "queue"), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer queue.Close()
				if _, err := queue.Offer(t.Context(), "slow.example"); err != nil {
					t.Fatal(err)
				}
				o := internet.Options()
				o.Formats, o.Timeout = []*parse.Format{llmstxt.Format()}, 5*time.Second
				c, err := client.New(o)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				report, err := crawl.Work(t.Context(), c, queue, &test.opts)
				if err != nil || report.Results["timeout"] != 1 || report.Repeated != test.repeated {
					t.Errorf("%+v, %v", report, err)
				}
			})
		})
	}
}

// Short leases are renewed too: no other worker gets a domain while it is asked.
func TestWorkRenewsShortLeases(t *testing.T) {
	for _, lease := range []time.Duration{time.Second, 2 * time.Second} {
		t.Run(lease.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				internet := clienttest.New(t)
				pages := clienttest.Pages{"/llms.txt": "# A\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n"}
				internet.Host("slow.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(5 * time.Second)
					pages.ServeHTTP(w, r)
				}))
				queue, err := crawl.OpenFile(filepath.Join(t.TempDir(), "queue"), &crawl.FileOptions{Lease: lease})
				if err != nil {
					t.Fatal(err)
				}
				defer queue.Close()
				if _, err := queue.Offer(t.Context(), "slow.example"); err != nil {
					t.Fatal(err)
				}
				store, err := memory.New(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				var workers sync.WaitGroup
				for i := range 2 {
					workers.Go(func() {
						time.Sleep(time.Duration(i) * 900 * time.Millisecond) // out of step
						o := internet.Options()
						o.Formats = []*parse.Format{llmstxt.Format()}
						c, err := client.New(o)
						if err != nil {
							t.Error(err)
							return
						}
						defer c.Close()
						report, err := crawl.Work(t.Context(), c, queue, &crawl.Options{Store: store})
						if err != nil || report.Deferred+report.Lost > 0 {
							t.Errorf("%+v, %v", report, err)
						}
					})
				}
				workers.Wait()
			})
		})
	}
}
