package mcpserver

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
)

// restTimes is the least ratio of the pause after a reading to the reading itself: of
// many domains one is always stale.
const restTimes = 20

// follow reads the domains, and again whenever one of their sources is stale.
func (s *Server) follow() {
	for first := true; ; first = false {
		began := time.Now()
		s.read()
		took := time.Since(began)
		if first {
			close(s.ready)
		}
		timer := time.NewTimer(max(s.pause(), restTimes*took))
		select {
		case <-timer.C:
		case <-s.more:
		case <-s.ctx.Done():
		}
		timer.Stop()
		if s.ctx.Err() != nil {
			s.mu.Lock()
			if s.reading != nil {
				close(s.reading)
				s.reading = nil
			}
			s.mu.Unlock()
			return
		}
	}
}

// reread reads the domains now, and waits for the end of the reading.
func (s *Server) reread(ctx context.Context) error {
	s.mu.Lock()
	if s.reading == nil {
		s.reading = make(chan struct{})
	}
	done := s.reading
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default: // a reading is already requested
	}
	select {
	case <-done:
		return s.ctx.Err()
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause is the time for which the last reading is valid.
func (s *Server) pause() time.Duration {
	return min(max(time.Until(time.UnixMilli(s.until.Load())), leastPause), mostPause)
}

// read asks the domains, several at a time, and makes a Box of their offers. It keeps
// the names of earlier Boxes, so that no tool gets the former name of another.
func (s *Server) read() {
	how := s.naming()
	s.mu.Lock()
	domains, done := s.domains, s.reading
	s.reading = nil
	s.mu.Unlock()
	if done != nil {
		defer close(done)
	}
	box, err := tools.Load(s.ctx, s.client, domains, how)
	if err != nil {
		s.surface.opts.Logger.Warn("the domains could not be read", "err", err)
		return // the previous Box stays
	}
	s.surface.grants.bind(box, false)
	s.take(box)
	for _, skipped := range box.Skipped() {
		if skipped.Code == tools.CodeUnmatched && skipped.Asked && len(domains) > 0 {
			s.surface.opts.Logger.Warn("nothing matches " + skipped.Key)
		}
	}
}

// naming returns the rules for tools and their names. Names contain the domain unless they
// are chosen, so that the name of an allowed tool never refers to another site, and stay
// as they were.
func (s *Server) naming() *tools.Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &s.surface.opts
	return &tools.Options{MaxName: tools.MaxPrefixed, Sites: true, Names: s.names, Only: o.Only, Except: o.Except, OperationNames: o.OperationNames}
}

// take makes a Box the current one of the server.
func (s *Server) take(box *tools.Box) {
	kept, err := box.Names()
	if err == nil && len(kept) > maxNames { // a site that has new tools each time makes it grow without end
		kept, err = box.OwnNames()
	}
	s.mu.Lock()
	if err == nil {
		s.names = kept
	}
	s.mu.Unlock()
	until := box.FreshUntil()
	if until.IsZero() {
		until = time.Now().Add(mostPause)
	}
	s.until.Store(max(0, until.UnixMilli()))
	s.private.Store(box.Private())
	s.list.take(s, box)
}
