package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/gate"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// The rules of this module on top of RFC 9111: how long a verdict counts, and
// when not to ask at all. A hop is the cache.Rules of its answer.

// Read implements cache.Rules.
func (h *hop) Read(e *cache.Entry) cache.Note {
	u := h.ask.URL
	if u.Fragment != "" {
		whole := *u
		whole.Fragment, whole.RawFragment = "", ""
		u = &whole
	}
	res := &reading.Response{URL: u, Status: e.Status, Header: e.Header, Body: e.Body, Digest: e.Digest}
	if doc := reading.PlainNo(res); doc != nil {
		h.settle(0)
		return note{doc}
	}
	size := int64(len(e.Body))
	_ = h.room(h.Engine.Base, size*readingFactor-h.taken, nil) // else the Client is closed, and nothing is read
	doc := h.readObserved(res)
	if h.candidate.Detail {
		h.settle(size + doc.Size()) // it is read again at once
	} else {
		h.settle(keptFactor*size + 2*doc.Rest())
	}
	return note{doc}
}

// Confine implements cache.Rules: an answer with a secret stays in this process.
func (h *hop) Confine(e *cache.Entry) bool { return confined(e) }

// Lifetime implements cache.Rules: an answer counts as long as its verdict does.
func (h *hop) Lifetime(e *cache.Entry, l cache.Lifetime) cache.Lifetime {
	candidate, doc := h.candidate, DocumentOf(e)
	if doc == nil {
		return l
	}
	v, _, _ := doc.Verdict()
	if e.Status >= 300 && e.Status <= 399 {
		switch {
		case h.redirectRefused(e):
			v = wayfind.VerdictRefused
		case !candidate.Aside:
			return l
		}
	}
	if candidate.Aside && v != wayfind.VerdictRefused && !verdict.Held(v) {
		l.For, l.Source, l.Remembered = verdict.KeepAside, "format", true
		return l
	}
	var format, negative, longest time.Duration // zero: no format says so
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
		v = wayfind.VerdictFound // it is the requested document, even if discovery would say no
	case candidate.Robots && e.Status >= 200 && e.Status <= 299:
		v = wayfind.VerdictFound // it may have rules, whichever verdict it gets
	}
	if v == wayfind.VerdictFound && longest > 0 {
		l.For = min(l.For, longest)
	}
	if v == wayfind.VerdictProtected && h.Partition != "" {
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

// redirectRefused reports whether our policy refuses the target of a redirect.
// Then the redirect is remembered, and the refusal is recomputed each time.
func (h *hop) redirectRefused(e *cache.Entry) bool {
	locations := e.Header["Location"]
	base, err := url.Parse(e.URL)
	if err != nil || len(locations) != 1 {
		return true
	}
	to, err := security.ParseURL(locations[0], base)
	if err != nil || len(secret.Find("", to.String())) > 0 {
		return true
	}
	if len(h.candidate.Formats) > 0 && h.candidate.Limits.Redirects <= 0 {
		return true
	}
	return h.candidate.Limits.SameSiteOnly && !h.Engine.SameSite(base.Hostname(), to.Hostname())
}

// allowed says whether an address's answer may be used under the present policy
// (cache.Options.Allow): a wider one may have let us contact it. Only an answer
// that came through a tunnel has no address.
func (o *Options) allowed(remote netip.AddrPort) bool {
	if !remote.IsValid() {
		return o.Tunnelled
	}
	return o.Policy.CheckAddrPort(remote) == nil
}

// cooldown says when to ask again after an answer or a failure
// (gate.Options.Judge).
func (o *Options) cooldown(resp *http.Response, err error) gate.Cooldown {
	if err != nil {
		return cooldownAfter(err)
	}
	v, _ := verdict.OfStatus(resp.StatusCode, resp.Header, false)
	switch v {
	case wayfind.VerdictThrottled:
		if wait, ok := fetch.RetryAfter(resp.Header, o.Clock.Now()); ok {
			return gate.Cooldown{Reason: reasonThrottled, Until: o.Clock.Now().Add(min(wait, verdict.ThrottleMax))}
		}
		return gate.Cooldown{Reason: reasonThrottled, First: verdict.ThrottleFirst, Max: verdict.ThrottleMax}
	case wayfind.VerdictUnreachable:
		return gate.Cooldown{Reason: reasonUnreachable + string(wayfind.CodeServerError), URL: true, First: verdict.FailureFirst, Max: verdict.FailureMax}
	}
	return gate.Cooldown{}
}

// Reasons of cool-downs; they travel through cache.HeldError. Behind
// reasonUnreachable stands the code of the failure, if it has one.
const (
	reasonThrottled   = "throttled"
	reasonUnreachable = "unreachable:"
	reasonNXDomain    = "nxdomain"
	ReasonAbsent      = "absent"
)

// directives are a request's directives to the cache.
func (a *Asking) directives(candidate *places.Candidate, refresh bool) string {
	switch {
	case a.Engine.Opts.Offline:
		return "only-if-cached, max-stale"
	case refresh && candidate.Aside:
		return fmt.Sprintf("max-age=%.0f", verdict.RefreshAside.Seconds())
	case refresh:
		return "no-cache"
	}
	return ""
}

// Offline is the error of a call that may send no request and found nothing.
func Offline(op, u string) error {
	return wayfind.NewError(op, u, wayfind.CodeOffline, errors.New("nothing that could be used is stored, and no request is allowed"))
}

// holdAbsence hands an absence that must be remembered in any case to the gate:
// a store may forget the answer.
func (t *trip) holdAbsence(ctx context.Context, o *Outcome) {
	if o.Probe.Verdict != wayfind.VerdictAbsent || t.entry == nil {
		return
	}
	if t.entry.Lifetime.Obligation && (t.facts.From == cache.FromNetwork || t.facts.From == cache.FromValidated) {
		t.Engine.Gate.Hold(ctx, t.walk.URL, o.FreshUntil, ReasonAbsent)
	}
}

// absentUntil reports whether the gate refused because of a remembered
// absence.
func absentUntil(err error) (time.Time, bool) {
	held, ok := errors.AsType[*cache.HeldError](err)
	if !ok || held.Reason != ReasonAbsent {
		return time.Time{}, false
	}
	return held.Until, true
}

var ruleStale = parse.Rule{Code: "document.stale", Severity: wayfind.SeverityWarning,
	Means: "The result shows an earlier version of the document, because the site could not or must not be asked again.",
	Mend:  "The document needs no change. Ask again when the site answers."}

// staleNote says that a document is shown past its freshness, and why.
func staleNote(u string, facts cache.Facts) []wayfind.Diagnostic {
	why := ""
	switch facts.StaleReason {
	case "":
		return nil
	case cache.StaleError:
		why = "the site could not be asked"
	case cache.StaleHeld:
		why = "the site must not be asked yet"
	case cache.StaleFloor:
		why = "its format allows one request in a while"
	case cache.StaleRevalidating:
		why = "it allows that, and is asked for meanwhile"
	default:
		why = "no request is allowed"
	}
	return []wayfind.Diagnostic{ruleStale.Diagnostic(u, "this is an earlier answer; it was fresh until %s, and %s", facts.FreshUntil.UTC().Format(time.RFC3339), why)}
}

// cooldownAfter judges a failure: a failure of the name or the connection holds
// for the whole origin, the rest for one URL. A refusal of ours and a caller
// that left are not remembered.
func cooldownAfter(err error) gate.Cooldown {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !errors.Is(e.Kind, wayfind.ErrUnreachable) {
		return gate.Cooldown{}
	}
	if e.Code == wayfind.CodeDNSNotFound {
		return gate.Cooldown{Reason: reasonNXDomain, First: verdict.KeepNXDomain, Max: verdict.KeepNXDomain}
	}
	origin := e.Op == "dns" || e.Op == "dial" || e.Op == "proxy" || e.Op == "tls"
	return gate.Cooldown{Reason: reasonUnreachable + string(e.Code), URL: !origin, First: verdict.FailureFirst, Max: verdict.FailureMax}
}

// asHeld translates the gate's "not now" into the module's error.
func asHeld(u string, err error) error {
	var held *cache.HeldError
	if !errors.As(err, &held) {
		return err
	}
	code, why := wayfind.CodeNotBefore, error(nil)
	if earlier, failed := FailedBefore(held); failed {
		code, why = earlier, errors.New("it failed a moment ago and is not asked again yet")
		if held.Reason == reasonNXDomain {
			why = errors.New("the name did not exist a moment ago")
		}
	}
	e := wayfind.NewError("resolve", u, code, why)
	e.NotBefore = held.Until
	return e
}

// FailedBefore is the code of the failure after which no request is sent for a
// while; false for another obligation.
func FailedBefore(held *cache.HeldError) (wayfind.Code, bool) {
	if held.Reason == reasonNXDomain {
		return wayfind.CodeDNSNotFound, true
	}
	code, ok := strings.CutPrefix(held.Reason, reasonUnreachable)
	return cmp.Or(wayfind.Code(code), wayfind.CodeNetwork), ok
}

// rememberError is until when a failure counts. redirect is the end of
// freshness of the redirects that were answered, if any.
func (a *Asking) rememberError(o *Outcome, now, redirect time.Time) time.Time {
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
		return a.heldUntil(u, now)
	}
	return now
}

// heldUntil is the time until which the gate holds a URL; never before now.
func (a *Asking) heldUntil(u *url.URL, now time.Time) time.Time {
	return latestOf(now, a.Engine.Gate.HeldUntil(u))
}
