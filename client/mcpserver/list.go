package mcpserver

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
)

// listing holds the offers that hosts see. It changes when their definitions change, at most once
// per notifyPause.
type listing struct {
	mu      sync.Mutex
	shown   map[offerID][sha256.Size]byte // digests of definitions
	many    bool                          // there were too many tools to be listed by their own names
	changed time.Time
	later   *time.Timer
	ended   bool
}

// stop ends changes of the list.
func (l *listing) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.later != nil {
		l.later.Stop()
	}
}

// take makes a Box the current Box of the server, and shows its offers.
func (l *listing) take(s *Server, box *tools.Box) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.box.Store(box)
	l.set(s, box)
}

// show shows the offers of the current Box again, because the server's own tools have changed.
func (l *listing) show(s *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(s, s.Box())
}

// settle shows the offers of the current Box without a pause, because a host asks for them.
func (l *listing) settle(s *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.later != nil {
		l.changed = time.Time{}
		l.set(s, s.Box())
	}
}

// set shows the offers of a Box, at once or when notifyPause has passed since the last change.
func (l *listing) set(s *Server, box *tools.Box) {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
	if l.ended {
		return
	}
	list, many := s.surface.direct(box, l.many)
	l.many = many
	own := append(s.surface.metaTools(box), s.openTool())
	if s.pended.Load() || mayPend(box) {
		own = append(own, s.surface.waitTool())
	}
	list = slices.Concat(own, list, s.surface.content(box))
	digests := make(map[offerID][sha256.Size]byte, len(list))
	var news []offered
	for _, t := range list {
		raw, err := json.Marshal(t.shown())
		if err != nil {
			continue // the SDK could not write it either
		}
		digests[t.id()] = sha256.Sum256(raw)
		if old, ok := l.shown[t.id()]; !ok || old != digests[t.id()] {
			news = append(news, t)
		}
	}
	var gone []offerID
	for id := range l.shown {
		if _, ok := digests[id]; !ok {
			gone = append(gone, id)
		}
	}
	if len(news)+len(gone) == 0 {
		return
	}
	if wait := notifyPause - time.Since(l.changed); wait > 0 && l.shown != nil && !l.changed.IsZero() {
		l.later = time.AfterFunc(wait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.set(s, s.Box())
		})
		return
	}
	if l.shown != nil {
		l.changed = time.Now()
	}
	l.shown = digests
	for _, id := range gone {
		id.remove(s.mcp)
	}
	for _, t := range news {
		t.add(s.mcp)
	}
}
