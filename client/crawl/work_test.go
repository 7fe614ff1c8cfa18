package crawl_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/llmstxt"
)

// A domain that takes longer than the time for one domain has a result: it is not
// asked again without end.
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
