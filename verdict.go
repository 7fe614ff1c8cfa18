package wayfind

// Verdict is the meaning of the answer to one probe. "No" and "don't know" are
// different verdicts and are remembered for different times.
type Verdict string

// The verdicts. The set may grow; unknown values are to be treated as
// [VerdictUnrecognised].
const (
	// VerdictFound: a document that a format reads.
	VerdictFound Verdict = "found"
	// VerdictAbsent: 404, 410 or 204. An answer: there is nothing.
	VerdictAbsent Verdict = "absent"
	// VerdictSoft404: status 200, but an HTML page or the page this server
	// gives for any path. An answer: there is nothing.
	VerdictSoft404 Verdict = "soft_404"
	// VerdictUnrecognised: an answer that no format claims, stray 1xx to 4xx
	// statuses included.
	VerdictUnrecognised Verdict = "unrecognised"
	// VerdictOtherFormat: a known kind of document that is no discovery
	// document for us, or belongs to a format that is switched off.
	VerdictOtherFormat Verdict = "other_format"
	// VerdictMalformed: there is something, and it cannot be read: invalid
	// JSON, undecodable.
	VerdictMalformed Verdict = "malformed"
	// VerdictTooLarge: there is something, and it is beyond a limit of this
	// program: see [TooLarge].
	VerdictTooLarge Verdict = "too_large"
	// VerdictEndpointLike: 400, 405, 406 or 415 to a GET: perhaps a live
	// endpoint that wants another method. Says nothing about documents.
	VerdictEndpointLike Verdict = "endpoint_like"
	// VerdictProtected: 401, 402 or 403. Whether there is a document is unknown.
	VerdictProtected Verdict = "protected"
	// VerdictBlocked: a firewall answered instead of the site.
	VerdictBlocked Verdict = "blocked"
	// VerdictThrottled: 429, or 503 with Retry-After, or an obligation to wait.
	VerdictThrottled Verdict = "throttled"
	// VerdictUnreachable: DNS, TLS, time-out, truncation, 5xx.
	VerdictUnreachable Verdict = "unreachable"
	// VerdictRefused: our own policy refuses, for example a redirect to http.
	VerdictRefused Verdict = "refused"
	// VerdictSkipped: not asked (deadline, first match, budget).
	VerdictSkipped Verdict = "skipped"
)

// verdicts are all of them, in the order of their declaration. Everything else
// about each (statuses, how long it is remembered) is a row of
// internal/verdict.
var verdicts = [...]struct {
	verdict  Verdict
	answered bool
	kind     error
}{
	{VerdictFound, true, nil},
	{VerdictAbsent, true, ErrNotFound},
	{VerdictSoft404, true, ErrNotFound},
	{VerdictUnrecognised, true, ErrNotFound},
	{VerdictOtherFormat, true, ErrNotFound},
	{VerdictMalformed, true, ErrInvalid},
	{VerdictTooLarge, true, ErrInvalid},
	{VerdictEndpointLike, false, nil},
	{VerdictProtected, false, ErrBlocked},
	{VerdictBlocked, false, ErrBlocked},
	{VerdictThrottled, false, ErrThrottled},
	{VerdictUnreachable, false, ErrUnreachable},
	{VerdictRefused, false, ErrRefused},
	{VerdictSkipped, false, nil},
}

// Answered reports whether the verdict tells if a document is there: true for
// found and for every kind of "no", false for every kind of "don't know".
func (v Verdict) Answered() bool {
	for i := range verdicts {
		if verdicts[i].verdict == v {
			return verdicts[i].answered
		}
	}
	return false
}

// Unreadable reports a document that is there and was not read: it is malformed or
// too large.
func (v Verdict) Unreadable() bool { return v == VerdictMalformed || v == VerdictTooLarge }

// Kind returns the kind of error that stands for the verdict when nothing was
// found anywhere, nil when it contributes none.
func (v Verdict) Kind() error {
	for i := range verdicts {
		if verdicts[i].verdict == v {
			return verdicts[i].kind
		}
	}
	return nil
}

// Verdicts returns all verdicts in the order of their declaration.
func Verdicts() []Verdict {
	list := make([]Verdict, len(verdicts))
	for i := range verdicts {
		list[i] = verdicts[i].verdict
	}
	return list
}
