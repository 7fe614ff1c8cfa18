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
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/flight"
	"github.com/wayfindhq/wayfind/internal/slots"
)

// Client asks domains. Make one with New.
type Client struct {
	engine  *engine
	flights flight.Group[flightKey, *outcome, *resolved]
	calls   *slots.Slots // for package client/call
	stop    context.CancelFunc
	once    sync.Once
}

// New makes a Client. opts may be nil. The error is of kind
// wayfind.ErrInvalid.
func New(opts *Options) (*Client, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	eng, err := newEngine(o)
	if err != nil {
		return nil, wayfind.NewError("options", "", "", err).WithKind(wayfind.ErrInternal)
	}
	c := &Client{engine: eng, calls: slots.New(CallsAtOnce, CallsPerOrigin)}
	eng.base, c.stop = context.WithCancel(context.Background())
	for _, w := range o.unsafe() {
		o.Logger.Warn(w.Message, "option", w.option, "with", w.with)
		eng.unsafe = append(eng.unsafe, w.Diagnostic)
	}
	return c, nil
}

// Close ends all work, waits for it and closes the resources that New made.
// Options.Store belongs to the caller and stays open. Later calls return
// wayfind.ErrClosed. Close may be called twice.
func (c *Client) Close() (err error) {
	c.once.Do(func() {
		c.engine.closed.Store(true)
		c.stop()
		c.flights.Close()
		err = c.engine.close()
	})
	return err
}

// errClosed is the error of calls after Close.
func errClosed(op string) error {
	return wayfind.NewError(op, "", "", nil).WithKind(wayfind.ErrClosed)
}
