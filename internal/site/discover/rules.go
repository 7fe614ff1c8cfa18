package discover

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// The rules of this module in addition to RFC 9111: the lifetime of a verdict, and the times when
// not to ask at all. A hop is the cache.Rules of its answer.

// Read implements cache.Rules.
func (h *hop) Read(e *cache.Entry) cache.Note {
	u := h.ask.URL
	if u.Fragment != "" {
		whole := *u
		whole.Fragment, whole.RawFragment = "", ""
		u = &whole
	}
	res := &reading.Response{URL: u, Status: e.Status, Header: e.Header, Body: h.Engine.DevSecrets.Over(e.Body, secret.RecordedMark), Digest: e.Digest}
	if doc := reading.PlainNo(res); doc != nil {
		h.settle(0)
		return note{doc}
	}
	size := int64(len(e.Body))
	doc := h.readInTurn(res)
	if h.candidate.Detail {
		h.settle(size + doc.Size()) // it is read again at once
	} else {
		h.settle(keptFactor*size + 2*doc.Rest())
	}
	return note{doc}
}

// Confine implements cache.Rules. An answer with a secret, or to a DevCredential, stays in this
// process.
func (h *hop) Confine(e *cache.Entry) bool { return confined(e) || h.Engine.devTo(h.ask.URL) }

// Lifetime implements cache.Rules. An answer is fresh as long as its verdict is kept.
func (h *hop) Lifetime(e *cache.Entry, l cache.Lifetime) cache.Lifetime {
	candidate, doc := h.rulesFor(), DocumentOf(e)
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
	var format, negative, longest time.Duration // zero: no format has a value
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

// rulesFor returns the candidate whose formats determine the lifetime of an answer. If a place of
// another site redirected here, its formats do not apply, because the answer is stored for all
// callers.
func (h *hop) rulesFor() *places.Candidate {
	if h.lane == gate.Led && !h.candidate.Detail {
		return &places.Candidate{}
	}
	return h.candidate
}

// redirectRefused reports whether the policy refuses the target of a redirect. Then the redirect is
// remembered, and the refusal is determined again each time.
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

var ruleStale = parse.Rule{Code: "document.stale", Severity: wayfind.SeverityWarning,
	Means: "The result shows an earlier version of the document, because the site could not or must not be asked again.",
	Mend:  "The document needs no change. Ask again when the site answers."}

// staleNote returns a diagnostic if a document is used past its freshness, with the reason.
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

// formatsFor returns the formats whose rules bind an answer: the formats that claimed its content,
// or else the formats that claim the place.
func formatsFor(doc *reading.Contents, candidate *places.Candidate) []*parse.Format {
	if list := doc.Formats(); len(list) > 0 {
		return list
	}
	return candidate.Formats
}
