package publish

import (
	"maps"
	"sync"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// Heard are the last answers of a run, by URL.
type Heard struct {
	mu      sync.Mutex
	answers map[string]sitecheck.Answer
}

// Record adds the answer of an exchange, if it has one.
func (h *Heard) Record(e *client.Exchange) {
	if e.Failure != nil || e.Method != "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answers == nil {
		h.answers = map[string]sitecheck.Answer{}
	}
	h.answers[e.URL] = sitecheck.Answer{Status: e.Status, Header: e.Header, Body: e.Body}
}

// At returns the answer of a URL.
func (h *Heard) At(u string) (a sitecheck.Answer, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, known = h.answers[u]
	return a, known
}

// All returns a copy of the answers. After an interrupt, a request that is still under way can add one.
func (h *Heard) All() map[string]sitecheck.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.answers)
}

// Forget removes the answers.
func (h *Heard) Forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.answers)
}
