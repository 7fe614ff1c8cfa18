// Package verdict contains the table of verdicts. A row contains when a verdict is given,
// whether it means that a document exists, and how long it is remembered. The package also
// contains the kinds of errors that summarise verdicts, in order, with the exit status of the
// command. The client, Merge, docs/FORMATS.md and the command use both.
//
// The words for verdicts, and the kind of each, are in the root package, which all packages
// import.
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
	// when describes the case of the verdict, in addition to its statuses.
	when string
	// statuses decide the verdict without the content.
	statuses []statuses
	// codes are the codes of errors of any kind that cause the verdict.
	codes []wayfind.Code
	kept  kept
	// readable is true if there may be a document to try, even if discovery reports absence.
	readable bool
	// held is true if the gate stores the end of the verdict.
	held bool
	// about is true if the header fields of the answer describe the resource at the place. The
	// fields of a "no" and of a failure describe the error page (RFC 9110 §6.4.2).
	about bool
}

// statuses is a range of statuses with their code.
type statuses struct {
	first, last int
	code        wayfind.Code
	// retryAfter is true if the answer must contain Retry-After.
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
	{Verdict: wayfind.VerdictAbsent, when: "a document that says no, or a redirect that the format of the place forbids", statuses: status(404, 410, 204), kept: absence()},
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
	{Verdict: wayfind.VerdictBlocked, when: "a firewall answers, or a redirect leads to a captcha, a login or a page for consent", kept: always(KeepUnknown, "")},
	{Verdict: wayfind.VerdictThrottled, held: true, kept: throttling(),
		statuses: append(status(429), statuses{first: 503, last: 503, retryAfter: true})},
	{Verdict: wayfind.VerdictUnreachable, when: "DNS, connection, TLS, time-out, truncation, other 5xx", held: true, kept: failing(),
		statuses: []statuses{{first: 500, last: 599, code: wayfind.CodeServerError}}},
	{Verdict: wayfind.VerdictRefused, when: "our policy refuses: an address, a redirect", kept: always(KeepUnknown, "; the refusal is decided anew each time")},
	{Verdict: wayfind.VerdictSkipped, when: "not asked: deadline, crowd, budget, first match, robots.txt, offline", kept: never(),
		codes: []wayfind.Code{wayfind.CodeCrowded, wayfind.CodeRobots, wayfind.CodeRobotsUnreachable}},
}

// rowOf returns the row of a verdict. A verdict of a later version is unknown and is treated as
// skipped.
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

// Readable reports whether there may be a document to try under a verdict, even if discovery
// reports absence.
func Readable(v wayfind.Verdict) bool { return rowOf(v).readable }

// Held reports whether the site must not be asked for a while under a verdict. The gate stores
// the end of that time.
func Held(v wayfind.Verdict) bool { return rowOf(v).held }

// About reports whether the header fields of an answer under a verdict describe the resource at
// the place.
func About(v wayfind.Verdict) bool { return rowOf(v).about }

// When returns a text that describes when the verdict is given.
func (r Row) When() string {
	var words []string
	for _, s := range r.statuses {
		switch {
		case r.readable, s.first != s.last: // s.when names the statuses
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

// Means returns whether a document exists: "yes", "no" or "unknown".
func (r Row) Means() string {
	switch {
	case !r.Verdict.Answered():
		return "unknown"
	case r.Verdict.Kind() == nil:
		return "yes"
	}
	return "no"
}

// Remembered returns how long the verdict is remembered.
func (r Row) Remembered() string { return r.kept.text }

func (s statuses) include(status int, header http.Header) bool {
	return s.first <= status && status <= s.last && (!s.retryAfter || header.Get("Retry-After") != "")
}
