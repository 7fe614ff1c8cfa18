package discover

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// log reports the result of a request. It returns early, because usually no handler listens.
func (t *candidateFetch) log(ctx context.Context, o *Outcome) {
	if !t.Engine.Opts.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	shown, _ := secret.RedactURL(o.Candidate.URL) // a caller may ask for any URL
	t.Engine.Opts.Logger.DebugContext(ctx, "asked", "url", shown, "verdict", o.Probe.Verdict,
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
	if until, held := absentUntil(err); held {
		o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictAbsent, ReasonAbsent
		o.FreshUntil, o.Probe.FreshUntil = until, until
		return
	}
	if err != nil {
		o.fail(asHeld(o.Candidate.URL, err))
		o.FreshUntil = t.rememberError(o, now, t.until)
		o.Probe.FreshUntil = o.FreshUntil
		if o.movedAway() {
			o.Probe.Verdict = wayfind.VerdictAbsent
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
	if o.Candidate.Canary && v == wayfind.VerdictFound {
		// A bait, never a source.
		o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictUnrecognised, string(wayfind.CodeCanary)
		return
	}
	if o.Candidate.Keys && verdict.Readable(v) && doc.Input() != nil {
		o.readKeys(doc)
		return
	}
	at := o.asOf(eng.Place(t.walk.URL, t.walk.Final()), t.facts.FreshUntil)
	at.CrossSite, at.Linked = t.walk.CrossSite, o.Candidate.Depth > 0
	at.Page = o.Candidate.Aside || o.Candidate.Page
	readings := !o.Candidate.Detail && !o.Candidate.Aside // Describe reads it itself
	found, ended := t.locate(doc, at, t.entry.Header, readings)
	if ended != nil {
		o.fail(wayfind.NewError("resolve", o.Candidate.URL, wayfind.CodeCanceled, ended))
		return
	}
	o.Beside = found.beside
	if o.Candidate.Aside {
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

// readDocument takes the readings of a document.
func (o *Outcome) readDocument(t *candidateFetch, at reading.At, readings []reading.Located) {
	eng, doc := t.Engine, o.Doc
	readings, err := asLinked(o.Candidate, doc.Digest(), readings)
	if err != nil {
		o.fail(err)
		return
	}
	if t.walk.CrossSite {
		o.Diagnostics = append(o.Diagnostics, ruleCrossSite.Diagnostic(o.Candidate.URL,
			"a redirect led to another site: its document is a claim of that site"))
	}
	o.Diagnostics = append(o.Diagnostics, provenance.Remarks(readings, eng.Opts.Policy.SuffixList)...)
	for i := range readings {
		o.Diagnostics = append(o.Diagnostics, provenance.Keyring{Pinned: eng.Opts.Trust.Keys}.Verify(doc, at, &readings[i])...)
	}
	if len(readings) > 0 {
		o.Readings, o.Probe.Format = readings, readings[0].Format.Name
	}
}

var ruleCrossSite = parse.Rule{Code: "redirect.cross_site", Severity: wayfind.SeverityWarning,
	Means: "A redirect leads to another site. The document is a claim of that site and proves nothing about this one.",
	Mend:  "Serve the document on the site that it describes."}

// outcomeOf returns the result of f, or the outcome of its panic, because no caller above the
// goroutine of one place could recover it.
func (eng *Engine) outcomeOf(candidate *places.Candidate, f func() *Outcome) *Outcome {
	o, err := panics.Try(panics.NewGuard(eng.Opts.Logger, "resolve", candidate.URL), func() (*Outcome, error) { return f(), nil })
	if err != nil {
		o = newOutcome(candidate)
		o.fail(err)
		o.FreshUntil = eng.Opts.Clock.Now()
		o.Probe.FreshUntil = o.FreshUntil
	}
	return o
}

// fact returns the facts about one answer.
func (t *candidateFetch) fact(o *Outcome, start time.Time) Fact {
	f := Fact{URL: o.Candidate.URL, Verdict: o.Probe.Verdict, Status: o.Probe.Status,
		FreshUntil: o.FreshUntil, Duration: t.Engine.Opts.Clock.Now().Sub(start)}
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
	case v.Unreadable(), v == wayfind.VerdictUnrecognised:
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

// Ask requests one candidate and reads the answer. refresh asks again even if the answers are
// fresh. If that fails, known and fresh answers are used all the same. Ask never fails: the outcome
// contains the error.
func (s *Session) Ask(ctx context.Context, candidate *places.Candidate, refresh bool) *Outcome {
	o := s.AskOnce(ctx, candidate, refresh)
	if !refresh || !verdict.Held(o.Probe.Verdict) {
		return o
	}
	return s.orKnown(ctx, candidate, o)
}

// orKnown returns a known answer in place of the outcome of a refresh that failed.
func (s *Session) orKnown(ctx context.Context, candidate *places.Candidate, o *Outcome) *Outcome {
	known := s.AskOnce(ctx, candidate, false) // the gate lets no request through now
	if !known.Probe.Verdict.Answered() {
		return o
	}
	known.Diagnostics = append(known.Diagnostics, ruleRefreshFailed.Diagnostic(candidate.URL,
		"it could not be asked again (%s); this is an earlier answer", o.Probe.Verdict))
	return known
}

// AskOnce is Ask without a second attempt.
func (s *Session) AskOnce(ctx context.Context, candidate *places.Candidate, refresh bool) *Outcome {
	eng, o := s.Engine, newOutcome(candidate)
	start := eng.Opts.Clock.Now()
	u, err := candidate.Parse()
	if err != nil {
		o.fail(wayfind.NewError("resolve", candidate.URL, wayfind.CodeHostSyntax, nil))
		return o
	}
	t := &candidateFetch{
		Session: s, candidate: candidate, entries: o.first[:0], directives: s.directives(candidate, refresh), most: eng.most(candidate),
		// Each attempt matters if a format has a floor.
		once: slices.ContainsFunc(candidate.Formats, func(f *parse.Format) bool { return f.Cache.Floor > 0 }),
		walk: fetch.Walk{URL: u, Redirects: candidate.Limits.Redirects, SameSiteOnly: candidate.Limits.SameSiteOnly, Sites: eng.Opts.Policy.SuffixList},
	}
	if failure, ok := eng.failures.recall(t); ok && !refresh {
		t.walk.Chain = failure.chain
		t.digest(o, failure.err)
		o.FreshUntil, o.Probe.FreshUntil = failure.Until, failure.Until
		o.Fact = t.fact(o, start)
		return o
	}
	err = s.orCrowded(candidate.URL, t.run(ctx))
	if t.doc = DocumentOf(t.entry); err == nil {
		t.files(ctx, refresh)
	}
	if errors.Is(err, errForeign) {
		o := Skipped(candidate, resolve.ReasonForeign)
		o.Probe.Redirects = t.walk.Chain
		return o
	}
	if eng.Opts.Offline && t.entry == nil {
		return Skipped(candidate, string(wayfind.CodeOffline))
	}
	t.digest(o, err)
	if err != nil {
		eng.failures.remember(t, err, o.FreshUntil)
	}
	t.holdAbsence(ctx, o)
	o.Fact = t.fact(o, start)
	t.log(ctx, o)
	return o
}

var ruleRefreshFailed = parse.Rule{Code: "refresh.failed", Severity: wayfind.SeverityWarning,
	Means: "The site could not be asked again. The result is an earlier answer.",
	Mend:  "The document needs no change. Ask again when the site answers."}
