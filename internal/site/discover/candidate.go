package discover

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/internal/web/wall"
	"github.com/wayfindhq/wayfind/resolve"
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
	leads      bool // a lead redirects to another host of the site, and is not followed
	away       bool // a lead redirects to another site, and is not followed

	entries []*cache.Entry // the answers, in order
	entry   *cache.Entry   // the last of them; nil if no answer was stored
	facts   cache.Facts    // of entry
	until   time.Time      // the earliest end of freshness of all answers
	again   int            // how often the requests were repeated

	doc   *reading.Contents    // of entry, with the documents that belong to it
	notes []wayfind.Diagnostic // about these documents
}

// run sends the requests, hop by hop, as far as redirects lead.
func (t *candidateFetch) run(ctx context.Context) error {
	obeys := t.Engine.Opts.Robots.Enforce && !t.candidate.Robots && !t.isOffline()
	for {
		_, own := t.Engine.givenFor(t.candidate, t.walk.Final())
		if err := t.mayAsk(t.walk.Final()); err != nil {
			return err
		}
		if obeys && !own {
			if err := t.obey(ctx, t.walk.Final()); err != nil {
				return err
			}
		}
		r := t.request()
		entry, facts, err := r.step(ctx)
		t.again += int(atomic.LoadInt32(&r.again))
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
		asked := t.walk.Final()
		if entry.Status >= 300 && entry.Status <= 399 {
			if found := wall.ByRedirect(asked, entry.Status, entry.Header); found.Is() {
				return walled(asked, found)
			}
		}
		if t.leadsOn() {
			return nil
		}
		locations, err := t.Engine.redirected(asked, entry.Header["Location"])
		if err != nil {
			return err
		}
		if done, err := t.walk.Next(entry.Status, locations); done || err != nil {
			return t.unlessChallenge(err)
		}
		if t.walk.CrossSite && (t.candidate.Lead && len(t.walk.Chain) == 1 || t.border.isClosed(ctx)) {
			return t.stay()
		}
	}
}

// leadsOn reports whether the first answer of a lead redirects to another host of the site, which is not
// followed. It does not matter whether the format of the place permits redirects.
func (t *candidateFetch) leadsOn() bool {
	if !t.candidate.Lead || len(t.walk.Chain) > 0 {
		return false
	}
	lead, ok := t.Engine.leadFrom(t.walk.URL, t.entry)
	if ok {
		t.walk, t.leads = lead, true
	}
	return ok
}

// stay returns the error of a redirect to another site that is not followed, as if none there were.
func (t *candidateFetch) stay() error {
	own := fetch.Walk{URL: t.walk.URL, Redirects: t.walk.Redirects, SameSiteOnly: true, Sites: t.walk.Sites}
	for _, e := range t.entries {
		if _, err := own.Next(e.Status, e.Header["Location"]); err != nil {
			t.walk, t.away = own, true
			return err
		}
	}
	return nil
}

// walled returns the error of a wall before the site, which answered with a redirect.
func walled(u *url.URL, found wall.Wall) error {
	return wayfind.NewError("redirect", u.String(), wayfind.CodeFirewall, errors.New(found.String()))
}

// unlessChallenge returns the error of a redirect that is not followed. It is that of a wall if the
// redirects only test whether the client keeps cookies.
func (t *candidateFetch) unlessChallenge(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || e.Code != wayfind.CodeRedirectLoop {
		return err
	}
	cookie := slices.ContainsFunc(t.entries, func(e *cache.Entry) bool { return e.SetsCookie })
	if found := wall.ByLoop(cookie, t.entry.Header); found.Is() {
		return walled(t.walk.Final(), found)
	}
	return err
}

// request returns the request for the next URL.
func (t *candidateFetch) request() *request {
	u := t.walk.Final()
	r := &request{Session: t.Session, candidate: t.candidate, lane: t.lane()}
	// A request of a batch has its turn, and a request in the background would outlive it.
	directives := t.directives
	if len(t.walk.Chain) == 0 && t.renewed != "" && t.renewed == t.candidate.URL {
		directives = ""
	}
	r.ask = cache.Ask{URL: u, Header: t.Engine.headers.of(t.candidate.Accept, directives), Partition: t.Partition, Foreground: t.sent != nil, Inline: t.callers != nil}
	own := false
	for i := range t.Credential {
		if c := &t.Credential[i]; c.Fits(u) {
			if !own {
				r.ask.Header, own = r.ask.Header.Clone(), true
			}
			r.ask.Header.Set(c.Field, c.Value)
		}
	}
	whole, partition := t.Engine.reveal(u)
	if given, own := t.Engine.givenFor(t.candidate, u); own {
		partition, r.given = given, true
	}
	r.ask.Partition += partition
	// A stored answer of another site must be complete.
	r.fetch = fetch.Ask{URL: whole, MaxBytes: t.most.Limit, Option: t.most.Option, Truncate: t.candidate.Limits.Truncate && r.lane != gate.Led, Once: t.once}
	if len(t.walk.Chain) == 0 && t.opening.Of(u) {
		r.fetch.Opening = t.opening
	}
	if t.Engine.Opts.Observe != nil {
		r.via = t.walk.Before()
	}
	r.bind()
	return r
}

// log reports the result of a request. It returns early, because usually no handler listens.
func (t *candidateFetch) log(ctx context.Context, o *Outcome) {
	if !t.Engine.Opts.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	t.Engine.Opts.Logger.DebugContext(ctx, "asked", "url", shownURL(o.Candidate.URL), "verdict", o.Probe.Verdict,
		"status", o.Probe.Status, "from", o.Fact.From, "stale", o.Fact.Stale, "reason", o.Probe.Reason)
}

// digest makes an outcome of the answer.
func (t *candidateFetch) digest(o *Outcome, err error) {
	eng := t.Engine
	now := eng.Opts.Clock.Now()
	o.Entries, o.Probe.Redirects = t.entries, t.walk.Chain
	o.led = t.candidate.Led || t.walk.CrossSite
	if t.entry != nil {
		o.Probe.Status = t.entry.Status
	}
	if t.leads {
		o.leads, o.Probe.Verdict, o.Probe.Reason = true, wayfind.VerdictAbsent, resolve.ReasonHost
		o.FreshUntil, o.Probe.FreshUntil = t.until, t.until
		return
	}
	o.typed, o.away = TypedURL(t.walk.URL, t.site, t.typed), t.away
	if until, held := absentUntil(err); held {
		o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictAbsent, ReasonAbsent
		o.FreshUntil, o.Probe.FreshUntil = until, until
		return
	}
	if other, ok := errors.AsType[*fetch.OtherSite](err); ok {
		o.Away = other.Host
	}
	if err != nil {
		o.fail(asHeld(o.Candidate.URL, err))
		o.FreshUntil = t.rememberError(o, now, t.until)
		o.Probe.FreshUntil = o.FreshUntil
		if o.movedAway() {
			o.Probe.Verdict = wayfind.VerdictAbsent
			if t.away { // the error of the domain names that site
				return
			}
			o.Diagnostics = append(o.Diagnostics, ruleForbidden.Diagnostic(o.Candidate.URL, "it redirects, which its format forbids: there is no document here"))
		}
		return
	}
	t.readAnswer(o)
	o.FreshUntil = t.until
	if verdict.Held(o.Probe.Verdict) {
		o.FreshUntil = eng.Gate.HeldUntil(t.walk.Final(), t.lane(), now)
	}
	o.Probe.FreshUntil = o.FreshUntil
}

// readAnswer reads the final answer with the formats.
func (t *candidateFetch) readAnswer(o *Outcome) {
	eng, doc := t.Engine, t.doc
	if doc == nil {
		o.fail(errUnread(o.Candidate.URL))
		return
	}
	o.Doc, o.fetchedAt = doc, t.entry.ResponseTime
	if o.Candidate.Robots {
		o.readRules(eng.Opts.Robots.Token)
	}
	v, reason, err := doc.Verdict()
	if o.Candidate.Canary { // a bait, never a source of findings or diagnostics
		if o.Probe.Verdict, o.Probe.Reason = v, reason; v == wayfind.VerdictFound {
			o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictUnrecognised, string(wayfind.CodeCanary)
		}
		return
	}
	if o.Candidate.Keys && verdict.Readable(v) && doc.Input() != nil {
		o.readKeys(doc)
		return
	}
	at := o.asOf(eng.Place(t.walk.URL, t.walk.Final()), t.facts.FreshUntil)
	at.From, at.CrossSite, at.Linked, at.Conventional = o.typed, t.walk.CrossSite, o.Candidate.Depth > 0, o.Candidate.Conventional
	at.Page = o.Candidate.Aside || o.Candidate.Page
	readings := !o.Candidate.Detail && !o.Candidate.Aside // Describe reads it itself
	found, ended := t.locate(doc, at, t.entry.Header, readings)
	if ended != nil {
		o.fail(wayfind.NewError("resolve", o.Candidate.URL, wayfind.CodeCanceled, ended))
		return
	}
	o.Beside = found.beside
	if o.Candidate.Aside {
		if v == wayfind.VerdictBlocked {
			verdict.Explain(&o.Probe, err) // the wall has a name
		}
		o.readPage(v, reason, found.diags)
		return
	}
	o.Probe.Verdict, o.Probe.Reason, o.Err = v, reason, err
	verdict.Explain(&o.Probe, err)
	o.Probe.Extensions = doc.Demands()
	o.Diagnostics = append(append(found.diags, staleNote(o.Candidate.URL, t.facts)...), t.notes...)
	if v != wayfind.VerdictFound {
		return
	}
	o.readDocument(t, at, found.readings)
}

// fact returns the facts about one answer.
func (t *candidateFetch) fact(o *Outcome, start time.Time) Fact {
	f := Fact{URL: o.Candidate.URL, Verdict: o.Probe.Verdict, Status: o.Probe.Status,
		FreshUntil: o.FreshUntil, Duration: t.Engine.Opts.Clock.Now().Sub(start), Repeats: t.again}
	if t.entry == nil {
		return f
	}
	f.From, f.Age, f.Stale = t.facts.From, t.facts.Age, t.facts.StaleReason
	f.Remote = t.entry.RemoteAddr
	return f
}

// holdAbsence passes an absence that must be remembered in any case to the gate, because a store
// may forget the answer.
func (t *candidateFetch) holdAbsence(ctx context.Context, o *Outcome) {
	if o.Probe.Verdict != wayfind.VerdictAbsent || t.entry == nil {
		return
	}
	if t.entry.Lifetime.Obligation && (t.facts.From == cache.FromNetwork || t.facts.From == cache.FromValidated) {
		t.Engine.Gate.Hold(ctx, t.walk.URL, t.lane(), o.FreshUntil, ReasonAbsent)
	}
}

// rememberError returns the time until which a failure is remembered. redirect is the end of
// freshness of the redirects that were answered; zero if there is none.
func (t *candidateFetch) rememberError(o *Outcome, now, redirect time.Time) time.Time {
	var e *wayfind.Error
	if errors.As(o.Err, &e) && !e.NotBefore.IsZero() {
		return e.NotBefore
	}
	switch v := o.Probe.Verdict; {
	case v == wayfind.VerdictRefused:
		if redirect.After(now) {
			return redirect
		}
		return now.Add(verdict.KeepUnknown)
	case v.Unreadable(), v == wayfind.VerdictUnrecognised, v == wayfind.VerdictBlocked:
		return now.Add(verdict.KeepUnknown)
	case verdict.Held(v):
		u, err := url.Parse(o.Candidate.URL)
		if err != nil {
			return now
		}
		return t.Engine.Gate.HeldUntil(u, t.lane(), now)
	}
	return now
}

// files requests the documents of the same site to which references of a document lead, and reads
// them with it.
func (t *candidateFetch) files(ctx context.Context, refresh bool) {
	if t.doc == nil || t.candidate.File {
		return
	}
	f := t.doc.Divided()
	if f == nil {
		return
	}
	root, err := t.doc.Input().Tree()
	if err != nil {
		return
	}
	at := t.Engine.Place(t.walk.URL, t.walk.Final())
	c := &collection{candidateFetch: t, refresh: refresh, at: at, format: f, left: t.Engine.Reader.Limit(f).Limit - int64(len(root.Raw())), seen: map[string]bool{}}
	for next := reading.Outside(root, t.doc.Input().FinalURL); len(next) > 0; {
		next = c.wave(ctx, next)
	}
	var doc *reading.Contents
	ended := t.counted(t.Engine.base, sizeOf(t.doc), func(w *fuel.Counter) { doc = t.Engine.Reader.WithFiles(w, t.doc, c.files) })
	switch {
	case ended != nil:
		t.notes = append(t.notes, ruleFiles.Diagnostic(t.candidate.URL, "the documents that its references lead to are not read: the call ended before"))
		return
	case doc == nil:
		limit := t.Engine.Reader.Limit(f)
		t.notes = append(t.notes, ruleFiles.Beyond("bytes", 0, int(limit.Limit)).Diagnostic(t.candidate.URL,
			"the document and those that its references lead to have more than %d bytes together; it is read alone", limit.Limit))
		return
	}
	t.doc = doc
	c.report()
}

// lane returns the lane of the next URL. It is gate.Led if any link or redirect on the way was on
// another site than the site of the call.
func (t *candidateFetch) lane() gate.Lane {
	own := t.Session.own(t.walk.URL) && !t.walk.CrossSite && !t.candidate.Led
	switch {
	case !own:
		return gate.Led
	case isPlace(t.candidate) && len(t.walk.Chain) == 0:
		return gate.Place
	}
	return gate.Own
}

// isPlace reports whether neither a document nor the caller chose a candidate's URL.
func isPlace(c *places.Candidate) bool {
	return c.Robots || c.Depth == 0 && !c.Page && !c.Live && !c.Detail && !c.Canary
}
