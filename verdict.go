package wayfind

// Verdict is the meaning of the answer to one probe. "No" and "don't know" are
// different verdicts and are remembered for different times.
type Verdict string

// These are the verdicts. The set may grow. Treat unknown values as [VerdictUnrecognised].
const (
	// VerdictFound means a document that a format reads.
	VerdictFound Verdict = "found"
	// VerdictAbsent means 404, 410 or 204, or a redirect at a place whose format forbids it: then
	// Probe.Reason is its code. The answer is that there is no document.
	VerdictAbsent Verdict = "absent"
	// VerdictSoft404 means status 200 with an HTML page, or with the page that this server
	// returns for any path. The answer is that there is no document.
	VerdictSoft404 Verdict = "soft_404"
	// VerdictUnrecognised means an answer that no format claims, or an unusual status from 1xx
	// to 4xx.
	VerdictUnrecognised Verdict = "unrecognised"
	// VerdictOtherFormat means a document of a known kind that is not a discovery document, or
	// whose format is disabled.
	VerdictOtherFormat Verdict = "other_format"
	// VerdictMalformed means that there is a document, but it cannot be read: invalid JSON, or
	// an encoding that cannot be decoded.
	VerdictMalformed Verdict = "malformed"
	// VerdictTooLarge means that there is a document, but it exceeds a limit of this program:
	// see [TooLarge].
	VerdictTooLarge Verdict = "too_large"
	// VerdictEndpointLike means 400, 405, 406 or 415 to a GET. The place may be a live endpoint
	// that expects another method. Whether there is a document is unknown.
	VerdictEndpointLike Verdict = "endpoint_like"
	// VerdictProtected means 401, 402 or 403. Whether there is a document is unknown.
	VerdictProtected Verdict = "protected"
	// VerdictBlocked means that a firewall answered instead of the site, or that a redirect leads to a
	// captcha, a login or a page for consent.
	VerdictBlocked Verdict = "blocked"
	// VerdictThrottled means 429, or 503 with Retry-After, or an obligation to wait.
	VerdictThrottled Verdict = "throttled"
	// VerdictUnreachable means a failure of DNS or TLS, a time-out, a truncated answer or 5xx.
	VerdictUnreachable Verdict = "unreachable"
	// VerdictRefused means that our own policy refuses, for example a redirect to a private address.
	VerdictRefused Verdict = "refused"
	// VerdictSkipped means that the place was not asked (deadline, first match, budget).
	VerdictSkipped Verdict = "skipped"
)

// verdicts lists all verdicts in the order of their declaration. Package internal/site/verdict has a
// row for each, with its statuses and how long it is remembered.
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

// Answered reports whether the verdict decides if a document exists. It is true for
// VerdictFound and for every kind of "no", and false for every kind of "don't know".
func (v Verdict) Answered() bool {
	for i := range verdicts {
		if verdicts[i].verdict == v {
			return verdicts[i].answered
		}
	}
	return false
}

// Unreadable reports whether a document exists and was not read, because it is malformed or too
// large.
func (v Verdict) Unreadable() bool { return v == VerdictMalformed || v == VerdictTooLarge }

// Kind returns the kind of the error that the verdict causes if nothing was found at any place,
// or nil if it causes none.
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
