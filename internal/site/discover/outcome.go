package discover

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/turns"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Outcome is a merge.Outcome with the facts that only a Trace shows.
type Outcome struct {
	merge.Outcome
	Doc       *reading.Contents
	Entries   []*cache.Entry  // the responses, redirects included
	first     [1]*cache.Entry // the room of Entries, because few places redirect
	Fact      Fact
	fetchedAt time.Time
	keys      *cards.Keys   // of a candidate with Keys
	rules     *robots.Rules // of a candidate with Robots
	led       bool          // another site led to the document
	Private   bool          // the request had a credential of the caller
	leads     bool          // a lead that redirects to another host of the site
	away      bool          // a lead that redirects to another site
	typed     *url.URL      // see Session.typedURL
	// canaryDone is true if the outcome was compared with the canary.
	canaryDone bool
}

// newOutcome returns the outcome of a candidate before its request.
func newOutcome(candidate *places.Candidate) *Outcome {
	return &Outcome{Outcome: merge.Outcome{Candidate: candidate, Probe: wayfind.Probe{URL: candidate.URL, Formats: candidate.Names()}}}
}

// Skipped returns the outcome of a candidate that was not asked.
func Skipped(candidate *places.Candidate, reason string) *Outcome {
	o := newOutcome(candidate)
	o.Probe.Verdict, o.Probe.Reason = wayfind.VerdictSkipped, reason
	o.Fact = Fact{URL: candidate.URL, Verdict: wayfind.VerdictSkipped}
	return o
}

// movedAway reports whether the answer was a redirect that the formats of a well-known place forbid.
// So there is no document of theirs, and nothing was refused that the caller could allow.
func (o *Outcome) movedAway() bool {
	c, e := o.Candidate, (*wayfind.Error)(nil)
	if o.Probe.Verdict != wayfind.VerdictRefused || c.From != "" || c.Detail || len(c.Formats) == 0 || !errors.As(o.Err, &e) {
		return false
	}
	return e.Op == "redirect" && (c.Limits.Redirects <= 0 || e.Code == wayfind.CodeRedirectCrossSite)
}

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

// asLinked returns the readings that a link to the document allows. It returns an error if the link
// is to other bytes or to another version.
func asLinked(c *places.Candidate, digest string, readings []reading.Located) ([]reading.Located, error) {
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

// placed returns the readings that contain the location of their API. It returns an error if there
// is no such reading.
func placed(c *places.Candidate, readings []reading.Located) ([]reading.Located, error) {
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

// ofVersion returns the readings of the version that the link to the document names. If there is no
// such reading, it returns an error, because the document must not be used.
func ofVersion(c *places.Candidate, readings []reading.Located) ([]reading.Located, error) {
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

// readPage takes the answer of a place that is not asked for a document. If it is readable, it is
// another kind of document, and no page for a place without a document.
func (o *Outcome) readPage(v wayfind.Verdict, reason string, diags []wayfind.Diagnostic) {
	if verdict.Readable(v) || v == wayfind.VerdictSoft404 || v.Unreadable() {
		v, reason = wayfind.VerdictOtherFormat, resolve.ReasonAside
	}
	o.Probe.Verdict, o.Probe.Reason, o.Diagnostics = v, reason, diags
}

// isDocument reports whether a document of the site was found, which robots.txt is not.
func (o *Outcome) isDocument() bool {
	return o.Probe.Verdict == wayfind.VerdictFound && !o.Candidate.Robots
}

// isUnfollowed reports whether the outcome is that of a link which was not followed.
func (o *Outcome) isUnfollowed() bool {
	return o.Probe.Verdict == wayfind.VerdictSkipped && (o.Probe.Reason == resolve.ReasonDepth || o.Probe.Reason == string(wayfind.CodeCrossSite) || o.Probe.Reason == resolve.ReasonRefused)
}

// linksTo reports whether a document links to a URL.
func (o *Outcome) linksTo(u string) bool {
	links := func(l reading.Located) bool {
		return slices.ContainsFunc(l.Links, func(to parse.Link) bool {
			return slices.ContainsFunc(to.URLs, func(at string) bool { return at == u || places.KeyOf(at) == places.KeyOf(u) })
		})
	}
	return slices.ContainsFunc(o.Readings, links) || slices.ContainsFunc(o.Beside, links)
}

// linked returns the outcome at a place of convention as that of a document that another one links to.
func (o *Outcome) linked() *Outcome {
	own := *o
	own.Readings = slices.Clone(o.Readings)
	for i := range own.Readings {
		own.Readings[i] = own.Readings[i].AsLinked()
	}
	return &own
}

// readAs reports whether one of the formats has read the document.
func (o *Outcome) readAs(formats []string) bool {
	return slices.ContainsFunc(o.Readings, func(l reading.Located) bool { return slices.Contains(formats, l.Format.Name) })
}

func OutcomeAt(done []*Outcome, u string) *Outcome {
	for _, o := range done {
		if o.Candidate.URL == u {
			return o
		}
	}
	return nil
}

// Merged returns the outcomes without the facts that only a Trace shows.
func Merged(outcomes []*Outcome) []*merge.Outcome {
	list := make([]*merge.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = &o.Outcome
	}
	return list
}

// asOf adds to a place the time of the answer, the end of its freshness, and its present
// validators.
func (o *Outcome) asOf(at reading.At, until time.Time) reading.At {
	at.FetchedAt, at.FreshUntil = o.fetchedAt, until
	if n := len(o.Entries); n > 0 {
		at.ETag, at.LastModified = o.Entries[n-1].ETag(), o.Entries[n-1].LastModified()
	}
	return at
}

// interfaces returns the interfaces that the readings of an outcome describe, and the endpoints
// that are named beside them: addresses that are not followed as documents.
func (o *Outcome) interfaces() (list []wayfind.Interface) {
	for _, beside := range o.Beside {
		for _, d := range beside.Documents {
			if !slices.ContainsFunc(beside.Links, func(l parse.Link) bool { return slices.Contains(l.URLs, d.URL) }) {
				list = append(list, wayfind.Interface{Protocol: d.Rel, URL: d.URL, Trust: d.Trust})
			}
		}
	}
	for _, found := range o.Readings {
		for i := range found.Services {
			list = append(list, found.Services[i].Interfaces...)
		}
	}
	return list
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
		readings[i].Source.Private = o.Private
		o.Diagnostics = append(o.Diagnostics, provenance.Keyring{Pinned: eng.Opts.Trust.Keys}.Verify(doc, at, &readings[i])...)
	}
	if len(readings) > 0 {
		o.Readings, o.Probe.Format = readings, readings[0].Format.Name
	}
}

// FinalURL returns the URL of the answer.
func (o *Outcome) FinalURL() *url.URL {
	final := o.Candidate.URL
	if n := len(o.Probe.Redirects); n > 0 {
		final = o.Probe.Redirects[n-1]
	}
	u, err := url.Parse(final)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// isConverted reports whether the answer is Markdown because of the request's Accept field: with
// another field it would have another type (RFC 9110 §12.5.5).
func (o *Outcome) isConverted() bool {
	if !o.isMarkdown() {
		return false
	}
	for _, field := range o.Doc.Input().Header["Vary"] {
		for name := range strings.SplitSeq(field, ",") {
			if strings.EqualFold(strings.TrimSpace(name), "Accept") {
				return true
			}
		}
	}
	return false
}

// isMarkdown reports whether the answer was sent as Markdown.
func (o *Outcome) isMarkdown() bool {
	return o.Doc.Input() != nil && o.Doc.Input().MediaType == "text/markdown"
}

// Doubtful reports whether an answer needs the canary: its status is 200, it is no web page, and no
// format is sure about it, or it may be a web page that was converted to Markdown.
func (o *Outcome) Doubtful() bool {
	if o.canaryDone || o.Doc == nil || o.Candidate.Canary || o.Candidate.Aside || o.Doc.Sure() && !o.isConverted() || o.Probe.Status != 200 {
		return false
	}
	return verdict.Readable(o.Probe.Verdict) || o.Probe.Verdict.Unreadable()
}

// speaks reports whether the answer is one of the site itself: neither a redirect that was not
// followed, nor a refusal, nor a wall's.
func (o *Outcome) speaks() bool {
	return (o.Probe.Status < 300 || o.Probe.Status > 399) && o.Probe.Status != 0 && o.Probe.Verdict.Answered() && o.Probe.Verdict != wayfind.VerdictProtected && o.Probe.Verdict != wayfind.VerdictBlocked
}

// absent discards an answer that equals that of the canary.
func (o *Outcome) absent(v wayfind.Verdict, now time.Time) {
	o.Probe.Verdict, o.Probe.Reason, o.Probe.Format = v, string(wayfind.CodeCanary), ""
	verdict.Explain(&o.Probe, nil)
	o.Err, o.Readings, o.Beside, o.Diagnostics = nil, nil, nil, nil
	o.Fact.Verdict = v
	earliest, latest := now.Add(verdict.MinNegative), now.Add(verdict.MaxNegative)
	switch {
	case o.FreshUntil.Before(earliest):
		o.FreshUntil = earliest
	case o.FreshUntil.After(latest):
		o.FreshUntil = latest
	}
	o.Probe.FreshUntil, o.Fact.FreshUntil = o.FreshUntil, o.FreshUntil
}

// takeReply adds the reply of an endpoint at a place to the outcome.
func (o *Outcome) takeReply(at reading.At, reply *live.Reply) {
	o.fetchedAt, o.FreshUntil, o.Probe.FreshUntil = reply.At, reply.Until, reply.Until
	for _, u := range reply.Redirects {
		o.Probe.Redirects = append(o.Probe.Redirects, u.String())
	}
	if reply.Reading != nil {
		if o.Candidate.From != "" {
			from, _ := url.Parse(o.Candidate.From)
			at.From = cmp.Or(o.typed, from)
		}
		o.Readings = make([]reading.Located, 1)
		o.Readings[0], o.Diagnostics = reply.Located(at)
	}
	if reply.Err != nil {
		o.fail(reply.Err)
		return
	}
	o.Probe.Verdict, o.Probe.Format = wayfind.VerdictFound, o.Candidate.Formats[0].Name
}

// anotherProtocol reports whether an endpoint may speak another protocol than the protocol of the
// request.
func (o *Outcome) anotherProtocol() bool {
	v := o.Probe.Verdict
	return v != wayfind.VerdictFound && v != wayfind.VerdictSkipped && !verdict.Held(v) && !errors.Is(o.Err, wayfind.ErrBlocked) && !errors.Is(o.Err, wayfind.ErrRefused)
}

// listsOnly reports whether an outcome contains only lists of other documents.
func (o *Outcome) listsOnly() bool {
	return !slices.ContainsFunc(o.Readings, func(l reading.Located) bool { return !l.Format.Index })
}

// declaredPause returns the pause that one document declares.
func (o *Outcome) declaredPause(token string, requests int) time.Duration {
	var policies []wayfind.Policy
	for _, r := range o.Readings {
		policies = append(policies, r.Policies...)
	}
	if o.rules != nil {
		policies = append(policies, robots.PoliciesFor(o.Doc.Input().Body, token)...)
	}
	return turns.Declared(policies, token, requests)
}

// readRules reads the rules of a robots.txt that was answered. An answer that is no document has no
// rules.
func (o *Outcome) readRules(token string) {
	if in := o.Doc.Input(); in != nil && o.Probe.Status >= 200 && o.Probe.Status <= 299 {
		o.rules = robots.RulesFor(in.Body, token)
	}
}

// Forbids reports whether the rules of an outcome forbid a request for a URL.
func (o *Outcome) Forbids(u string) bool { return o.rules != nil && !o.rules.Allowed(u) }

// readKeys reads an answer with a key set.
func (o *Outcome) readKeys(doc *reading.Contents) {
	keys, err := doc.Keys()
	if err != nil {
		o.fail(err)
		return
	}
	o.keys = keys
	o.Diagnostics = append(o.Diagnostics, provenance.PrivateKeys(o.Candidate.URL, keys)...)
	o.Probe.Verdict, o.Probe.Reason, o.Probe.Format = wayfind.VerdictFound, "", keysFormat
}
