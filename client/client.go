// Package client asks a web domain for its offers to agents.
//
//	c, err := client.New(nil)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	site, err := c.Resolve(ctx, "example.com")
//
// A Client asks every place where a format may be declared, over one guarded
// connection, recognises each document by its content, and merges the readings
// into one wayfind.Site. It keeps answers in memory as long as HTTP and the
// formats allow: a second Resolve costs nanoseconds. One Client serves a whole
// program; it is safe for concurrent use, and concurrent calls for one domain
// share one set of requests.
//
// # Promises
//
// Only https is spoken, only to addresses the public Internet routes, never
// through a proxy of an environment variable, and without credentials or
// cookies. Globals of the host program have no effect: no default client,
// transport, resolver or logger. Options that loosen this have names that say
// so (Allow…, Unsafe…), and are part of the view that answers are stored under.
// Redirects, sizes, header sizes and time are bounded. A Site reports the
// result at every place that was asked. "No" and "don't know" are different. A
// panic in a Format, a LiveProber, a Store, Approve or Credentials is an error
// of kind wayfind.ErrInternal; its stack is in a debug record of
// Options.Logger. A panic in any other function of the Options may end the
// program.
package client

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/discover"
	"github.com/wayfindhq/wayfind/internal/flight"
	"github.com/wayfindhq/wayfind/internal/slots"
	"github.com/wayfindhq/wayfind/security"
)

// Client asks domains. Make one with New.
type Client struct {
	opts      Options
	counters  counters
	engine    *discover.Engine
	responses *memory.Store // which engine closes
	flights   flight.Group[discover.FlightKey, *discover.Outcome, *discover.Result]
	calls     *slots.Slots    // for package client/call
	base      context.Context // ends with Close
	stop      context.CancelFunc
	once      sync.Once
}

// New makes a Client. opts may be nil. The error is of kind
// wayfind.ErrInvalid.
func New(opts *Options) (*Client, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	o.guarded()
	c := &Client{opts: o, calls: slots.New(CallsAtOnce, CallsPerOrigin, callsPerDomain)}
	c.base, c.stop = context.WithCancel(context.Background())
	if c.responses, err = memory.New(o.Limits.Memory); err == nil {
		c.engine, err = discover.New(c.base, o.settings(c.responses))
	}
	if err != nil {
		c.stop()
		return nil, wayfind.NewError("options", "", "", err).WithKind(wayfind.ErrInternal)
	}
	for _, w := range o.unsafe() {
		o.Logger.Warn(w.Message, "option", w.option, "with", w.with)
	}
	return c, nil
}

// Close ends all work, waits for it and closes the resources that New made.
// Options.Store belongs to the caller and stays open. Later calls return
// wayfind.ErrClosed. Close may be called twice.
func (c *Client) Close() (err error) {
	c.once.Do(func() {
		c.engine.Closed.Store(true)
		c.stop()
		c.flights.Close()
		err = c.engine.Close()
	})
	return err
}

// HTTP sends any method but CONNECT and TRACE, never Upgrade, and refuses other
// requests with an error: header fields that hold credentials or belong to the
// connection, trailers, another Host. A credential travels in the context, see
// [WithCredential].
//
// The http.Client is for a protocol that is spoken with one origin
// ("https://example.com"). Its requests go through the same guard, pauses and
// cool-downs as discovery, and only to that origin. Others are refused with an
// error of kind wayfind.ErrRefused, and so are all requests under
// Options.Offline. Each is sent once; an error says in Unsent whether the
// request may have arrived. Redirects are not followed, there are no cookies,
// nothing is cached, and of a body more than 4 MiB are an error. User-Agent and
// Accept-Encoding are those of the Client. Under RobotsEnforce robots.txt
// counts.
//
// Whether an endpoint of another site may be contacted is for the caller to
// ask.
func (c *Client) HTTP(origin string) *http.Client {
	if u, err := c.engine.Opts.Policy.ParseURL(origin, nil); err == nil {
		origin = security.Origin(u)
	}
	return c.engine.HTTP(origin, nil)
}

// WithCredential makes requests through Client.HTTP under the context carry
// credentials, those to the origin of each and no others. Servers that Describe
// asks get them too, and Resolve sends none. They replace those of an earlier
// WithCredential; the zero Credential is none.
func WithCredential(ctx context.Context, credentials ...security.Credential) context.Context {
	return discover.WithCredential(ctx, credentials)
}

// counters are SiteStats while they grow; the Site cache counts its hits.
type counters struct {
	misses, joined atomic.Uint64
}

// asked counts a call that memory could not answer.
func (n *counters) asked(joined bool) {
	if joined {
		n.joined.Add(1)
		return
	}
	n.misses.Add(1)
}
