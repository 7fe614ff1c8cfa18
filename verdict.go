package wayfind

// Verdict is the meaning of the answer to one probe. "No" and "don't know" are
// different verdicts and are remembered for different times.
type Verdict string

// The verdicts. The set may grow; unknown values are to be treated as
// [VerdictUnrecognised].
const (
	// VerdictFound: a document that a format reads.
	VerdictFound Verdict = "found"
	// VerdictAbsent: 404, 410 or 204. The answer is that there is no document.
	VerdictAbsent Verdict = "absent"
	// VerdictSoft404: status 200, with an HTML page or the page that this server returns
	// for any path. The answer is that there is no document.
	VerdictSoft404 Verdict = "soft_404"
	// VerdictUnrecognised: an answer that no format claims, stray 1xx to 4xx
	// statuses included.
	VerdictUnrecognised Verdict = "unrecognised"
	// VerdictOtherFormat: a document of a known kind that is not a discovery document, or
	// whose format is switched off.
	VerdictOtherFormat Verdict = "other_format"
	// VerdictMalformed: there is a document, and it cannot be read: invalid JSON, or an
	// encoding that cannot be decoded.
	VerdictMalformed Verdict = "malformed"
	// VerdictTooLarge: there is a document, and it exceeds a limit of this program: see
	// [TooLarge].
	VerdictTooLarge Verdict = "too_large"
	// VerdictEndpointLike: 400, 405, 406 or 415 to a GET: perhaps a live
	// endpoint that expects another method. It is no statement about documents.
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

// verdicts lists all verdicts in the order of their declaration. Package
// internal/verdict has a row for each, with its statuses and how long it is remembered.
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

// Answered reports whether the verdict decides if a document is there. It is true for
// VerdictFound and for every kind of "no", false for every kind of "don't know".
func (v Verdict) Answered() bool {
	for i := range verdicts {
		if verdicts[i].verdict == v {
			return verdicts[i].answered
		}
	}
	return false
}

// Unreadable reports whether a document is there and was not read, because it is
// malformed or too large.
func (v Verdict) Unreadable() bool { return v == VerdictMalformed || v == VerdictTooLarge }

// Kind returns the kind of the error that the verdict causes if nothing was found
// anywhere. It returns nil if the verdict causes none.
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
