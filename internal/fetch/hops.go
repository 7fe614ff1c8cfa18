package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/secret"
	"github.com/wayfindhq/wayfind/security"
)

// maxRedirectBody is how much of a redirect's body is read, to keep an
// HTTP/1.1 connection usable.
const maxRedirectBody = 4 << 10

// Hops asks for a URL and goes where redirects lead, one hop at a time, as far
// as the policy of SECURITY §6.3 allows. Next sees each hop as a request of
// its own.
type Hops struct {
	Next http.RoundTripper
	// UserAgent is sent with each request, where a cache below sees it: an
	// answer may vary on it. Empty: what Next sends.
	UserAgent string
	// Sites says which hosts are one site; nil is the bundled list.
	Sites *security.SuffixList
}

// Request is what to get.
type Request struct {
	// URL in the form of [security.ParseURL].
	URL *url.URL
	// Accept is sent as is; empty: not sent.
	Accept string
	// MaxBytes of the decoded body; 0 means [DefaultMaxBytes].
	MaxBytes int64
	// Redirects to follow at most; none by default.
	Redirects int
	// SameSiteOnly refuses redirects to another registrable domain than the
	// one of URL.
	SameSiteOnly bool
	// Truncate: of a longer body the first MaxBytes count, instead of none.
	Truncate bool
	// Allow is asked about the URL of each hop before the request; its error
	// ends the walk. Nil allows all.
	Allow func(*url.URL) error
	// CacheControl is sent to the cache below, and by it to the site; empty:
	// nothing (RFC 9111 §5.2.1).
	CacheControl string
}

// Result is where a request led.
type Result struct {
	// Responses has one for each hop. The body of the last is open and for
	// the caller to close, when Get returned no error; all others are closed.
	Responses []*http.Response
	// FinalURL is the last URL that was asked.
	FinalURL *url.URL
	// Chain are the URLs gone to after the first, in order.
	Chain []string
	// CrossSite is set when any hop was on another registrable domain than
	// the first, even if a later one came back.
	CrossSite bool
}

// Final returns the last response, nil without one.
func (r *Result) Final() *http.Response {
	if len(r.Responses) == 0 {
		return nil
	}
	return r.Responses[len(r.Responses)-1]
}

// Get walks the redirects 301, 302, 303, 307 and 308 (RFC 9110 §15.4). A
// redirect that it does not follow is an error of kind ErrRefused and Op
// "redirect": the code is CodeRedirectLimit, CodeRedirectLoop,
// CodeRedirectDowngrade, CodeRedirectCrossSite, CodeRedirectLocation,
// CodeSecret (a URL that holds a secret), one of the host policy, or CodeStatus
// for 300, 304, 305 and 306. Errors of Next are returned as they are. The Result is never nil, and holds what was seen also
// beside an error. An error of Allow is returned as it is.
func (h *Hops) Get(ctx context.Context, r *Request) (*Result, error) {
	if r.MaxBytes > 0 {
		ctx = WithLimits(ctx, r.MaxBytes)
	}
	if r.Truncate {
		ctx = context.WithValue(ctx, truncateKey, true)
	}
	w := &walk{sites: h.Sites, request: r, result: &Result{FinalURL: r.URL}}
	for {
		if r.Allow != nil {
			if err := r.Allow(w.result.FinalURL); err != nil {
				return w.result, err
			}
		}
		req := w.hop(ctx)
		if h.UserAgent != "" {
			req.Header.Set("User-Agent", h.UserAgent)
		}
		resp, err := h.Next.RoundTrip(req)
		if err != nil {
			return w.result, err
		}
		w.result.Responses = append(w.result.Responses, resp)
		if resp.StatusCode < 300 || resp.StatusCode > 399 {
			return w.result, nil
		}
		drain(resp.Body)
		next, err := w.next(resp)
		if err != nil {
			return w.result, withURL(err, w.result.FinalURL)
		}
		w.result.FinalURL = next
		w.result.Chain = append(w.result.Chain, next.String())
	}
}

// drain reads a little, so that the connection can be used again, and closes.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxRedirectBody)
	_ = body.Close()
}

// walk is one Get.
type walk struct {
	sites   *security.SuffixList
	request *Request
	result  *Result
}

// seen reports whether a URL was asked before.
func (w *walk) seen(u string) bool {
	return u == w.request.URL.String() || slices.Contains(w.result.Chain, u)
}

// hop makes the request for the present URL. It holds nothing of the hops
// before: no Referer, no credentials of a URL, and that of the caller only
// where it belongs.
func (w *walk) hop(ctx context.Context) *http.Request {
	u := *w.result.FinalURL
	req := (&http.Request{
		Method: http.MethodGet,
		URL:    &u,
		Host:   u.Host,
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header),
	}).WithContext(ctx)
	if w.request.Accept != "" {
		req.Header.Set("Accept", w.request.Accept)
	}
	if w.request.CacheControl != "" {
		req.Header.Set("Cache-Control", w.request.CacheControl)
	}
	if c := credentialOf(ctx); c.fits(&u) {
		req.Header.Set(c.Field, c.Value)
	}
	return req
}

// next judges a redirect and returns where it leads.
func (w *walk) next(resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
	default:
		return nil, refused(wayfind.CodeStatus, &StatusError{resp.StatusCode})
	}
	if len(w.result.Chain) >= w.request.Redirects {
		return nil, refused(wayfind.CodeRedirectLimit, fmt.Errorf("more than %d redirects", max(0, w.request.Redirects)))
	}
	next, err := location(resp.Header["Location"], w.result.FinalURL)
	if err != nil {
		return nil, err
	}
	if len(secret.Find("", next.String())) > 0 {
		return nil, refused(wayfind.CodeSecret, errors.New("a secret stands in the URL, which is not ours to use"))
	}
	if w.seen(next.String()) {
		return nil, refused(wayfind.CodeRedirectLoop, errors.New("this URL was asked before"))
	}
	if !w.sites.SameSite(w.request.URL.Hostname(), next.Hostname()) {
		if w.request.SameSiteOnly {
			return nil, refused(wayfind.CodeRedirectCrossSite, fmt.Errorf("to %q", next.Hostname()))
		}
		w.result.CrossSite = true
	}
	return next, nil
}

func refused(code wayfind.Code, err error) error {
	return fail(opRedirect, wayfind.ErrRefused, code, err)
}
