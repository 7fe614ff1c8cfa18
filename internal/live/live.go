// Package live asks endpoints for their offers, in their own protocols, and remembers the
// replies.
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
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/eras"
	"github.com/wayfindhq/wayfind/internal/fuel"
	"github.com/wayfindhq/wayfind/internal/gate"
	"github.com/wayfindhq/wayfind/internal/panics"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/verdict"
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
	HTTP      *http.Client // of the endpoint's origin
	Redirects int          // that may be followed
}

// Answer is the answer of a Prober.
type Answer struct {
	Reading   *parse.Reading
	Digest    string
	Redirects []*url.URL
	Lifetime  time.Duration
}

// Options are the parts of a Client that its requests to endpoints use.
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
	eras    eras.Eras // of origins
}

// New makes Endpoints that remember nothing yet.
func New(o Options) *Endpoints {
	replies, _ := memory.NewCache[*Reply](memorySize) // no error: the size is positive
	return &Endpoints{Options: o, replies: replies}
}

// Call is the call for which an endpoint is asked.
type Call interface {
	// HTTP sends requests to an origin as part of the call.
	HTTP(origin string) *http.Client
	// Lane says who led the call to a URL.
	Lane(u *url.URL) gate.Lane
	// Counted does work on an answer. The error says that ctx has ended the work.
	Counted(ctx context.Context, work func(*fuel.Counter)) error
}

// Prober returns the one that speaks a protocol, nil if none does.
func (e *Endpoints) Prober(protocol string) Prober {
	for _, p := range e.Probers {
		if p.Protocol() == protocol {
			return p
		}
	}
	return nil
}

// Format is the format of a prober's answers, whether it is switched on or not.
func (e *Endpoints) Format(p Prober) *parse.Format {
	if f := e.Formats[p.Format()]; f != nil {
		return f
	}
	return &parse.Format{Name: p.Format(), PerSource: true}
}

// AtOrigin reports whether an interface that a document of the site names is at
// the origin itself.
func AtOrigin(f wayfind.Interface, origin string) bool {
	u, err := security.DevGuard(origin).ParseURL(f.URL, nil)
	return err == nil && security.Origin(u) == origin && (f.Trust == wayfind.TrustSameOrigin || f.Trust == wayfind.TrustSameSite)
}

// Reply is the answer of an endpoint, cleaned, or a failure, until it expires.
type Reply struct {
	Redirects []*url.URL
	Reading   *reading.Detail // nil if there is none
	Err       error
	At        time.Time
	clock.Expiry

	url  string
	most int    // redirects that could be followed
	era  uint64 // of its origin, when it was asked
}

// Ask asks an endpoint. The reply is not remembered.
func (e *Endpoints) Ask(ctx context.Context, c Call, p Prober, req Request) *Reply {
	u := req.URL
	era := e.eras.At(security.Origin(u))
	req.HTTP = c.HTTP(security.Origin(u))
	answer, err := panics.Try(panics.NewGuard(e.Logger, "live", "prober"), func() (*Answer, error) { return p.Probe(ctx, &req) })
	now := e.Clock.Now()
	r := &Reply{url: u.String(), era: era, most: req.Redirects, At: now, Expiry: clock.ExpiryAt(e.Clock, now)}
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

// notBefore adds the gate's time to the error of an endpoint that must not be asked now.
func (e *Endpoints) notBefore(u *url.URL, lane gate.Lane, err error) error {
	throttled, ok := err.(*wayfind.Error)
	if !ok || !errors.Is(throttled.Kind, wayfind.ErrThrottled) || !throttled.NotBefore.IsZero() {
		return err
	}
	own := *throttled
	own.NotBefore = e.Gate.HeldUntil(u, lane, e.Clock.Now())
	return &own
}

// Final is the URL that has answered for u.
func (r *Reply) Final(u *url.URL) *url.URL {
	if n := len(r.Redirects); n > 0 {
		return r.Redirects[n-1]
	}
	return u
}

// Located is the reading as of now, with the trust of the document that named the
// endpoint, and the diagnostics about it.
func (r *Reply) Located(at reading.At) (reading.Located, []wayfind.Diagnostic) {
	at.FetchedAt, at.FreshUntil = r.At, r.Until
	return r.Reading.At(at), at.Diagnostics(r.Reading.Diagnostics)
}
