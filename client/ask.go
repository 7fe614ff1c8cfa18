package client

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/cards"
)

// outcome is a resolve.Outcome with the facts that only a Trace shows.
type outcome struct {
	resolve.Outcome
	doc       *document
	entries   []*cache.Entry // the responses, redirects included
	fact      Fetch
	fetchedAt time.Time
	keys      *cards.Keys // of a candidate with Keys
	// judged: the canary had its say.
	judged bool
}

// log says what came of a request; mostly nobody listens.
func (c *Client) log(ctx context.Context, o *outcome) {
	if !c.opts.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	shown, _ := secret.RedactURL(o.Candidate.URL) // a caller may ask for any URL
	c.opts.Logger.DebugContext(ctx, "asked", "url", shown, "verdict", o.Probe.Verdict,
		"status", o.Probe.Status, "from", o.fact.From, "stale", o.fact.Stale, "reason", o.Probe.Reason)
}

// newOutcome is the outcome of a candidate before anything came of it.
func newOutcome(candidate resolve.Candidate) *outcome {
	o := &outcome{Outcome: resolve.Outcome{Candidate: candidate, Probe: wayfind.Probe{URL: candidate.URL}}}
	for _, f := range candidate.Formats {
		o.Probe.Formats = append(o.Probe.Formats, f.Name)
	}
	return o
}

// maxBytes is the largest body anybody could want at the place.
func (c *Client) maxBytes(candidate resolve.Candidate) int64 {
	switch {
	case candidate.Canary:
		return c.opts.MaxBytes
	case candidate.Keys:
		return candidate.Limits.Bytes
	}
	readers := candidate.Formats
	if len(readers) == 0 {
		readers = c.opts.Formats
	}
	var most int64
	for _, f := range readers {
		most = max(most, c.limitBytes(f))
	}
	return most
}

// digest makes an outcome of what came back.
func (t *trip) digest(o *outcome, err error) {
	c := t.client
	now := c.opts.Clock.Now()
	o.entries, o.Probe.Redirects = t.entries, t.walk.Chain
	if t.entry != nil {
		o.Probe.Status = t.entry.Status
	}
	if until, held := absentUntil(err); held {
		o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictAbsent, reasonAbsent
		o.FreshUntil, o.Probe.FreshUntil = until, until
		return
	}
	if err != nil {
		o.fail(asHeld(o.Candidate.URL, err))
		o.FreshUntil = c.rememberError(o, now, t.until)
		o.Probe.FreshUntil = o.FreshUntil
		return
	}
	t.readAnswer(o)
	o.FreshUntil = t.until
	if o.Probe.Verdict == wayfind.VerdictThrottled || o.Probe.Verdict == wayfind.VerdictUnreachable {
		o.FreshUntil = c.heldUntil(t.walk.Final(), now)
	}
	o.Probe.FreshUntil = o.FreshUntil
}

// readAnswer takes what the formats made of the final answer.
func (t *trip) readAnswer(o *outcome) {
	c, at := t.client, t.client.place(t.walk.URL, t.walk.Final())
	doc := documentOf(t.entry)
	if doc == nil {
		o.fail(errUnread(o.Candidate.URL))
		return
	}
	o.doc, o.fetchedAt = doc, t.entry.ResponseTime
	if o.Candidate.Canary && doc.verdict == wayfind.VerdictFound {
		// A bait, never a source.
		o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictUnrecognised, string(wayfind.CodeCanary)
		return
	}
	if o.Candidate.Keys && verdict.Readable(doc.verdict) && doc.input != nil {
		o.readKeys(doc)
		return
	}
	o.Probe.Verdict, o.Probe.Reason, o.Err = doc.verdict, doc.reason, doc.err
	if doc.err != nil {
		o.Probe.Error = doc.err.Error()
	}
	o.Diagnostics = append(at.diagnostics(doc.diags), staleNote(o.Candidate.URL, t.facts)...)
	if doc.verdict != wayfind.VerdictFound {
		return
	}
	if t.walk.CrossSite {
		o.Diagnostics = append(o.Diagnostics, wayfind.Diagnostic{
			Severity: wayfind.SeverityWarning, Code: "redirect.cross_site", Source: o.Candidate.URL,
			Message: "a redirect led to another site: what its document says is a claim of that site",
		})
	}
	for _, r := range doc.readings {
		located := at.located(r)
		located.Source.FetchedAt, located.Source.FreshUntil = t.entry.ResponseTime, t.facts.FreshUntil
		if t.walk.CrossSite {
			located.Source.Trust = wayfind.TrustCrossSite
			located.Source.Authority = lower(located.Source.Authority, wayfind.AuthorityThirdParty)
		}
		if o.Candidate.Depth > 0 {
			located.Source.Authority = lower(located.Source.Authority, wayfind.AuthorityLinked)
		}
		o.Diagnostics = append(o.Diagnostics, keyring{pinned: c.opts.Keys}.verify(doc, at, &located)...)
		o.Readings = append(o.Readings, located)
	}
	o.Probe.Format = doc.readings[0].Format.Name
}

// lower returns the authority that ranks lower.
func lower(a, b wayfind.Authority) wayfind.Authority {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// documentOf is what was read of an entry, nil for nothing.
func documentOf(e *cache.Entry) *document {
	if e == nil {
		return nil
	}
	d, _ := e.Note.(*document)
	return d
}

// fail records an error as the outcome.
func (o *outcome) fail(err error) {
	err = (*secrets)(nil).error(err)
	o.Err = err
	o.Probe.Error = err.Error()
	o.Probe.Verdict, o.Probe.Reason = verdict.OfError(err)
	if status, ok := errors.AsType[*fetch.StatusError](err); ok {
		o.Probe.Status = status.Status
	}
}

// skipped is the outcome for a candidate that was not asked.
func skipped(candidate resolve.Candidate, reason string) *outcome {
	o := newOutcome(candidate)
	o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictSkipped, reason
	o.fact = Fetch{URL: candidate.URL, Verdict: wayfind.VerdictSkipped}
	return o
}

// formatsFor are the formats whose rules bind an answer: those that claimed
// its content, else those that claim the place.
func formatsFor(doc *document, candidate *resolve.Candidate) []*parse.Format {
	if len(doc.claims) == 0 {
		return candidate.Formats
	}
	var list []*parse.Format
	for _, cl := range doc.claims {
		list = append(list, cl.format)
	}
	return list
}

// throttledUntil is the earliest time to ask again, zero when none is known.
func throttledUntil(o *outcome) time.Time {
	if o.Probe.Verdict == wayfind.VerdictThrottled {
		return o.FreshUntil
	}
	return time.Time{}
}
