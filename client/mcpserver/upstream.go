package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
)

const (
	// maxHeard is the largest number of MCP servers that are listened to, and maxHeardOf the largest
	// number of one domain. Each keeps a connection open, and over HTTP/1.1 an origin has six.
	maxHeard, maxHeardOf = 64, 3
	// settleTime is the time between the first notice of a change and the reading that follows,
	// because servers send a notice for each kind of list.
	settleTime = 500 * time.Millisecond
	// longStream is the duration after which a stream of notices is no failure, and shortBreak the
	// pause before the next one. After a failure the pause is leastPause, and it is doubled up to
	// mostPause for each failure that follows.
	longStream, shortBreak = time.Minute, time.Second
)

// upstream is an MCP server of a domain that says when its lists change.
type upstream struct {
	urls []string // its endpoints
	stop context.CancelFunc
}

// listen listens to the servers of a domain that declare notices of changes, by the IDs of their
// services. It stops listening to servers that are gone.
func (s *Server) listen(d *domain, part *tools.Box) {
	now := s.noticing(d, part)
	for id, u := range d.heard {
		if now[id] == nil && isAsked(part) {
			u.stop()
			delete(d.heard, id)
		}
	}
	for id, urls := range now {
		if d.heard[id] != nil {
			continue
		}
		if len(d.heard) == maxHeardOf || !s.mayHear() {
			s.surface.opts.Logger.Info("too many servers say when their lists change; this one is asked again only when its lists are stale", "domain", d.label(), "server", id)
			continue
		}
		ctx, stop := context.WithCancel(s.ctx)
		u := &upstream{urls: urls, stop: stop}
		d.heard[id] = u
		s.work.Go(func() {
			defer s.heard.Add(-1)
			defer stop()
			s.hear(ctx, d, id, u)
		})
	}
}

// mayHear counts one more server that is listened to, if there is room for it.
func (s *Server) mayHear() bool {
	if s.heard.Add(1) <= maxHeard {
		return true
	}
	s.heard.Add(-1)
	return false
}

// noticing returns the endpoints of the servers of a domain that declare notices of changes, and of
// the servers that may declare them: see mayDeclare. A server that has no tool yet is known from the
// Site alone.
func (s *Server) noticing(d *domain, part *tools.Box) map[string][]string {
	var all []*wayfind.Service
	unsure := make(map[*wayfind.Service]bool)
	for _, t := range part.Tools() {
		all = append(all, t.Service)
		unsure[t.Service] = unsure[t.Service] || mayDeclare(&t)
	}
	if site, ok := s.client.Peek(d.name); ok {
		for i := range site.Services {
			all = append(all, &site.Services[i])
		}
	}
	list := make(map[string][]string)
	for _, service := range all {
		if service == nil || list[service.ID] != nil || !unsure[service] && !saysChanges(service) {
			continue
		}
		for i := range service.Interfaces {
			if f := &service.Interfaces[i]; f.Protocol == protocolMCP && f.URL != "" {
				list[service.ID] = append(list[service.ID], f.URL)
			}
		}
	}
	return list
}

// abilities are the capabilities that the MCP server of a service declares.
type abilities struct {
	Tools, Resources, Prompts struct {
		Changed bool `json:"listChanged"`
	}
	Completions json.RawMessage
}

// abilitiesOf returns the abilities of the server of a service. If one is malformed, the others are
// there beside the error.
func abilitiesOf(service *wayfind.Service) (able abilities, err error) {
	err = json.Unmarshal(service.Extensions["capabilities"], &able)
	return able, err
}

// mayDeclare reports whether the server of a tool has described the tool, but not itself: it answers
// to a credential alone. Listening to it begins with its capabilities, and ends if it declares no
// notices.
func mayDeclare(t *tools.Tool) bool {
	if t.Service == nil || t.Capability == nil || t.Service.Extensions["capabilities"] != nil {
		return false
	}
	return slices.ContainsFunc(t.Capability.Sources, func(r wayfind.Ref) bool {
		return slices.ContainsFunc(t.Service.Interfaces, func(f wayfind.Interface) bool { return f.Protocol == protocolMCP && f.URL == r.Source })
	})
}

// saysChanges reports whether the server of a service declares notices of changes of a list.
func saysChanges(service *wayfind.Service) bool {
	able, err := abilitiesOf(service)
	return err == nil && (able.Tools.Changed || able.Resources.Changed || able.Prompts.Changed)
}

// hear listens to one server until ctx ends, or until the server refuses. A change that is said
// between two streams is found by the next reading.
func (s *Server) hear(ctx context.Context, d *domain, id string, u *upstream) {
	changed := func() { s.notice(d, u.urls) }
	for failures := 0; ; {
		began := time.Now()
		site, known := s.client.Peek(d.name) // a reading was just made
		var err error
		if !known {
			site, err = s.client.Resolve(ctx, d.name)
		}
		if err == nil {
			err = access.Of(s.client).Listen(ctx, site, id, changed)
		}
		pause := shortBreak
		switch isLong := time.Since(began) >= longStream; {
		case ctx.Err() != nil, errors.Is(err, errors.ErrUnsupported):
			return
		case !isLong:
			pause = min(leastPause<<min(failures, 16), mostPause)
			failures++
		default:
			failures = 0
			if e, _ := errors.AsType[*wayfind.Error](err); e != nil && e.Code != wayfind.CodeTimeout {
				changed() // the server may have been started again
			}
		}
		s.surface.opts.Logger.Debug("the stream of notices has ended", "domain", d.label(), "server", id, "err", err)
		timer := time.NewTimer(pause + rand.N(pause/4)) // many programs may have lost the same server
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// notice requests a reading of a domain, because the lists at some endpoints have changed.
func (s *Server) notice(d *domain, urls []string) {
	s.mu.Lock()
	for _, u := range urls {
		if !slices.Contains(d.stale, u) {
			d.stale = append(d.stale, u)
		}
	}
	s.mu.Unlock()
	select {
	case d.told <- struct{}{}:
	default: // one is requested already
	}
}

// forget makes the next reading ask the endpoints whose lists have changed.
func (s *Server) forget(d *domain) {
	select {
	case <-d.told:
	default:
	}
	s.mu.Lock()
	stale := d.stale
	d.stale = nil
	s.mu.Unlock()
	for _, u := range stale {
		if err := s.client.Purge(s.ctx, u); err != nil { // the Client itself has forgotten it
			s.surface.opts.Logger.Debug("a store has not forgotten an endpoint", "url", u, "err", err)
		}
	}
}

// rest waits until the next reading of a domain: after a pause, when one is requested, or after a
// notice of a change, but then not before least has passed since the last reading.
func (s *Server) rest(d *domain, pause, least time.Duration) {
	last, due := time.Now(), time.NewTimer(pause)
	defer due.Stop()
	for told := d.told; ; told = nil {
		select {
		case <-told:
			due.Reset(min(max(settleTime, least-time.Since(last)), pause-time.Since(last)))
			continue
		case <-due.C:
		case <-d.again:
		case <-s.ctx.Done():
		}
		return
	}
}
