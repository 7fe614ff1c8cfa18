package discover

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/fairshare"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// Session is the state that the requests of one call share. It does not change once the requests
// have begun.
type Session struct {
	Engine  *Engine
	budget  *fetch.Budget      // of retries
	Work    *pausable.Context  // of the whole call; nil: the context of the request alone
	share   *fairshare.Stay    // in the memory that calls hold
	within  context.Context    // of a renewal in the background; nil: the context of the request
	domain  string             // the domain that waits for a parser and for room
	callers *fetch.Callers     // ends when the last caller has left; nil: no caller can leave
	Books   *rulebooks         // robots rules, each asked for once
	pins    EntryPins          // documents of the previous Site
	lease   *gate.Lease        // of the fleet; nil: no agreement with other processes
	visits  *cache.Visits      // content of the store of Options; nil: it is asked for each URL
	arena   *cache.FoldedArena // of the absences that the call finds
	glance  *gate.Glance       // at the pauses of the plan; nil: each URL is looked at
	home    string             // the host that the call is about
	Led     bool               // a document of another site named the URL of the call
	Foreign *atomic.Int64      // requests to other sites that the call may still make
	Files   *atomic.Int64      // requests left for documents that belong to others
	opening *fetch.Opening     // of the wave; nil: its requests do not wait for one of them
	sent    *atomic.Int64      // counts requests on connections; nil: not counted

	// Credential is sent with requests to its origin. Partition identifies the caller whose answers
	// are kept apart. Both are zero for public answers.
	Credential []fetch.AuthPart
	Partition  string
}

// retryBudget is the number of retries in one call, over all its requests.
const retryBudget = 6

// NewSession begins a call about a host. Its requests end with ctx, with Options.Timeout, and with
// end, which must be called. refresh asks again for robots rules that are fresh.
func (eng *Engine) NewSession(ctx context.Context, home string, refresh bool) (s *Session, end func()) {
	work, cancel := pausable.WithTimeout(ctx, eng.Opts.Timeout)
	s = &Session{Engine: eng, Work: work, budget: fetch.NewBudget(retryBudget), Books: &rulebooks{refresh: refresh, of: map[string]func() *Outcome{}}, home: home, domain: eng.Domain(home), Foreign: new(atomic.Int64), Files: new(atomic.Int64), visits: eng.Layers.Visits(), arena: new(cache.FoldedArena)}
	s.Foreign.Store(int64(eng.Opts.Limits.Foreign))
	s.Files.Store(maxFiles)
	s.share = eng.Opts.Limits.Bytes.Open(s.domain, work, func() {
		if work.Err() == nil {
			eng.Crowded.Add(1)
		}
		work.End(errCrowded)
	})
	return s, func() {
		cancel()
		s.share.Close()
		s.visits.Close()
	}
}

// errCrowded is the cause if others wait for the memory that the call holds.
var errCrowded = errors.New("the site took long, and others waited for the memory that the call held")

// crowded returns the error of a call that had to end because others waited.
func crowded(url string) error {
	return wayfind.NewError("resolve", url, wayfind.CodeCrowded, errCrowded)
}

// orCrowded returns the error of a request, or crowded if that is the cause of the early end of its
// call.
func (s *Session) orCrowded(url string, err error) error {
	if err == nil || !s.share.Asked() {
		return err
	}
	if _, reason := verdict.OfError(err); reason != string(wayfind.CodeDeadline) {
		return err
	}
	return crowded(url)
}

// errForeign is the error if the call has made as many requests to other sites as it may.
var errForeign = errors.New("too many requests to other sites")

// mayAsk counts a request to another site than the site of the call. Without this limit, a site
// whose places all redirect could direct many requests to others. Answers of a cache are counted as
// well, so that the limit does not depend on it.
func (s *Session) mayAsk(u *url.URL) error {
	if s.home == "" || s.home == u.Hostname() || s.Engine.SameSite(s.home, u.Hostname()) || s.Foreign.Add(-1) >= 0 {
		return nil
	}
	return errForeign
}

// anonymous returns the session without the caller's credential, for answers that belong to the
// origin.
func (s *Session) anonymous() *Session {
	if s.Partition == "" {
		return s
	}
	own := *s
	own.Credential, own.Partition = nil, ""
	return &own
}

// background returns the session for a request for which no caller waits. No caller can leave it,
// and it has retries of its own. Its part in the lease lasts until ctx ends.
func (s *Session) background(ctx context.Context) *Session {
	own := *s
	own.budget, own.Work, own.callers = fetch.NewBudget(retryBudget), nil, nil
	within, quit := context.WithCancel(ctx)
	own.within, own.share = within, s.Engine.Opts.Limits.Bytes.Open(s.domain, nil, quit)
	own.visits, own.arena, own.glance, own.opening = s.Engine.Layers.Visits(), new(cache.FoldedArena), nil, nil
	context.AfterFunc(ctx, func() {
		own.share.Close()
		own.visits.Close()
	})
	if s.lease != nil {
		own.lease = s.lease.Again()
		context.AfterFunc(ctx, own.lease.Leave)
	}
	return &own
}

// joinLease takes part in the lease of an origin. l is nil if there is no other process to agree
// with. leave ends the participation.
func (eng *Engine) joinLease(origin string) (l *gate.Lease, leave func()) {
	if eng.Layers == nil || eng.Opts.Offline {
		return nil, func() {}
	}
	l = eng.leases.Join(origin)
	return l, l.Leave
}

// Turn implements cache.Turns.
func (s *Session) Turn(ctx context.Context) (turn cache.Turn, since uint64) {
	return s.lease.Turn(ctx, s.left())
}

// directives returns a request's directives to the cache.
func (s *Session) directives(candidate *places.Candidate, refresh bool) string {
	switch {
	case s.Engine.Opts.Offline:
		return "only-if-cached, max-stale"
	case refresh && candidate.Aside:
		return fmt.Sprintf("max-age=%.0f", verdict.RefreshAside.Seconds())
	case refresh:
		return "no-cache"
	}
	return ""
}

// left returns a channel that is closed when the last caller has left; nil if no caller can leave.
func (s *Session) left() <-chan struct{} {
	if s.callers == nil {
		return nil
	}
	return s.callers.Done()
}
