package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
)

// The canary is a page that cannot exist. If a server answers 200 to it, it answers 200 to any
// path, and a similar page elsewhere is no document. It is requested only if an answer leaves a
// doubt.

// canary returns the candidate for this run.
func (r *run) canary() *places.Candidate {
	return &places.Candidate{
		URL: r.key.Target.Origin + canaryPath(r.key.Target.Origin, r.engine.Opts.Lab.Fixed), Canary: true,
		Accept: r.canaryAccept(), Limits: parse.Limits{}.WithDefaults(),
	}
}

// canaryAccept returns the Accept field of a doubtful answer, because a server that converts pages
// to Markdown does so only on request. A doubtful answer in Markdown takes precedence.
func (r *run) canaryAccept() string {
	accept := "application/json"
	for i := len(r.done) - 1; i >= 0; i-- {
		o := r.done[i]
		if o.Doubtful() && o.Candidate.Accept != "" && (o.isMarkdown() || !strings.Contains(accept, "markdown")) {
			accept = o.Candidate.Accept
		}
	}
	return accept
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

// canaryPath returns a path that cannot exist. It differs for each origin and is always the same
// for one origin, so that its page is remembered, also by processes that share a store. In a Lab
// with a clock it is the same for all origins, for golden files.
func canaryPath(origin string, lab bool) string {
	token := "00000000"
	if !lab {
		sum := sha256.Sum256([]byte("canary " + origin))
		token = hex.EncodeToString(sum[:4])
	}
	return "/.well-known/wayfind-" + token
}

// Doubtful reports whether an answer needs the canary: its status is 200, it is no web page, and no
// format is sure about it, or it may be a web page that was converted to Markdown.
func (o *Outcome) Doubtful() bool {
	if o.canaryDone || o.Doc == nil || o.Candidate.Canary || o.Candidate.Aside || o.Doc.Sure() && !o.isConverted() || o.Probe.Status != 200 {
		return false
	}
	return verdict.Readable(o.Probe.Verdict) || o.Probe.Verdict.Unreadable()
}

func (r *run) doubtful() bool { return slices.ContainsFunc(r.done, (*Outcome).Doubtful) }

// judgeSoft404 marks the doubtful answers that equal the canary's answer. Watchers have seen the
// outcome, so a judged copy replaces it.
func (r *run) judgeSoft404() {
	bait := r.outcome(r.canary().URL)
	for i, o := range r.done {
		if !o.Doubtful() {
			continue
		}
		judged := *o
		judged.canaryDone = true
		if bait != nil && bait.Doc != nil && bait.Probe.Status == 200 && bait.Doc.Digest() == o.Doc.Digest() {
			judged.soft404(r.engine.Opts.Clock.Now())
		}
		r.done[i] = &judged
		r.emit(&judged)
	}
}

// soft404 discards the reading of a page.
func (o *Outcome) soft404(now time.Time) {
	o.Probe.Verdict, o.Probe.Reason, o.Probe.Format = wayfind.VerdictSoft404, string(wayfind.CodeCanary), ""
	verdict.Explain(&o.Probe, nil)
	o.Err, o.Readings, o.Beside, o.Diagnostics = nil, nil, nil, nil
	o.Fact.Verdict = wayfind.VerdictSoft404
	earliest, latest := now.Add(verdict.MinNegative), now.Add(verdict.MaxNegative)
	switch {
	case o.FreshUntil.Before(earliest):
		o.FreshUntil = earliest
	case o.FreshUntil.After(latest):
		o.FreshUntil = latest
	}
	o.Probe.FreshUntil, o.Fact.FreshUntil = o.FreshUntil, o.FreshUntil
}
