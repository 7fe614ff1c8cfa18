package crawl_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/parse"
)

// full is a store that saves nothing.
type full struct{ *memory.Store }

func (full) Local() bool { return false }

func (full) Save(context.Context, string, *cache.Variants, time.Duration) error {
	return errors.New("no room")
}

// ledger is a queue that stores the reports of workers.
type ledger struct {
	*crawl.File
	told map[string]uint64
}

func (l ledger) Unstored(_ context.Context, worker string, answers uint64) error {
	l.told[worker] = answers
	return nil
}

// A worker reports to its queue how many answers its store did not save.
func TestAWorkerTellsOfAnswersThatAreNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		file, err := crawl.OpenFile(filepath.Join(t.TempDir(), "queue"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for _, name := range []string{"a.example", "b.example"} {
			internet.Host(name, nil).Handle("/llms.txt", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Second)
				_, _ = w.Write([]byte("# A\n\n> A site.\n"))
			}))
			if _, err := file.Offer(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		own, err := memory.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		o := internet.Options()
		o.Formats, o.Store = []*parse.Format{llmstxt.Format()}, full{own}
		c, err := client.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		queue := ledger{file, map[string]uint64{}}
		if _, err := crawl.Work(t.Context(), c, queue, &crawl.Options{InFlight: 1}); err != nil {
			t.Fatal(err)
		}
		var told uint64
		for _, n := range queue.told {
			told += n
		}
		if told == 0 || len(queue.told) != 1 {
			t.Errorf("the queue was told %v", queue.told)
		}
	})
}
