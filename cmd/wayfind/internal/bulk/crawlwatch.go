package bulk

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// watchEvery is the time between two progress lines of a worker.
const watchEvery = 10 * time.Second

// watched is a queue that reports the progress of its worker.
type watched struct {
	crawl.Queue

	worker string

	mu     sync.Mutex
	begun  time.Time
	causes map[string]int
	done   int
	due    map[string]time.Time // the times when targets that were given back are due
}

func newWatched(q crawl.Queue) *watched {
	return &watched{Queue: q, worker: rand.Text(), begun: time.Now(), causes: map[string]int{}, due: map[string]time.Time{}}
}

// Unstored implements crawl.Ledger, for a queue that is one.
func (w *watched) Unstored(ctx context.Context, worker string, answers uint64) error {
	if ledger, ok := w.Queue.(crawl.Ledger); ok {
		return ledger.Unstored(ctx, worker, answers)
	}
	return nil
}

// Take implements crawl.Queue.
func (w *watched) Take(ctx context.Context) (crawl.Lease, error) {
	l, err := w.Queue.Take(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.due, l.Task().Target)
	return watchedLease{l, w}, nil
}

// watchedLease is a lease that records when its target is due again.
type watchedLease struct {
	crawl.Lease
	queue *watched
}

// Fail implements crawl.Lease.
func (l watchedLease) Fail(ctx context.Context, after time.Duration, counted bool) error {
	err := l.Lease.Fail(ctx, after, counted)
	if err == nil {
		l.queue.mu.Lock()
		defer l.queue.mu.Unlock()
		l.queue.due[l.Task().Target] = time.Now().Add(after)
	}
	return err
}

// told counts a result.
func (w *watched) told(r crawl.Result, _ *wayfind.Site, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done++
	w.causes[r.Cause]++
}

// keep writes a progress line every ten seconds until ctx ends.
func (w *watched) keep(ctx context.Context, to io.Writer) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			c, err := w.Count(ctx)
			if err == nil {
				fmt.Fprintln(to, w.line(c, time.Now()))
			}
			w.note(ctx)
		}
	}
}

// line returns the progress of the crawl: this worker's results and their rate, the number of open
// domains, and the next domain that this worker has put off.
func (w *watched) line(c crawl.Counts, now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("%s  %d done (%s)", now.UTC().Format("15:04:05Z"), w.done, byCause(w.causes))
	second := float64(w.done) / max(now.Sub(w.begun).Seconds(), 1)
	if w.done > 0 {
		text += ", " + rate(second)
	}
	text += fmt.Sprintf(", %d open", c.Open())
	if next := w.next(); next != "" {
		return text + fmt.Sprintf(", %d of them put off: next %s at %s", len(w.due), ui.Show(next), w.due[next].UTC().Format("15:04:05Z"))
	}
	if w.done > 0 && c.Open() > 0 {
		text += ", about " + time.Duration(float64(c.Open())/second*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return text
}

// next returns the target that is due first among those that this worker has put off, or "".
func (w *watched) next() (next string) {
	for target, at := range w.due {
		if next == "" || at.Before(w.due[next]) {
			next = target
		}
	}
	return next
}

// note reports the next due target to the queue, for "crawl status". If this fails, the next call
// reports it again.
func (w *watched) note(ctx context.Context) {
	timed, ok := w.Queue.(crawl.Timed)
	if !ok {
		return
	}
	w.mu.Lock()
	next := w.next()
	at := w.due[next]
	w.mu.Unlock()
	_ = timed.Due(ctx, w.worker, next, at)
}

// rest reports to the queue that no target of this worker is due.
func (w *watched) rest(ctx context.Context) {
	w.mu.Lock()
	clear(w.due)
	w.mu.Unlock()
	w.note(ctx)
}
