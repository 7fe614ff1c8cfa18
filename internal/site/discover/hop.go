package discover

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/flight"
	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// candidateFetch is the state of one candidate: its request, and the requests to which redirects
// lead.
type candidateFetch struct {
	*Session
	candidate  *places.Candidate
	directives string // for the cache
	most       wayfind.TooLarge
	once       bool // the request must reach the site at most once
	walk       fetch.Walk

	entries []*cache.Entry // the answers, in order
	entry   *cache.Entry   // the last of them; nil if no answer was stored
	facts   cache.Facts    // of entry
	until   time.Time      // the earliest end of freshness of all answers

	doc   *reading.Contents    // of entry, with the documents that belong to it
	notes []wayfind.Diagnostic // about these documents
}

// run sends the requests, hop by hop, as far as redirects lead.
func (t *candidateFetch) run(ctx context.Context) error {
	eng := t.Engine
	obeys := eng.Opts.Robots.Enforce && !t.candidate.Robots && !eng.Opts.Offline
	for {
		if err := t.mayAsk(t.walk.Final()); err != nil {
			return err
		}
		if obeys {
			if err := t.obey(ctx, t.walk.Final()); err != nil {
				return err
			}
		}
		entry, facts, err := t.hop().step(ctx)
		if err != nil {
			return err
		}
		t.entry, t.facts = entry, facts
		if entry == nil {
			return nil
		}
		t.entries = append(t.entries, entry)
		// A document behind a redirect is no fresher than the redirect.
		if t.until.IsZero() || facts.FreshUntil.Before(t.until) {
			t.until = facts.FreshUntil
		}
		if done, err := t.walk.Next(entry.Status, entry.Header["Location"]); done || err != nil {
			return err
		}
	}
}

// hop is one request for a candidate: the Ask for the cache, and the value that implements the cache's
// interfaces.
type hop struct {
	*Session
	candidate *places.Candidate
	ask       cache.Ask
	fetch     fetch.Ask
	attempt   fetch.Ask       // a copy of fetch: the first that was sent
	taken     int64           // the taken part of the bytes that documents may occupy
	seen      context.Context // of the request, for Observe
	lane      gate.Lane
	via       string // the URL whose redirect led here, for Observe
}

// hop returns the request for the next URL.
func (t *candidateFetch) hop() *hop {
	u := t.walk.Final()
	h := &hop{Session: t.Session, candidate: t.candidate, lane: t.lane()}
	// A request of a batch has its turn, and a request in the background would outlive it.
	h.ask = cache.Ask{URL: u, Header: t.Engine.headers.of(t.candidate.Accept, t.directives), Partition: t.Partition, Foreground: t.sent != nil, Inline: t.callers != nil}
	own := false
	for i := range t.Credential {
		if c := &t.Credential[i]; c.Fits(u) {
			if !own {
				h.ask.Header, own = h.ask.Header.Clone(), true
			}
			h.ask.Header.Set(c.Field, c.Value)
		}
	}
	// A stored answer of another site must be complete.
	h.fetch = fetch.Ask{URL: u, MaxBytes: t.most.Limit, Option: t.most.Option, Truncate: t.candidate.Limits.Truncate && h.lane != gate.Led, Once: t.once}
	if len(t.walk.Chain) == 0 && t.opening.Of(u) {
		h.fetch.Opening = t.opening
	}
	if t.Engine.Opts.Observe != nil {
		h.via = t.walk.Before()
	}
	h.bind()
	return h
}

// headers are the headers of requests without a credential. Requests share them, so they are not
// changed. There are few, because formats determine the fields.
type headers struct {
	agent []string // the User-Agent field

	mu   sync.Mutex
	made map[[2]string]http.Header
}

// of returns the header with the fields Accept and Cache-Control.
func (all *headers) of(accept, directives string) http.Header {
	all.mu.Lock()
	defer all.mu.Unlock()
	key := [2]string{accept, directives}
	if h := all.made[key]; h != nil {
		return h
	}
	h := http.Header{"User-Agent": all.agent} // an answer may vary on it
	if accept != "" {
		h["Accept"] = []string{accept}
	}
	if directives != "" {
		h["Cache-Control"] = []string{directives}
	}
	if all.made == nil {
		all.made = map[[2]string]http.Header{}
	}
	all.made[key] = h
	return h
}

// bind makes the Ask refer to the hop.
func (h *hop) bind() {
	h.ask.Rules, h.ask.Origin, h.ask.Visits, h.ask.Arena = h, h, h.visits, h.arena
	if len(h.pins) > 0 {
		h.ask.Pins = h.pins
	}
	if h.lease != nil {
		h.ask.Turns = h.Session
	}
	h.fetch.Budget, h.fetch.Callers, h.fetch.Call, h.fetch.Auth, h.fetch.Sent = h.budget, h.callers, h.Work, h.Engine.devAuth(h.Credential), h.sent
}

// Fetch implements cache.Origin with the gate and the steps of package fetch.
func (h *hop) Fetch(ctx context.Context, header http.Header) (*http.Response, cache.Wire, error) {
	if h.within != nil {
		ctx = h.within
	}
	if err := h.reserve(ctx, requestBytes, h.left()); err != nil {
		return nil, cache.Wire{}, err
	}
	resp, wire, err := h.send(ctx, header)
	if err != nil {
		h.settle(0)
		return nil, wire, err
	}
	h.meter(ctx, resp)
	return resp, wire, nil
}

func (h *hop) send(ctx context.Context, header http.Header) (*http.Response, cache.Wire, error) {
	if err := h.fetch.Opening.Err(h.ask.URL); err != nil {
		return nil, cache.Wire{}, err
	}
	floor, every := h.floor()
	pass, err := h.Engine.Gate.Enter(ctx, h.ask.URL, h.lane, floor, every, h.glance)
	if err != nil {
		return nil, cache.Wire{}, err
	}
	a := &h.attempt
	if a.URL != nil { // the body of its answer may still be read
		a = new(fetch.Ask)
	}
	*a = h.fetch
	a.Header = header
	if h.seen != nil { // the context of a flight has no values
		ctx = h.Engine.observedAs(ctx, ObservedBy(h.seen))
	}
	resp, err := h.Engine.steps.Do(ctx, a)
	h.Engine.heard(resp)
	pass.Done(resp, err, a.Written)
	return resp, cache.Wire{Remote: a.Remote}, err
}

// Background implements cache.Origin.
func (h *hop) Background(ctx context.Context) *cache.Ask {
	own := *h
	own.Session, own.taken, own.attempt = h.Session.background(ctx), 0, fetch.Ask{}
	own.bind()
	return &own.ask
}

// step asks the cache for one hop, and reports to Observe. A panic in a flight of the cache becomes
// an error. The entry is nil if the cache has no answer.
func (h *hop) step(ctx context.Context) (*cache.Entry, cache.Facts, error) {
	if h.Engine.Opts.Observe == nil {
		return h.do(ctx)
	}
	return h.observed(ctx)
}

// observed is do with a report to Observe.
func (h *hop) observed(ctx context.Context) (*cache.Entry, cache.Facts, error) {
	eng := h.Engine
	e := Event{Kind: kindRequest, Target: shownURL(h.ask.URL.String()), RedirectedFrom: shownURL(h.via)}
	within, part := eng.Observe(ctx, e)
	h.seen = within
	entry, facts, err := h.do(within)
	if err != nil {
		told := asHeld(h.ask.URL.String(), err)
		e.Error = wayfind.ErrorClass(told)
		e.Verdict, _ = verdict.OfError(told)
	}
	if entry != nil {
		if doc := DocumentOf(entry); doc != nil && entry.Status/100 != 3 {
			e.Verdict, _, _ = doc.Verdict()
		}
		e.Status, e.From, e.Bytes = entry.Status, facts.From, int64(len(entry.Body))
	}
	part.End(e)
	return entry, facts, err
}

// do asks the cache, and records the result.
func (h *hop) do(ctx context.Context) (*cache.Entry, cache.Facts, error) {
	eng := h.Engine
	answer, err := eng.Cache.Do(ctx, &h.ask)
	if err == nil && answer.Response != nil { // no limit here is as high as the cache's
		err = errors.Join(errUnread(h.ask.URL.String()), answer.Response.Body.Close())
	}
	if err != nil {
		err = eng.Landed(h.ask.URL.String(), err)
	}
	if eng.Opts.Lab.Record != nil && h.Partition == "" { // an answer to a credential is not recorded
		eng.Opts.Lab.Record(h.ask.URL, answer.Entry, err, eng.DevSecrets)
	}
	return answer.Entry, answer.Facts, err
}

// errUnread returns the error for an answer that was not read, which is a bug in this module.
func errUnread(u string) error {
	return wayfind.NewError("resolve", u, wayfind.CodePanic, errors.New("the answer was not read"))
}

// floor returns the longest pause that a format demands at this place, and its name. Each place is
// asked once per pause, so a primary and its fallback together are one attempt.
func (h *hop) floor() (key string, every time.Duration) {
	for _, f := range h.candidate.Formats {
		if f.Cache.Floor > every {
			key, every = f.Name+" "+h.ask.URL.Host+" "+h.ask.URL.Path, f.Cache.Floor
		}
	}
	return key, every
}

// Pinned implements cache.Pins.
func (p EntryPins) Pinned(u *url.URL) *cache.Entry { return p.find(u.String()).entry() }

// Landed returns the error of a flight. If the flight panicked, it returns the same error that
// other callers get.
func (eng *Engine) Landed(url string, err error) error {
	p, ok := errors.AsType[*flight.PanicError](err)
	if !ok {
		return err
	}
	e := panics.NewGuard(eng.Opts.Logger, "resolve", "flight").ErrorOf(p.Value, p.Stack)
	e.URL = secret.Recorded(url)
	return e
}

// readInTurn reads the body of an answer when there is memory for it.
func (h *hop) readInTurn(res *reading.Response) *reading.Contents {
	room := h.Engine.Opts.Limits.Reading.Open(h.domain, h.Work.Pause)
	defer room.Close()
	_ = room.Take(h.Engine.base, int64(len(res.Body))*readingFactor, nil) // else the Client is closed, and nothing is read
	return h.readObserved(res)
}

// readObserved reads the body of an answer, and reports to Observe.
func (h *hop) readObserved(res *reading.Response) *reading.Contents {
	eng := h.Engine
	if eng.Opts.Observe == nil || h.seen == nil {
		return h.read(res)
	}
	e := Event{Kind: kindRead, Target: shownURL(res.URL.String()), Bytes: int64(len(res.Body))}
	_, part := eng.Observe(h.seen, e)
	doc := h.read(res)
	var err error
	e.Verdict, _, err = doc.Verdict()
	e.Error = wayfind.ErrorClass(err)
	part.End(e)
	return doc
}
