package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/wayfindhq/wayfind"
)

const (
	maxRetries = 3 // of one request, for answers that may pass

	// maxConnRetries is for connections that fail before an answer: whoever
	// does not answer twice is down.
	maxConnRetries = 1

	retryBase = 200 * time.Millisecond // doubles with each retry
	retryCap  = 2 * time.Second

	// retryAfterBudget is how long one call sleeps because of Retry-After.
	retryAfterBudget = 2 * time.Second
)

// NewRetry returns a RoundTripper that asks next again where a second answer
// may differ: GET and HEAD, after 429 and 5xx (not 501, 505 and 511) up to
// three times, after a failed connection once. It waits with full jitter, or
// as long as Retry-After says. A wait beyond 2 s, past the caller's deadline
// or without a retry left in the [Budget] is not begun: the last answer or
// error is returned as it came.
//
// Policy refusals, unknown names, TLS failures, time-outs and whatever was cut
// off in the middle of an answer are not tried again; nor are requests under
// [NoRetry].
func NewRetry(next http.RoundTripper) http.RoundTripper {
	return &retrier{next: next}
}

type retrier struct{ next http.RoundTripper }

func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	idempotent := req.Method == "" || req.Method == http.MethodGet || req.Method == http.MethodHead
	if !idempotent || isNoRetry(req.Context()) || req.URL == nil {
		return r.next.RoundTrip(req)
	}
	c := &call{next: r.next}
	c.req = req.WithContext(context.WithValue(req.Context(), repeatsKey, &c.repeats))
	c.resp, c.err = r.next.RoundTrip(c.req)
	resp, err := c.resp, c.err
	if c.most() > 0 { // seldom, and the retrying client is dear to make
		resp, err = c.again()
	}
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

// call is one request with its retries. It stands between the retrying client
// and next, because the former changes what it returns: errors are wrapped, an
// unreadable Location becomes an error, a last answer may be dropped.
type call struct {
	next    http.RoundTripper
	req     *http.Request
	resp    *http.Response // as next returned it
	err     error
	repeats repeats
	retries int           // those that were waited for
	slept   time.Duration // for Retry-After
	wait    time.Duration // before the next attempt
	waiting bool
	begun   bool // the client has seen the first attempt
}

// again makes further attempts, as long as check permits.
func (c *call) again() (*http.Response, error) {
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
	wrapped, err := retryablehttp.FromRequest(c.req)
	if err != nil {
		return c.resp, c.err
	}
	_, _ = client.Do(wrapped) // c has the truth
	if c.waiting {
		return nil, withURL(callerError(c.req.Context(), opHeaders), c.req.URL)
	}
	return c.resp, c.err
}

// attempts is the transport of the inner client. It has no method to close
// idle connections: the client would call it after each final failure.
type attempts struct{ *call }

// RoundTrip keeps the true result and shows the client one without Location,
// which is for [Hops] to read. The first attempt has been made.
func (a attempts) RoundTrip(*http.Request) (*http.Response, error) {
	a.waiting = false
	if a.begun {
		a.resp, a.err = a.next.RoundTrip(a.req)
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

// check is retryablehttp.CheckRetry. It decides with the result as it came.
func (c *call) check(ctx context.Context, _ *http.Response, _ error) (bool, error) {
	if ctx.Err() != nil || hasLeft(leftOf(ctx)) || !c.repeats.may(c.most()) {
		return false, nil
	}
	asked, ok := c.backoff(ctx)
	if !ok || !budgetOf(ctx).take() {
		return false, nil
	}
	c.retries++
	c.repeats.add()
	c.slept += asked
	c.waiting = true
	return true, nil
}

// most is how many repeats in all the last result permits.
func (c *call) most() int {
	switch {
	case c.err != nil && isConnFailure(c.err):
		return maxConnRetries
	case c.resp != nil && isPassing(c.resp.StatusCode):
		return maxRetries
	}
	return 0
}

// backoff sets the wait; false when it is too long. It returns what part of it
// the site asked for.
func (c *call) backoff(ctx context.Context) (asked time.Duration, ok bool) {
	c.wait = rand.N(min(retryBase<<c.retries, retryCap)) // full jitter
	if c.resp != nil {
		asked, ok = ParseRetryAfter(c.resp.Header["Retry-After"], time.Now())
		if ok {
			c.wait = asked
		}
	}
	if c.slept+asked > retryAfterBudget {
		return 0, false
	}
	deadline, limited := deadlineOf(ctx)
	return asked, !limited || time.Until(deadline) > c.wait
}

// isPassing: a status that says "perhaps later" (RFC 9110 §15.6, RFC 6585 §4).
// Gateways use numbers of their own above 511.
func isPassing(status int) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusNetworkAuthenticationRequired:
		return false
	}
	return status >= 500 && status <= 599
}

// isConnFailure: no answer was begun, and the next connection may fare better.
func isConnFailure(err error) bool {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !errors.Is(e.Kind, wayfind.ErrUnreachable) || wasAnswered(err) {
		return false
	}
	return e.Code == wayfind.CodeNetwork || e.Code == wayfind.CodeDNS || e.Code == wayfind.CodeTruncated
}
