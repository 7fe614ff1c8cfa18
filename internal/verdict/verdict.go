// Package verdict holds the table of verdicts. One row says when a verdict is
// given, whether it tells that a document is there, and for how long it is
// remembered. Beside it stand the kinds of errors for which verdicts stand, in
// their order, with the command's exit status. The client, Merge,
// docs/FORMATS.md and the command read both.
//
// The words and the kind of each are in the root package, which everyone
// imports.
package verdict

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Row is one verdict.
type Row struct {
	Verdict wayfind.Verdict
	// when it is given, besides the statuses.
	when string
	// statuses that an answer is judged by alone.
	statuses []statuses
	// codes of errors that lead to it, of any kind.
	codes []wayfind.Code
	kept  kept
	// readable: there may be a document to try, even if discovery says no.
	readable bool
	// held: the gate knows until when.
	held bool
	// about: the header fields of the answer are about the resource at the
	// place. Those of a "no" and of a failure are about the error page (RFC
	// 9110 §6.4.2).
	about bool
}

// statuses are a range of statuses, with their code.
type statuses struct {
	first, last int
	code        wayfind.Code
	// retryAfter: only where the answer says when to come back.
	retryAfter bool
}

func status(list ...int) []statuses {
	ranges := make([]statuses, len(list))
	for i, s := range list {
		ranges[i] = statuses{first: s, last: s}
	}
	return ranges
}

// Rows returns the table in the order of wayfind.Verdicts.
func Rows() []Row {
	return append([]Row(nil), rows[:]...)
}

var rows = [...]Row{
	{Verdict: wayfind.VerdictFound, about: true, when: "a document that a format reads", statuses: status(200, 203), kept: asHTTP(), readable: true},
	{Verdict: wayfind.VerdictAbsent, when: "or a document that says no", statuses: status(404, 410, 204), kept: absence()},
	{Verdict: wayfind.VerdictSoft404, about: true, when: "200 with a web page, or with the page that this server shows for any path", kept: asResponse()},
	{Verdict: wayfind.VerdictUnrecognised, about: true, when: "200 with content that no format claims; stray statuses", kept: asResponse(),
		codes: []wayfind.Code{wayfind.CodeStatus}, readable: true},
	{Verdict: wayfind.VerdictOtherFormat, about: true, when: "200 with a document of another kind", kept: asResponse(), readable: true},
	{Verdict: wayfind.VerdictMalformed, about: true, when: "200 with content that cannot be read: broken, undecodable", kept: always(KeepUnknown, ""),
		codes: []wayfind.Code{wayfind.CodeEncoding}},
	{Verdict: wayfind.VerdictTooLarge, about: true, when: "200 with content beyond a limit of this program: its bytes, values or levels", kept: always(KeepUnknown, ""),
		codes: []wayfind.Code{wayfind.CodeTooLarge}},
	{Verdict: wayfind.VerdictEndpointLike, about: true, statuses: status(400, 405, 406, 415), kept: always(KeepEndpoint, "")},
	{Verdict: wayfind.VerdictProtected, about: true, kept: always(KeepUnknown, ""),
		statuses: []statuses{{first: 401, last: 401}, {first: 402, last: 402, code: wayfind.CodePayment}, {first: 403, last: 403}}},
	{Verdict: wayfind.VerdictBlocked, when: "a firewall answers", kept: always(KeepUnknown, "")},
	{Verdict: wayfind.VerdictThrottled, held: true, kept: throttling(),
		statuses: append(status(429), statuses{first: 503, last: 503, retryAfter: true})},
	{Verdict: wayfind.VerdictUnreachable, when: "DNS, connection, TLS, time-out, truncation, other 5xx", held: true, kept: failing(),
		statuses: []statuses{{first: 500, last: 599, code: wayfind.CodeServerError}}},
	{Verdict: wayfind.VerdictRefused, when: "our policy refuses: an address, a redirect", kept: always(KeepUnknown, "; the refusal is decided anew each time")},
	{Verdict: wayfind.VerdictSkipped, when: "not asked: deadline, crowd, budget, first match, robots.txt, offline", kept: never(),
		codes: []wayfind.Code{wayfind.CodeCrowded, wayfind.CodeRobots, wayfind.CodeRobotsUnreachable}},
}

// rowOf is the row of a verdict. One of a later version says nothing: it counts
// as skipped.
func rowOf(v wayfind.Verdict) *Row {
	other := 0
	for i := range rows {
		switch rows[i].Verdict {
		case v:
			return &rows[i]
		case wayfind.VerdictSkipped:
			other = i
		}
	}
	return &rows[other]
}

// Readable reports whether there may be a document to try under a verdict, even
// if discovery says no.
func Readable(v wayfind.Verdict) bool { return rowOf(v).readable }

// Held reports whether the site must not be asked for a while under a verdict:
// the gate knows until when.
func Held(v wayfind.Verdict) bool { return rowOf(v).held }

// About reports whether the header fields of an answer under a verdict are
// about the resource at the place.
func About(v wayfind.Verdict) bool { return rowOf(v).about }

// When says when the verdict is given.
func (r Row) When() string {
	var words []string
	for _, s := range r.statuses {
		switch {
		case r.readable, s.first != s.last: // the words say which
		case s.retryAfter:
			words = append(words, fmt.Sprintf("or %d with Retry-After", s.first))
		default:
			words = append(words, fmt.Sprint(s.first))
		}
	}
	if r.when != "" {
		words = append(words, r.when)
	}
	return strings.Join(words, ", ")
}

// Means says whether a document is there: "yes", "no" or "unknown".
func (r Row) Means() string {
	switch {
	case !r.Verdict.Answered():
		return "unknown"
	case r.Verdict.Kind() == nil:
		return "yes"
	}
	return "no"
}

// Remembered says for how long the verdict counts.
func (r Row) Remembered() string { return r.kept.text }

func (s statuses) include(status int, header http.Header) bool {
	return s.first <= status && status <= s.last && (!s.retryAfter || header.Get("Retry-After") != "")
}
