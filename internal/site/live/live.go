// Package live asks endpoints for their offers, in the protocols of the endpoints, and
// remembers the replies.
package live

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// Prober asks an endpoint for its offers. See client.LiveProber.
type Prober interface {
	Protocol() string
	Format() string
	Probe(ctx context.Context, req *Request) (*Answer, error)
	// Listen calls changed whenever an endpoint says that its offers have changed, until the
	// endpoint ends the conversation or ctx ends. The error is errors.ErrUnsupported if the prober
	// or the endpoint cannot do this.
	Listen(ctx context.Context, req *Request, changed func()) error
}

// Request is a request to a Prober.
type Request struct {
	URL       *url.URL
	Interface wayfind.Interface
	HTTP      *http.Client // for the endpoint's origin
	Redirects int          // the maximum number of redirects
}

// Answer is the answer of a Prober.
type Answer struct {
	Reading   *parse.Reading
	Digest    string
	Redirects []*url.URL
	Lifetime  time.Duration
}

// Options are the parts of a Client that requests to endpoints use.
type Options struct {
	Probers []Prober
	Formats map[string]*parse.Format // by name
	Reader  *reading.Reader
	Gate    *gate.Gate
	Clock   *clock.Clock
	Logger  *slog.Logger
}

// Endpoints asks endpoints for all calls of a Client.
type Endpoints struct {
	Options
	replies *memory.Cache[*Reply]
	epochs  Epochs // the epochs of origins
}

// New returns Endpoints without remembered replies.
func New(o Options) *Endpoints {
	replies, _ := memory.NewCache[*Reply](memorySize) // no error: the size is positive
	return &Endpoints{Options: o, replies: replies}
}

// Call is the call on whose behalf an endpoint is asked.
type Call interface {
	// HTTP sends requests to an origin as part of the call.
	HTTP(origin string) *http.Client
	// Lane returns the party that led the call to a URL.
	Lane(u *url.URL) gate.Lane
	// Counted runs work on an answer. It returns an error if ctx ended the work.
	Counted(ctx context.Context, work func(*fuel.Counter)) error
}

// Prober returns the prober for a protocol, or nil.
func (e *Endpoints) Prober(protocol string) Prober {
	for _, p := range e.Probers {
		if p.Protocol() == protocol {
			return p
		}
	}
	return nil
}

// Format returns the format of a prober's answers, whether it is enabled or not.
func (e *Endpoints) Format(p Prober) *parse.Format {
	if f := e.Formats[p.Format()]; f != nil {
		return f
	}
	return &parse.Format{Name: p.Format(), PerSource: true}
}

// AtOrigin reports whether an interface in a document of the site is at the origin itself.
func AtOrigin(f wayfind.Interface, origin string) bool {
	u, err := security.DevGuard(origin).ParseURL(f.URL, nil)
	return err == nil && security.Origin(u) == origin && (f.Trust == wayfind.TrustSameOrigin || f.Trust == wayfind.TrustSameSite)
}

// Reply is the cleaned answer of an endpoint, or a failure, until it expires.
type Reply struct {
	Redirects []*url.URL
	Reading   *reading.Detail // nil if there is none
	Err       error
	At        time.Time
	clock.Expiry

	url   string
	most  int    // the maximum number of redirects
	epoch uint64 // the epoch of its origin at the time of the request
}

// Ask asks an endpoint. It does not remember the reply.
func (e *Endpoints) Ask(ctx context.Context, c Call, p Prober, req Request) *Reply {
	u := req.URL
	epoch := e.epochs.At(security.Origin(u))
	req.HTTP = c.HTTP(security.Origin(u))
	answer, err := panics.Try(panics.NewGuard(e.Logger, "live", "prober"), func() (*Answer, error) { return p.Probe(ctx, &req) })
	now := e.Clock.Now()
	r := &Reply{url: u.String(), epoch: epoch, most: req.Redirects, At: now, Expiry: clock.ExpiryAt(e.Clock, now)}
	switch {
	case err != nil:
		err = reading.CleanError(err)
		if _, ok := errors.AsType[*wayfind.Error](err); !ok {
			err = wayfind.NewError("live", r.url, wayfind.CodeProtocol, err)
		}
		r.Err = e.notBefore(u, c.Lane(u), err)
	case answer == nil || answer.Reading == nil:
		r.Err = wayfind.NewError("live", r.url, wayfind.CodePanic, errors.New("the prober returned nothing"))
	default:
		r.Until = now.Add(max(0, min(answer.Lifetime, verdict.MaxNegative)))
	}
	if answer != nil && answer.Reading != nil {
		r.Redirects = answer.Redirects
		ended := c.Counted(ctx, func(w *fuel.Counter) {
			r.Reading = e.Reader.Live(w, e.Format(p), r.Final(u), answer.Digest, answer.Reading)
		})
		if ended != nil {
			r.Err = wayfind.NewError("live", r.url, wayfind.CodeCanceled, ended)
		}
	}
	return r
}

// Listen listens to an endpoint.
func (e *Endpoints) Listen(ctx context.Context, p Prober, req Request, changed func()) error {
	_, err := panics.Try(panics.NewGuard(e.Logger, "live", "prober"), func() (struct{}, error) { return struct{}{}, p.Listen(ctx, &req, changed) })
	return reading.CleanError(err)
}

// notBefore adds the gate's time to the error for an endpoint that must not be asked now.
func (e *Endpoints) notBefore(u *url.URL, lane gate.Lane, err error) error {
	throttled, ok := err.(*wayfind.Error)
	if !ok || !errors.Is(throttled.Kind, wayfind.ErrThrottled) || !throttled.NotBefore.IsZero() {
		return err
	}
	own := *throttled
	own.NotBefore = e.Gate.HeldUntil(u, lane, e.Clock.Now())
	return &own
}

// Final returns the URL that answered for u.
func (r *Reply) Final(u *url.URL) *url.URL {
	if n := len(r.Redirects); n > 0 {
		return r.Redirects[n-1]
	}
	return u
}

// Located returns the reading at this time, with the trust of the document that named the
// endpoint, and its diagnostics.
func (r *Reply) Located(at reading.At) (reading.Located, []wayfind.Diagnostic) {
	at.FetchedAt, at.FreshUntil = r.At, r.Until
	return r.Reading.At(at), at.Diagnostics(r.Reading.Diagnostics)
}
