package inspect

import (
	"context"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client"
)

// maxParts bounds the parts that a Watch keeps; a Resolve has some hundred.
const maxParts = 20_000

// Watch keeps the parts of a Client's work, for the waterfall. Its method Observe is
// for client.Options. It is safe for concurrent use.
type Watch struct {
	start time.Time

	mu      sync.Mutex
	parts   []Part
	changes []int         // the IDs of parts, in the order of their changes
	news    chan struct{} // closed and replaced with each change
}

// Part is a part of the work: a bar of the waterfall.
type Part struct {
	// ID counts from 1; Within is that of the part around it, 0 for none.
	ID     int `json:"id"`
	Within int `json:"within,omitempty"`
	// BeginMs and EndMs count from the start of the Watch; EndMs is missing while the
	// part goes on.
	BeginMs float64  `json:"beginMs"`
	EndMs   *float64 `json:"endMs,omitempty"`

	Kind    string `json:"kind"`
	Target  string `json:"target,omitempty"`
	Places  int    `json:"places,omitempty"`
	Status  int    `json:"status,omitempty"`
	From    string `json:"from,omitempty"`
	Verdict string `json:"verdict,omitempty"`
	Error   string `json:"error,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// NewWatch begins to count time.
func NewWatch() *Watch {
	return &Watch{start: time.Now(), news: make(chan struct{})}
}

type withinKey struct{}

// Observe is a client.Observe.
func (w *Watch) Observe(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
	around, _ := ctx.Value(withinKey{}).(int)
	id := w.begin(around, e)
	if id == 0 {
		return ctx, nil
	}
	return context.WithValue(ctx, withinKey{}, id), func(end client.Event) { w.end(id, end) }
}

func (w *Watch) begin(within int, e client.Event) (id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.parts) == maxParts {
		return 0
	}
	id = len(w.parts) + 1
	w.parts = append(w.parts, Part{ID: id, Within: within, BeginMs: w.now(), Kind: e.Kind, Target: e.Target, Places: e.Places})
	w.changed(id)
	return id
}

func (w *Watch) end(id int, e client.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.now()
	p := &w.parts[id-1]
	p.EndMs, p.Status, p.From, p.Verdict = &at, e.Status, e.From, string(e.Verdict)
	p.Error, p.Bytes, p.Outcome = e.Error, e.Bytes, e.Outcome
	w.changed(id)
}

func (w *Watch) now() float64 { return float64(time.Since(w.start).Microseconds()) / 1000 }

// changed tells those who wait. It is called with the lock held.
func (w *Watch) changed(id int) {
	w.changes = append(w.changes, id)
	close(w.news)
	w.news = make(chan struct{})
}

// Since returns the parts that changed after the first seen changes, each as it is now,
// the number of changes until now, and a channel that is closed with the next.
func (w *Watch) Since(seen int) (parts []Part, now int, next <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := map[int]bool{}
	for _, id := range w.changes[min(max(seen, 0), len(w.changes)):] {
		if !told[id] {
			told[id] = true
			parts = append(parts, w.parts[id-1])
		}
	}
	return parts, len(w.changes), w.news
}
