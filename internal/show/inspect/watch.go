package inspect

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/web/capture"
)

// maxParts is the maximum number of parts that a Watch stores; a Resolve has about a hundred.
const maxParts = 20_000

// kindFull is the Kind of the last part of a Watch that is full.
const kindFull = "full"

// Watch stores the parts of a Client's work, for the waterfall. Its method Observe is for
// client.Options. It is safe for concurrent use.
type Watch struct {
	start time.Time

	mu       sync.Mutex
	parts    []Part
	changes  []int         // the IDs of parts, in the order of their changes
	messages               // of exchanges
	news     chan struct{} // closed and replaced at each change
}

// Part is a part of the work: a bar of the waterfall.
type Part struct {
	// ID starts at 1. Within is the ID of the enclosing part, or 0 if there is none.
	ID     int `json:"id"`
	Within int `json:"within,omitempty"`
	// BeginMs and EndMs are times in milliseconds since the start of the Watch. EndMs is nil
	// until the part has ended.
	BeginMs float64  `json:"beginMs"`
	EndMs   *float64 `json:"endMs,omitempty"`

	Kind           string `json:"kind"`
	Target         string `json:"target,omitempty"`
	Places         int    `json:"places,omitempty"`
	Method         string `json:"method,omitempty"`
	Attempt        int    `json:"attempt,omitempty"`
	RedirectedFrom string `json:"redirectedFrom,omitempty"`

	// Status is the status with its name in HTTP.
	Status  string  `json:"status,omitempty"`
	From    string  `json:"from,omitempty"`
	Verdict string  `json:"verdict,omitempty"`
	Error   string  `json:"error,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`
	Outcome string  `json:"outcome,omitempty"`
	Joined  bool    `json:"joined,omitempty"`
	Stages  []Stage `json:"stages,omitempty"`
	// Reused is true if an exchange used an existing connection.
	Reused bool `json:"reused,omitempty"`
}

// Stage is one of the consecutive stages of an exchange. It is a segment of the bar.
type Stage struct {
	// Name is queue, dns, connect, tls, wait or read.
	Name string  `json:"name"`
	Ms   float64 `json:"ms"`
}

// NewWatch returns a Watch whose time starts now.
func NewWatch() *Watch {
	return &Watch{start: time.Now(), news: make(chan struct{})}
}

type withinKey struct{}

// within is the part around a part. The context may be from a Watch that has ended; see Relay.
type within struct {
	watch *Watch
	id    int
}

// Observe is a client.Observe.
func (w *Watch) Observe(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
	around, _ := ctx.Value(withinKey{}).(within)
	if around.watch != w {
		around.id = 0
	}
	id := w.begin(around.id, e)
	if id == 0 {
		return ctx, nil
	}
	if e.Kind == client.EventExchange {
		ctx = capture.With(ctx, func(m *capture.Message) { w.keep(id, m) })
	}
	return context.WithValue(ctx, withinKey{}, within{w, id}), func(end client.Event) { w.end(id, end) }
}

func (w *Watch) begin(within int, e client.Event) (id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.parts) == maxParts {
		return 0
	}
	id = len(w.parts) + 1
	if id == maxParts {
		at := w.now()
		w.parts = append(w.parts, Part{ID: id, BeginMs: at, EndMs: &at, Kind: kindFull, Error: "no later part is kept"})
		w.changed(id)
		return 0
	}
	w.parts = append(w.parts, Part{ID: id, Within: within, BeginMs: w.now(), Kind: e.Kind, Target: e.Target, Places: e.Places,
		Method: e.Method, Attempt: e.Attempt, RedirectedFrom: e.RedirectedFrom})
	w.changed(id)
	return id
}

func (w *Watch) end(id int, e client.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.now()
	p := &w.parts[id-1]
	p.EndMs, p.Status, p.From, p.Verdict = &at, statusText(e.Status), originText(e.From, ""), verdictText(e.Verdict)
	p.Target = cmp.Or(e.Target, p.Target) // the target of a call is known only now
	p.Error, p.Bytes, p.Outcome, p.Joined = e.Error, e.Bytes, e.Outcome, e.Joined
	p.Stages, p.Reused = stagesOf(e.Stages), e.Stages.Reused
	w.changed(id)
}

// at returns the time of a number of milliseconds since the start.
func (w *Watch) at(ms float64) time.Time {
	return w.start.Add(time.Duration(ms * float64(time.Millisecond))).UTC().Truncate(time.Microsecond)
}

func (w *Watch) now() float64 { return inMs(time.Since(w.start)) }

func inMs(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// stagesOf returns the stages that took time, in their order.
func stagesOf(s client.Stages) []Stage {
	var list []Stage
	for _, stage := range []struct {
		name string
		took time.Duration
	}{{"queue", s.Queue}, {"dns", s.DNS}, {"connect", s.Connect}, {"tls", s.TLS}, {"wait", s.Wait}, {"read", s.Read}} {
		if stage.took >= time.Microsecond {
			list = append(list, Stage{Name: stage.name, Ms: inMs(stage.took)})
		}
	}
	return list
}

// resolved returns the ID of the first complete answer among the parts after the first ones, or
// 0 if there is none.
func (w *Watch) resolved(after int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts[min(after, len(w.parts)):] {
		if p.Kind == client.EventResolve && p.Within == 0 && p.EndMs != nil {
			return p.ID
		}
	}
	return 0
}

// count returns the number of parts so far.
func (w *Watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.parts)
}

// changed notifies the waiting goroutines. The lock must be held.
func (w *Watch) changed(id int) {
	w.changes = append(w.changes, id)
	close(w.news)
	w.news = make(chan struct{})
}

// Since returns the parts that changed after the first seen changes, each in its present state,
// the number of changes until now, and a channel that is closed at the next change.
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
