package bulk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/crawltest"
)

// Only targets that asked to come back later are requested again.
func TestFinished(t *testing.T) {
	f := filepath.Join(t.TempDir(), "out")
	text := `{"schema":"wayfind/result/1","target":"done.example","site":{}}
{"schema":"wayfind/result/1","error":{"kind":"throttled","message":"x \",\\\"site\\\": y"},"target":"later.example","site":{}}
{"schema":"wayfind/result/1","error":{"kind":"invalid","message":"x"},"target":"no such","line":3}
`
	if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	q, err := crawl.OpenFile(f, resultsOf(&batchFlags{}))
	if err != nil || q.Cut() != 0 {
		t.Fatal(q.Cut(), err)
	}
	defer q.Close()
	for key, asked := range map[string]bool{"done.example": false, "later.example": true, "new.example": true} {
		if fresh, err := q.Offer(t.Context(), key); fresh != asked || err != nil {
			t.Errorf("%s: %v, %v", key, fresh, err)
		}
	}
	if fresh, err := q.Put(t.Context(), crawl.Result{Target: "no such"}); fresh || err != nil {
		t.Errorf("a line that names no domain: %v, %v", fresh, err)
	}
}

// The files of "wayfind batch" and of "wayfind crawl" satisfy the tests for queues.
func TestBatchFileIsAQueue(t *testing.T) {
	batch := resultsOf(&batchFlags{})
	for name, o := range map[string]*crawl.FileOptions{"batch": batch, "crawl": {Head: readQueued}} {
		t.Run(name, func(t *testing.T) {
			own := *o
			own.Lease = 500 * time.Millisecond
			dir := t.TempDir()
			crawltest.TestQueue(t, crawltest.Maker{Lease: own.Lease, Open: func(t *testing.T, name string) crawl.Queue {
				q, err := crawl.OpenFile(filepath.Join(dir, name), &own)
				if err != nil {
					t.Fatal(err)
				}
				return q
			}})
		})
	}
}
