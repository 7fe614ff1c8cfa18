package discover

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/security"
)

// request is one request for a candidate: the Ask for the cache, and the value that implements its
// interfaces.
type request struct {
	*Session
	candidate *places.Candidate
	ask       cache.Ask
	fetch     fetch.Ask
	attempt   fetch.Ask       // a copy of fetch: the first that was sent
	taken     int64           // the taken part of the bytes that documents may occupy
	seen      context.Context // of the request, for Observe
	lane      gate.Lane
	via       string // the URL whose redirect led here, for Observe
	given     bool   // the caller has the document
	again     int32  // how often the request was repeated; atomic, because the work may outlive its caller
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

// bind makes the Ask refer to the request.
func (r *request) bind() {
	r.ask.Rules, r.ask.Origin, r.ask.Visits, r.ask.Arena = r, r, r.visits, r.arena
	if len(r.pins) > 0 {
		r.ask.Pins = r.pins
	}
	if r.lease != nil {
		r.ask.Turns = r.Session
	}
	r.fetch.Budget, r.fetch.Callers, r.fetch.Call, r.fetch.Auth, r.fetch.Sent = r.budget, r.callers, r.Work, r.Engine.devAuth(r.Credential), r.sent
}

// Fetch implements cache.Origin with the gate and the steps of package fetch.
func (r *request) Fetch(ctx context.Context, header http.Header) (*http.Response, cache.Wire, error) {
	if r.within != nil {
		ctx = r.within
	}
	if err := r.reserve(ctx, requestBytes, r.left()); err != nil {
		return nil, cache.Wire{}, err
	}
	resp, wire, err := r.send(ctx, header)
	if err != nil {
		r.settle(0)
		return nil, wire, err
	}
	r.meter(ctx, resp)
	return resp, wire, nil
}

func (r *request) send(ctx context.Context, header http.Header) (*http.Response, cache.Wire, error) {
	if r.given {
		resp, err := fetch.NewBody(giving{r.Engine, referrer(r.candidate)}).Do(ctx, &r.fetch)
		return resp, cache.Wire{}, err
	}
	if err := r.fetch.Opening.Err(r.ask.URL); err != nil {
		return nil, cache.Wire{}, err
	}
	if err := r.inTurn(ctx, r.ask.URL); err != nil {
		return nil, cache.Wire{}, err
	}
	floor, every := r.floor()
	pass, err := r.Engine.Gate.Enter(ctx, r.ask.URL, r.lane, floor, every, r.glance)
	if err != nil {
		return nil, cache.Wire{}, err
	}
	a := &r.attempt
	if a.URL != nil { // the body of its answer may still be read
		a = new(fetch.Ask)
	}
	*a = r.fetch
	a.Header = header
	if r.seen != nil { // the context of a flight has no values
		ctx = r.Engine.observedAs(ctx, ObservedBy(r.seen))
	}
	resp, err := r.Engine.steps.Do(ctx, a)
	atomic.AddInt32(&r.again, int32(a.Repeats()))
	r.Engine.heard(resp)
	if r.Work != nil {
		pass.Under(r.Session)
	}
	err = pass.Done(resp, err, a.Written)
	return resp, cache.Wire{Remote: a.Remote}, err
}

// Background implements cache.Origin.
func (r *request) Background(ctx context.Context) *cache.Ask {
	own := *r
	own.Session, own.taken, own.attempt = r.Session.background(ctx), 0, fetch.Ask{}
	own.bind()
	return &own.ask
}

// step asks the cache for the answer, and reports to Observe. A panic in a flight of the cache becomes
// an error. The entry is nil if the cache has no answer.
func (r *request) step(ctx context.Context) (*cache.Entry, cache.Facts, error) {
	if r.Engine.Opts.Observe == nil {
		return r.do(ctx)
	}
	return r.observed(ctx)
}

// observed is do with a report to Observe.
func (r *request) observed(ctx context.Context) (*cache.Entry, cache.Facts, error) {
	eng := r.Engine
	e := Event{Kind: kindRequest, Target: shownURL(r.ask.URL.String()), RedirectedFrom: shownURL(r.via)}
	within, part := eng.Observe(ctx, e)
	r.seen = within
	entry, facts, err := r.do(within)
	if err != nil {
		told := asHeld(r.ask.URL.String(), err)
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
func (r *request) do(ctx context.Context) (*cache.Entry, cache.Facts, error) {
	eng := r.Engine
	answer, err := eng.Cache.Do(ctx, &r.ask)
	if err == nil && answer.Response != nil { // no limit here is as high as the cache's
		err = errors.Join(errUnread(r.ask.URL.String()), answer.Response.Body.Close())
	}
	if err != nil {
		err = eng.Landed(r.ask.URL.String(), err)
	}
	if eng.Opts.Lab.Record != nil && r.Partition == "" { // an answer to a credential is not recorded
		eng.Opts.Lab.Record(r.ask.URL, answer.Entry, err, eng.DevSecrets)
	}
	return answer.Entry, answer.Facts, err
}

// errUnread returns the error for an answer that was not read, which is a bug in this module.
func errUnread(u string) error {
	return wayfind.NewError("resolve", u, wayfind.CodePanic, errors.New("the answer was not read"))
}

// floor returns the longest pause that a format demands at this place, and its name. Each place is
// asked once per pause, so a primary and its fallback together are one attempt.
func (r *request) floor() (key string, every time.Duration) {
	for _, f := range r.candidate.Formats {
		if f.Cache.Floor > every {
			key, every = f.Name+" "+r.ask.URL.Host+" "+r.ask.URL.Path, f.Cache.Floor
		}
	}
	return key, every
}

// readInTurn reads the body of an answer when there is memory for it.
func (r *request) readInTurn(res *reading.Response) *reading.Contents {
	room := r.Engine.Opts.Limits.Reading.Open(r.domain, r.Work.Pause)
	defer room.Close()
	_ = room.Take(r.Engine.base, int64(len(res.Body))*readingFactor, nil) // else the Client is closed, and nothing is read
	return r.readObserved(res)
}

// readObserved reads the body of an answer, and reports to Observe.
func (r *request) readObserved(res *reading.Response) *reading.Contents {
	eng := r.Engine
	if eng.Opts.Observe == nil || r.seen == nil {
		return r.read(res)
	}
	e := Event{Kind: kindRead, Target: shownURL(res.URL.String()), Bytes: int64(len(res.Body))}
	_, part := eng.Observe(r.seen, e)
	doc := r.read(res)
	var err error
	e.Verdict, _, err = doc.Verdict()
	e.Error = wayfind.ErrorClass(err)
	part.End(e)
	return doc
}

// reserve takes n of the bytes that documents may occupy, and waits for them. The call's time-outs
// do not run meanwhile. The wait also ends when left is closed; a nil left never ends it. The error
// is the error of a context and no fact about the site.
func (r *request) reserve(ctx context.Context, n int64, left <-chan struct{}) error {
	if n <= 0 {
		return nil
	}
	err := r.share.Take(ctx, n, left)
	if err == nil {
		r.taken += n
	}
	return err
}

// settle makes n the number of bytes that the request has taken. They are returned when the call ends,
// because its documents are held until then.
func (r *request) settle(n int64) {
	if r.taken > n {
		r.share.Return(r.taken - n)
		r.taken = n
	}
	_ = r.reserve(r.Engine.base, n-r.taken, r.left()) // else the Client is closed, or all callers have left
}

// meter makes the body of a response take room.
func (r *request) meter(ctx context.Context, resp *http.Response) {
	m := &metered{ReadCloser: resp.Body, of: r, ctx: ctx, paid: paidBytes, next: requestBytes}
	if resp.Uncompressed {
		m.paid, m.next = 0, decoderBytes
	}
	resp.Body = m
}

// Read implements cache.Rules.
func (r *request) Read(e *cache.Entry) cache.Note {
	u := r.ask.URL
	if u.Fragment != "" {
		whole := *u
		whole.Fragment, whole.RawFragment = "", ""
		u = &whole
	}
	res := &reading.Response{URL: u, Status: e.Status, Header: e.Header, Body: r.Engine.DevSecrets.ShowBytes(e.Body, secret.WireBytes), Digest: e.Digest}
	if doc := reading.PlainNo(res); doc != nil {
		r.settle(0)
		return note{doc}
	}
	size := int64(len(e.Body))
	doc := r.readInTurn(res)
	if r.candidate.Detail {
		r.settle(size + doc.Size()) // it is read again at once
	} else {
		r.settle(keptFactor*size + 2*doc.Rest())
	}
	return note{doc}
}

// Confine implements cache.Rules. An answer with a secret, or to a DevCredential, stays in this
// process.
func (r *request) Confine(e *cache.Entry) bool { return confined(e) || r.Engine.devTo(r.ask.URL) }

// Lifetime implements cache.Rules. An answer is fresh as long as its verdict is kept.
func (r *request) Lifetime(e *cache.Entry, l cache.Lifetime) cache.Lifetime {
	candidate, doc := r.rulesFor(), DocumentOf(e)
	if doc == nil {
		return l
	}
	v, _, _ := doc.Verdict()
	if e.Status >= 300 && e.Status <= 399 {
		switch {
		case r.isPlaceOf(candidate) && r.isLead(e):
			l.For, l.Source, l.Remembered = verdict.KeepRedirect(e.Status, verdict.Freshness{For: l.For, Explicit: l.Explicit}), "negative", true
			return l
		case r.redirectRefused(e):
			v = wayfind.VerdictRefused
		case !candidate.Aside:
			return l
		}
	}
	if candidate.Aside && v != wayfind.VerdictRefused && !verdict.Held(v) {
		l.For, l.Source, l.Remembered = verdict.KeepAside, "format", true
		return l
	}
	format := candidate.Lifetime
	var negative, longest time.Duration // zero: no format has a value
	for _, f := range formatsFor(doc, candidate) {
		if f.Cache.Default > 0 && (format == 0 || f.Cache.Default < format) {
			format = f.Cache.Default
		}
		if f.Cache.Max > 0 && (longest == 0 || f.Cache.Max < longest) {
			longest = f.Cache.Max
		}
		negative = max(negative, f.Cache.Negative)
	}
	switch {
	case candidate.Canary && !verdict.Held(v):
		l.For, l.Source, l.Remembered = verdict.MaxNegative, "negative", true
		return l
	case candidate.Detail && verdict.Readable(v):
		v = wayfind.VerdictFound // it is the requested document, even if it is none for discovery
	case candidate.Robots && e.Status >= 200 && e.Status <= 299:
		v = wayfind.VerdictFound // it may have rules, whichever verdict it gets
	}
	if v == wayfind.VerdictFound && longest > 0 {
		l.For = min(l.For, longest)
	}
	if v == wayfind.VerdictProtected && r.Partition != "" {
		l.For, l.Source = 0, "negative" // the next credential may be a better one
		return l
	}
	kept := verdict.Keep(v, verdict.Freshness{For: l.For, Explicit: l.Explicit}, format, negative)
	if kept != l.For {
		l.For = kept
		l.Source = "format"
		if v != wayfind.VerdictFound {
			l.Source = "negative"
		}
	}
	l.Remembered = v != wayfind.VerdictFound
	l.Obligation = v == wayfind.VerdictAbsent && negative > 0
	return l
}

// isPlaceOf reports whether the request is for a place of the target, and not for the target of a
// redirect.
func (r *request) isPlaceOf(c *places.Candidate) bool {
	return len(c.Formats)+len(c.Accept) > 0 && (isPlace(c) || c.Lead) && !c.Aside && r.ask.URL.String() == c.URL
}

// isLead reports whether an answer redirects, path kept, to another host of the same site.
func (r *request) isLead(e *cache.Entry) bool {
	_, ok := r.Engine.leadFrom(r.ask.URL, e)
	return ok
}

// rulesFor returns the candidate whose formats determine the lifetime of an answer. If a place of
// another site redirected here, its formats do not apply, because the answer is stored for all
// callers.
func (r *request) rulesFor() *places.Candidate {
	if r.lane == gate.Led && !r.candidate.Detail {
		return &places.Candidate{}
	}
	return r.candidate
}

// redirectRefused reports whether the policy refuses the target of a redirect. Then the redirect is
// remembered, and the refusal is determined again each time.
func (r *request) redirectRefused(e *cache.Entry) bool {
	locations := e.Header["Location"]
	base, err := url.Parse(e.URL)
	if err != nil || len(locations) != 1 {
		return true
	}
	to, err := security.ParseURL(locations[0], base)
	if err != nil || len(secret.Find("", to.String())) > 0 {
		return true
	}
	if len(r.candidate.Formats) > 0 && r.candidate.Limits.Redirects <= 0 {
		return true
	}
	return r.candidate.Limits.SameSiteOnly && !r.Engine.SameSite(base.Hostname(), to.Hostname())
}
