package crawl_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/parse"
)

// single is a queue with one lease. It counts the calls about the lease.
type single struct {
	crawl.Queue
	renew        func() error // nil: as the queue does
	taken        bool
	renewed      atomic.Int64
	done, failed int
}

func (q *single) Take(ctx context.Context) (crawl.Lease, error) {
	if q.taken {
		return nil, crawl.ErrEmpty
	}
	q.taken = true
	l, err := q.Queue.Take(ctx)
	return &counted{l, q}, err
}

type counted struct {
	crawl.Lease
	*single
}

func (l *counted) Renew(ctx context.Context) error {
	l.renewed.Add(1)
	if l.renew != nil {
		return l.renew()
	}
	return l.Lease.Renew(ctx)
}

func (l *counted) Done(ctx context.Context, r crawl.Result) error {
	l.done++
	return l.Lease.Done(ctx, r)
}

func (l *counted) Fail(ctx context.Context, after time.Duration, tried bool) error {
	l.failed++
	return l.Lease.Fail(ctx, after, tried)
}

// If the lease of a worker cannot be renewed before the first request, it asks nothing and
// reports nothing about the target for any reason, because another worker may have it now.
func TestWithoutALeaseNothingIsAskedOrStored(t *testing.T) {
	for name, row := range map[string]struct {
		renew          func() error
		asked          bool
		lost, finished int
	}{
		"renewed":          {nil, true, 0, 1},
		"lost":             {func() error { return crawl.ErrLost }, false, 1, 0},
		"the queue fails":  {func() error { return errors.New("no route to the server") }, false, 1, 0},
		"the queue is off": {func() error { return context.DeadlineExceeded }, false, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				internet := clienttest.New(t)
				internet.Host("a.example", clienttest.Pages{"/llms.txt": "# A\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n"})
				file, err := crawl.OpenFile(filepath.Join(t.TempDir(), "queue"), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				if _, err := file.Offer(t.Context(), "a.example"); err != nil {
					t.Fatal(err)
				}
				o := internet.Options()
				o.Formats = []*parse.Format{llmstxt.Format()}
				c, err := client.New(o)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				q := &single{Queue: file, renew: row.renew}
				report, err := crawl.Work(t.Context(), c, q, nil)
				if err != nil || report.Lost != row.lost || report.Repeated+report.Deferred != 0 {
					t.Errorf("%+v, %v", report, err)
				}
				if asked := len(internet.Requests()) > 0; asked != row.asked {
					t.Errorf("%d requests, want some: %t", len(internet.Requests()), row.asked)
				}
				if q.renewed.Load() == 0 || q.done != row.finished || q.failed != 0 || len(report.Results) != row.finished {
					t.Errorf("renewed %d times, %d results stored, given back %d times; %v", q.renewed.Load(), q.done, q.failed, report.Results)
				}
			})
		})
	}
}
