package fetch

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/web/wall"
)

const (
	maxRetries = 3 // of one request, for answers that may be temporary

	// maxConnRetries is for connections that fail before an answer. A host that fails twice to
	// answer is down.
	maxConnRetries = 1

	retryFloor = 100 * time.Millisecond // before each retry, because an instant one finds the same fault
	retryBase  = 200 * time.Millisecond // doubles with each retry
	retryCap   = 2 * time.Second

	// retryAfterBudget is the time that one call sleeps because of Retry-After.
	retryAfterBudget = 2 * time.Second

	readOutTime = time.Second // of the body of an answer before the next attempt
)

// NewRetry returns a Step that calls next again if a second answer may differ. It repeats GET and
// HEAD: up to three times after 5xx (not 501, 505 and 511) and after a 429 with Retry-After, and
// once after a failed connection. It waits between 100 ms and a bound that doubles, or for the time
// in Retry-After. If the wait would be
// longer than 2 s or past the caller's deadline, or if there is no retry left in the [Budget], the
// last answer or error is returned unchanged.
//
// Policy refusals, unknown names, TLS failures, time-outs and answers that were cut off in the
// middle are not tried again. Neither are requests with [Ask.Once].
func NewRetry(next Step) Step {
	return &retrier{next: next}
}

type retrier struct{ next Step }

// Do implements Step.
func (r *retrier) Do(ctx context.Context, a *Ask) (*http.Response, error) {
	idempotent := a.method() == http.MethodGet || a.Method == http.MethodHead
	if !idempotent || a.Once || a.URL == nil {
		return r.next.Do(ctx, a)
	}
	a.counted = true
	resp, err := r.next.Do(ctx, a)
	if mostRepeats(resp, err) == 0 {
		return resp, err
	}
	c := &call{next: r.next, ask: a, resp: resp, err: err} // rare: the client is expensive
	return c.again(ctx)
}

// call is one request with its retries. It is between the retrying client and next, because the
// client changes results: it wraps errors, makes an unreadable Location an error, and may drop a
// last answer.
type call struct {
	next    Step
	ask     *Ask
	resp    *http.Response // as next returned it
	err     error
	retries int           // the retries that were waited for
	slept   time.Duration // for Retry-After
	wait    time.Duration // before the next attempt
	waiting bool
	begun   bool // the client has seen the first attempt
}

// again makes further attempts as long as check permits.
func (c *call) again(ctx context.Context) (*http.Response, error) {
	client := &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     attempts{c},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax:     maxRetries,
		CheckRetry:   c.check,
		Backoff:      func(time.Duration, time.Duration, int, *http.Response) time.Duration { return c.wait },
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	outer := (&http.Request{Method: c.ask.method(), URL: c.ask.URL, Header: http.Header{}}).WithContext(ctx)
	wrapped, err := retryablehttp.FromRequest(outer)
	if err != nil {
		return c.resp, c.err
	}
	_, _ = client.Do(wrapped) // c has the original answer
	if c.waiting {
		return nil, withURL(callerError(ctx, opHeaders), c.ask.URL)
	}
	return c.resp, c.err
}

// attempts is the transport of the inner client. It has no method to close idle connections,
// because the client would call it after each final failure.
type attempts struct{ *call }

// RoundTrip keeps the original result and returns a copy without Location, which [Walk] reads. The
// first attempt was already made. The request is the client's own and adds nothing to the Ask.
func (a attempts) RoundTrip(req *http.Request) (*http.Response, error) {
	a.waiting = false
	if a.begun {
		a.resp, a.err = a.next.Do(req.Context(), a.ask)
	}
	a.begun = true
	if a.err != nil {
		return nil, a.err
	}
	shown := *a.resp
	if _, redirects := shown.Header["Location"]; redirects {
		shown.Header = shown.Header.Clone()
		shown.Header.Del("Location")
	}
	return &shown, nil
}

// check is retryablehttp.CheckRetry. It decides on the original result.
func (c *call) check(ctx context.Context, _ *http.Response, _ error) (bool, error) {
	if ctx.Err() != nil || c.ask.hasLeft() || !c.ask.mayRepeat(mostRepeats(c.resp, c.err)) {
		return false, nil
	}
	asked, ok := c.backoff(ctx)
	if !ok || !c.ask.Budget.take() {
		return false, nil
	}
	c.retries++
	c.ask.repeats++
	c.slept += asked
	c.waiting = true
	if c.err == nil {
		readOut(c.resp.Body)
	}
	return true, nil
}

// readOut reads the rest of an answer that is not needed, so that the next attempt can use its
// connection. If the peer needs longer than readOutTime, the connection is closed.
func readOut(body io.ReadCloser) {
	limit := time.AfterFunc(readOutTime, func() { _ = body.Close() })
	defer limit.Stop()
	_, _ = io.CopyN(io.Discard, body, maxErrorBody+1)
}

// mostRepeats returns the total number of repeats that a result permits.
func mostRepeats(resp *http.Response, err error) int {
	switch {
	case err != nil && isConnFailure(err):
		return maxConnRetries
	case resp != nil && isPassing(resp) && !isWall(resp):
		return maxRetries
	}
	return 0
}

// isWall reports whether something before the site answers, which answers the same later.
func isWall(resp *http.Response) bool {
	return wall.ByHeader(resp.StatusCode, resp.Header, strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html")).Is()
}

// backoff sets the wait. ok is false if it is too long. asked is the part of the wait that the site
// requested.
func (c *call) backoff(ctx context.Context) (asked time.Duration, ok bool) {
	c.wait = retryFloor + rand.N(min(retryBase<<c.retries, retryCap)-retryFloor)
	if c.resp != nil {
		asked, ok = RetryAfter(c.resp.Header, time.Now())
		if ok {
			c.wait = asked
		}
	}
	if c.slept+asked > retryAfterBudget {
		return 0, false
	}
	deadline, limited := c.ask.deadline(ctx)
	return asked, !limited || time.Until(deadline) > c.wait
}

// isPassing reports whether a request in a moment may get another status (RFC 9110 §15.6). A site
// that says "too many" must say when there are fewer (RFC 6585 §4). Gateways use numbers of their
// own above 511.
func isPassing(resp *http.Response) bool {
	status := resp.StatusCode
	switch status {
	case http.StatusTooManyRequests:
		_, says := RetryAfter(resp.Header, time.Now())
		return says
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusNetworkAuthenticationRequired:
		return false
	}
	return status >= 500 && status <= 599
}

// isConnFailure reports whether no answer was begun and the next connection may succeed.
func isConnFailure(err error) bool {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !errors.Is(e.Kind, wayfind.ErrUnreachable) || wasAnswered(err) {
		return false
	}
	return e.Code == wayfind.CodeNetwork || e.Code == wayfind.CodeDNS || e.Code == wayfind.CodeTruncated
}
