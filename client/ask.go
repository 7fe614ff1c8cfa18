package client

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/cards"
)

// outcome is a resolve.Outcome with the facts that only a Trace shows.
type outcome struct {
	resolve.Outcome
	doc       *reading.Document
	entries   []*cache.Entry // the responses, redirects included
	fact      Fetch
	fetchedAt time.Time
	keys      *cards.Keys // of a candidate with Keys
	// judged: the canary had its say.
	judged bool
}

// candidateKey carries the Candidate of a request to the cache rules below.
type candidateKey struct{}

// ask requests one candidate and reads the answer. refresh asks again even for
// what is fresh; when that fails, what is known and fresh is used all the same.
// It never fails: the outcome says what went wrong.
func (c *Client) ask(ctx context.Context, candidate resolve.Candidate, refresh bool) *outcome {
	o := c.askOnce(ctx, candidate, refresh)
	if !refresh || o.Probe.Verdict != wayfind.VerdictThrottled && o.Probe.Verdict != wayfind.VerdictUnreachable {
		return o
	}
	known := c.askOnce(ctx, candidate, false) // the gate lets nothing through now
	if !known.Probe.Verdict.Answered() {
		return o
	}
	known.Diagnostics = append(known.Diagnostics, wayfind.Diagnostic{
		Severity: wayfind.SeverityWarning, Code: "refresh.failed", Source: candidate.URL,
		Message: "it could not be asked again (" + string(o.Probe.Verdict) + "); this is what was known",
	})
	return known
}

// askOnce is ask without a second chance.
func (c *Client) askOnce(ctx context.Context, candidate resolve.Candidate, refresh bool) *outcome {
	start := c.opts.Clock.Now()
	o := newOutcome(candidate)
	u, err := url.Parse(candidate.URL)
	if err != nil {
		o.fail(&wayfind.Error{Op: "resolve", URL: candidate.URL, Kind: wayfind.ErrInvalid, Code: wayfind.CodeHostSyntax})
		return o
	}
	ctx = context.WithValue(ctx, candidateKey{}, &o.Candidate)
	if slices.ContainsFunc(candidate.Formats, func(f *parse.Format) bool { return f.Cache.Floor > 0 }) {
		ctx = fetch.NoRetry(ctx) // each attempt counts
	}
	request := &fetch.Request{
		URL: u, Accept: candidate.Accept, MaxBytes: c.maxBytes(candidate),
		Redirects: candidate.Limits.Redirects, SameSiteOnly: candidate.Limits.SameSiteOnly, CacheControl: c.directives(refresh),
	}
	request.Truncate = candidate.Limits.Truncate
	if c.opts.Robots == RobotsEnforce && !candidate.Robots && !c.opts.Offline {
		request.Allow = func(u *url.URL) error { return c.obey(ctx, u) }
	}
	if failure, ok := c.futile.recall(ctx, request); ok && !refresh {
		c.digest(o, u, &fetch.Result{Chain: failure.chain}, failure.err)
		o.FreshUntil, o.Probe.FreshUntil = failure.until, failure.until
		o.fact = c.factOf(o, nil, start)
		return o
	}
	result, err := c.hops.Get(ctx, request)
	if c.opts.Offline && unstored(result) {
		return skipped(candidate, resolve.ReasonOffline)
	}
	c.digest(o, u, result, err)
	if err != nil {
		c.futile.remember(ctx, request, result, err, o.FreshUntil)
	}
	c.oblige(ctx, o, u, result)
	o.fact = c.factOf(o, result, start)
	c.log(ctx, o)
	return o
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
		most = max(most, c.reader.Limit(f))
	}
	return most
}

// digest makes an outcome of what came back.
func (c *Client) digest(o *outcome, requested *url.URL, result *fetch.Result, err error) {
	now := c.opts.Clock.Now()
	until := time.Time{}
	if result != nil {
		o.Probe.Redirects = result.Chain
		until = freshUntil(result.Responses)
		for _, resp := range result.Responses {
			o.Probe.Status = resp.StatusCode
			if entry, _, ok := cache.Of(resp); ok {
				o.entries = append(o.entries, entry)
			}
		}
	}
	if until, held := absentUntil(err); held {
		o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictAbsent, reasonAbsent
		o.FreshUntil, o.Probe.FreshUntil = until, until
		return
	}
	if err != nil {
		o.fail(asHeld(o.Candidate.URL, err))
		o.FreshUntil = c.rememberError(o, now, until)
		o.Probe.FreshUntil = o.FreshUntil
		return
	}
	last := result.Responses[len(result.Responses)-1]
	c.readAnswer(o, c.place(requested, result.FinalURL), last, result.CrossSite)
	o.FreshUntil = until
	if o.Probe.Verdict == wayfind.VerdictThrottled || o.Probe.Verdict == wayfind.VerdictUnreachable {
		o.FreshUntil = c.heldUntil(result.FinalURL, now)
	}
	o.Probe.FreshUntil = o.FreshUntil
}

// readAnswer takes what the formats made of the final answer.
func (c *Client) readAnswer(o *outcome, at reading.At, last *http.Response, crossSite bool) {
	entry, facts, ok := cache.Of(last)
	doc, _ := entryDocument(entry)
	if !ok || doc == nil {
		o.fail(&wayfind.Error{Op: "resolve", URL: o.Candidate.URL, Kind: wayfind.ErrInternal, Code: wayfind.CodePanic,
			Err: errors.New("the answer was not read")})
		return
	}
	o.doc, o.fetchedAt = doc, entry.ResponseTime
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
	at = o.asOf(at, freshUntil([]*http.Response{last}))
	at.CrossSite, at.Linked = crossSite, o.Candidate.Depth > 0
	readings, diags := doc.At(at)
	o.Probe.Verdict, o.Probe.Reason, o.Err = v, reason, err
	if err != nil {
		o.Probe.Error = err.Error()
	}
	o.Diagnostics = append(diags, staleNote(o.Candidate.URL, facts)...)
	if v != wayfind.VerdictFound {
		return
	}
	if crossSite {
		o.Diagnostics = append(o.Diagnostics, wayfind.Diagnostic{
			Severity: wayfind.SeverityWarning, Code: "redirect.cross_site", Source: o.Candidate.URL,
			Message: "a redirect led to another site: what its document says is a claim of that site",
		})
	}
	for i := range readings {
		o.Diagnostics = append(o.Diagnostics, keyring{pinned: c.opts.Keys}.verify(doc, at, &readings[i])...)
	}
	o.Readings, o.Probe.Format = readings, readings[0].Format.Name
}

// fail records an error as the outcome.
func (o *outcome) fail(err error) {
	err = reading.CleanError(err)
	o.Err = err
	o.Probe.Error = err.Error()
	o.Probe.Verdict, o.Probe.Reason = verdict.OfError(err)
	if status, ok := errors.AsType[*fetch.StatusError](err); ok {
		o.Probe.Status = status.Status
	}
}

// freshUntil is the earliest end of freshness of all hops: a document behind
// a redirect is no fresher than the redirect.
func freshUntil(hops []*http.Response) time.Time {
	var t time.Time
	for _, r := range hops {
		_, facts, ok := cache.Of(r)
		if !ok {
			continue
		}
		if t.IsZero() || facts.FreshUntil.Before(t) {
			t = facts.FreshUntil
		}
	}
	return t
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
func formatsFor(doc *reading.Document, candidate *resolve.Candidate) []*parse.Format {
	if list := doc.Formats(); len(list) > 0 {
		return list
	}
	return candidate.Formats
}

// throttledUntil is the earliest time to ask again, zero when none is known.
func throttledUntil(o *outcome) time.Time {
	if o.Probe.Verdict == wayfind.VerdictThrottled {
		return o.FreshUntil
	}
	return time.Time{}
}
