package discover

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/panics"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/provenance"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Outcome is a merge.Outcome with the facts that only a Trace shows.
type Outcome struct {
	merge.Outcome
	Doc       *reading.Contents
	Entries   []*cache.Entry // the responses, redirects included
	Fact      Fact
	fetchedAt time.Time
	keys      *cards.Keys   // of a candidate with Keys
	rules     *robots.Rules // of a candidate with Robots
	// judged: the canary had its say.
	canaryDone bool
}

// log reports the result of a request; mostly no handler listens.
func (t *trip) log(ctx context.Context, o *Outcome) {
	if !t.Engine.Opts.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	shown, _ := secret.RedactURL(o.Candidate.URL) // a caller may ask for any URL
	t.Engine.Opts.Logger.DebugContext(ctx, "asked", "url", shown, "verdict", o.Probe.Verdict,
		"status", o.Probe.Status, "from", o.Fact.From, "stale", o.Fact.Stale, "reason", o.Probe.Reason)
}

// NewOutcome is the outcome of a candidate before its request.
func NewOutcome(candidate places.Candidate) *Outcome {
	o := &Outcome{Outcome: merge.Outcome{Candidate: candidate, Probe: wayfind.Probe{URL: candidate.URL}}}
	for _, f := range candidate.Formats {
		o.Probe.Formats = append(o.Probe.Formats, f.Name)
	}
	return o
}

// most is the cap on a body at the place: the largest that a format accepts there.
func (eng *Engine) most(candidate places.Candidate) (most wayfind.TooLarge) {
	switch {
	case candidate.Canary:
		return eng.Reader.Most()
	case candidate.Keys:
		return wayfind.TooLarge{Of: "bytes", Limit: candidate.Limits.Bytes}
	}
	readers := candidate.Formats
	if len(readers) == 0 {
		readers = eng.Opts.Formats
	}
	for _, f := range readers {
		if limit := eng.Reader.Limit(f); limit.Limit > most.Limit {
			most = limit
		}
	}
	return most
}

// digest makes an outcome of the answer.
func (t *trip) digest(o *Outcome, err error) {
	eng := t.Engine
	now := eng.Opts.Clock.Now()
	o.Entries, o.Probe.Redirects = t.entries, t.walk.Chain
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
		return
	}
	t.readAnswer(o)
	o.FreshUntil = t.until
	if verdict.Held(o.Probe.Verdict) {
		o.FreshUntil = t.heldUntil(t.walk.Final(), now)
	}
	o.Probe.FreshUntil = o.FreshUntil
}

// readAnswer takes the formats' readings of the final answer.
func (t *trip) readAnswer(o *Outcome) {
	eng, doc := t.Engine, DocumentOf(t.entry)
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
	readings := !o.Candidate.Detail && !o.Candidate.Aside // Describe reads it itself, and for one subject
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
	o.Diagnostics = append(found.diags, staleNote(o.Candidate.URL, t.facts)...)
	if v != wayfind.VerdictFound {
		return
	}
	o.readDocument(t, at, found.readings)
}

// reasonAside is the reason of a page that was asked for only for the things
// beside documents.
const reasonAside = "aside"

// readPage takes the answer of a place where no document is looked for: an
// answer there is another kind of document, and no page for a place that has
// none.
func (o *Outcome) readPage(v wayfind.Verdict, reason string, diags []wayfind.Diagnostic) {
	if verdict.Readable(v) || v == wayfind.VerdictSoft404 || v.Unreadable() {
		v, reason = wayfind.VerdictOtherFormat, reasonAside
	}
	o.Probe.Verdict, o.Probe.Reason, o.Diagnostics = v, reason, diags
}

// readDocument takes the readings of a document.
func (o *Outcome) readDocument(t *trip, at reading.At, readings []reading.Located) {
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

// asLinked are the readings that a link to the document allows. The error says that
// the link is to other bytes, or to another version.
func asLinked(c places.Candidate, digest string, readings []reading.Located) ([]reading.Located, error) {
	for _, said := range c.SHA256 {
		if said != digest {
			return nil, wayfind.NewError("parse", c.URL, wayfind.CodeDigest, fmt.Errorf("the link to it says SHA-256 %s, and the bytes have %s", said, digest))
		}
	}
	if readings, err := ofVersion(c, readings); err != nil || !c.Placed {
		return readings, err
	}
	return placed(c, readings)
}

// placed are the readings that say themselves where their API is. The error says that
// there is none.
func placed(c places.Candidate, readings []reading.Located) ([]reading.Located, error) {
	elsewhere := slices.DeleteFunc(slices.Clone(readings), func(r reading.Located) bool {
		return slices.ContainsFunc(r.Services, func(s wayfind.Service) bool {
			return slices.ContainsFunc(s.Interfaces, func(f wayfind.Interface) bool { return slices.Contains(f.Defaulted, "url") })
		})
	})
	if len(elsewhere) == 0 && len(readings) > 0 {
		return nil, wayfind.NewError("parse", c.URL, wayfind.CodeUnusable, errors.New("it names no server, and the document that links to it has the API at another place"))
	}
	return elsewhere, nil
}

// ofVersion are the readings of the version that the link to the document names.
// The error says that there is none: such a document must not be used.
func ofVersion(c places.Candidate, readings []reading.Located) ([]reading.Located, error) {
	if c.Version == "" || len(readings) == 0 {
		return readings, nil
	}
	said := readings[0].Source.Version
	readings = slices.DeleteFunc(readings, func(r reading.Located) bool { return r.Source.Version != c.Version })
	if len(readings) == 0 {
		return nil, wayfind.NewError("parse", c.URL, wayfind.CodeUnusable, fmt.Errorf("it is of version %q, and the link to it says %q", said, c.Version))
	}
	return readings, nil
}

var ruleCrossSite = parse.Rule{Code: "redirect.cross_site", Severity: wayfind.SeverityWarning,
	Means: "A redirect leads to another site. The document is a claim of that site and proves nothing about this one.",
	Mend:  "Serve the document on the site that it describes."}

// fail records an error as the outcome.
func (o *Outcome) fail(err error) {
	err = reading.CleanError(err)
	o.Err = err
	verdict.Explain(&o.Probe, err)
	o.Probe.Verdict, o.Probe.Reason = verdict.OfError(err)
	if status, ok := errors.AsType[*fetch.StatusError](err); ok {
		o.Probe.Status = status.Status
	}
	if status, ok := errors.AsType[verdict.StatusError](err); ok {
		o.Probe.Status = status.HTTPStatus()
	}
}

// Skipped is the outcome for a candidate that was not asked.
func Skipped(candidate places.Candidate, reason string) *Outcome {
	o := NewOutcome(candidate)
	o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictSkipped, reason
	o.Fact = Fact{URL: candidate.URL, Verdict: wayfind.VerdictSkipped}
	return o
}

// formatsFor are the formats whose rules bind an answer: those that claimed
// its content, else those that claim the place.
func formatsFor(doc *reading.Contents, candidate *places.Candidate) []*parse.Format {
	if list := doc.Formats(); len(list) > 0 {
		return list
	}
	return candidate.Formats
}

// ThrottledUntil is the earliest time to ask again, zero when none is known.
func ThrottledUntil(o *Outcome) time.Time {
	if o.Probe.Verdict == wayfind.VerdictThrottled {
		return o.FreshUntil
	}
	return time.Time{}
}

// outcomeOf is the result of f, or the outcome of its panic: no caller above
// the goroutine of one place could recover it.
func (eng *Engine) outcomeOf(candidate places.Candidate, f func() *Outcome) *Outcome {
	o, err := panics.Try(panics.NewGuard(eng.Opts.Logger, "resolve", candidate.URL), func() (*Outcome, error) { return f(), nil })
	if err != nil {
		o = NewOutcome(candidate)
		o.fail(err)
		o.FreshUntil = eng.Opts.Clock.Now()
		o.Probe.FreshUntil = o.FreshUntil
	}
	return o
}

// fact collects the facts about one answer.
func (t *trip) fact(o *Outcome, start time.Time) Fact {
	f := Fact{URL: o.Candidate.URL, Verdict: o.Probe.Verdict, Status: o.Probe.Status,
		FreshUntil: o.FreshUntil, Duration: t.Engine.Opts.Clock.Now().Sub(start)}
	if t.entry == nil {
		return f
	}
	f.From, f.Age, f.Stale = t.facts.From, t.facts.Age, t.facts.StaleReason
	if t.entry.RemoteAddr.IsValid() {
		f.Remote = t.entry.RemoteAddr.String()
	}
	return f
}
