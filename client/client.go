// Package client discovers what a web domain offers AI agents.
//
//	c, err := client.New(nil)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	site, err := c.Resolve(ctx, "example.com")
//
// A Client asks every place where a format may be declared, over one guarded connection. It
// recognises each document by its content, and merges the readings into one wayfind.Site. It keeps
// answers in memory as long as HTTP and the formats allow, so a second Resolve costs nanoseconds.
// One Client serves a whole program. It is safe for concurrent use, and concurrent calls for one
// domain share one set of requests.
//
// # Promises
//
// A Client speaks only https, only to addresses that the public Internet routes. It never uses a
// proxy from an environment variable, and sends no credentials or cookies. Globals of the host
// program (the default client, transport, resolver or logger) have no effect. The names of options
// that loosen these rules begin with Allow or Unsafe, and the options are part of the view that
// answers are stored under. Redirects, sizes, header sizes and time are bounded. A Site reports the
// result at every place that was asked. It distinguishes "no" from "don't know". A panic in a
// Format, a LiveProber, a Store, a Resolver, BeforeHost, Approve or Credentials is returned as an
// error of kind wayfind.ErrInternal; its stack is in a debug record of Options.Logger. A panic in
// any other function of the Options may end the program.
package client

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/run/flight"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/web/turns"
	"github.com/wayfindhq/wayfind/security"
)

// Client asks domains. Make one with New.
type Client struct {
	opts      Options
	counters  counters
	engine    *discover.Engine
	responses *memory.Store // closed by engine
	flights   flight.Group[discover.FlightKey, *discover.Outcome, *discover.Result]
	calls     *turns.Semaphore // for package client/call
	work      underway
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
	c := &Client{opts: o, calls: turns.NewSemaphore(callsAtOnce, callsPerOrigin, callsPerDomain)}
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

// Close ends all work, waits for it and closes the resources that New made. Options.Store belongs
// to the caller and stays open. Later calls return wayfind.ErrClosed. Close may be called twice.
// Shutdown lets the work under way end first.
func (c *Client) Close() (err error) {
	if c.unmade() {
		return nil
	}
	c.once.Do(func() {
		c.engine.Closed.Store(true)
		c.stop()
		c.flights.Close()
		err = c.engine.Close()
	})
	return err
}

// HTTP returns an http.Client for a protocol that is spoken with one origin
// ("https://example.com"). It sends any method except CONNECT and TRACE. It refuses a request with
// an error if the request has Upgrade, header fields that hold credentials or belong to the
// connection, trailers, or another Host. Credentials are passed in the context, see
// [WithCredential].
//
// Requests go through the same guard, pauses and cool-downs as discovery, and only to that origin.
// A request to another origin is refused with an error of kind wayfind.ErrRefused, and so are all
// requests under Options.Offline. Each request is sent once; the field Unsent of an error reports
// whether the request may have arrived. Redirects are not followed, there are no cookies, and
// nothing is cached. A body of more than 4 MiB is an error. The Client sets User-Agent and
// Accept-Encoding. Under RobotsEnforce, robots.txt applies.
//
// HTTP does not check whether an endpoint of another site may be contacted. The caller has to.
func (c *Client) HTTP(origin string) *http.Client {
	if c.unmade() {
		panic("client: " + errUnmade.Error())
	}
	if u, err := c.engine.Opts.Policy.ParseURL(origin, nil); err == nil {
		origin = security.Origin(u)
	}
	return c.engine.HTTP(origin, nil)
}

// WithCredential returns a context under which requests through Client.HTTP carry credentials. A
// request carries only the credentials for its own origin. Servers that Describe asks get them too;
// Resolve sends no credentials. They replace the credentials of an earlier WithCredential. The zero
// Credential is no credential.
func WithCredential(ctx context.Context, credentials ...security.Credential) context.Context {
	return discover.WithCredential(ctx, credentials)
}

// counters are the growing part of SiteStats; the Site cache counts its own hits.
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
