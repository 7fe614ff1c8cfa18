// Package livemcp asks servers of the Model Context Protocol for their offers. It is enabled
// in the options of a client:
//
//	c, err := client.New(&client.Options{Live: []client.LiveProber{livemcp.New(nil)}})
//
// Resolve then asks the servers at the origin that its documents name. Describe also asks
// servers on other hosts if Options.Approve agrees. A server's answer has the authority live,
// above the claims of documents.
//
// # Requests
//
// The protocol has two eras, and a URL does not show which of them the server supports. This
// package uses the fallback of the specification: "server/discover", which no
// older server understands; then "initialize" of 2025-11-25 and older; then the event stream
// of 2024-11-05. If a document states that the transport is such a stream, the stream is tried
// first. Then the tools, resources, resource templates and prompts that the server advertises
// are listed, page by page, and the session is ended. Tools are never called, and resources
// are neither read nor subscribed to. The only credential that is sent is one that the context
// carries for this purpose (client.WithCredential). If the server demands a credential, the
// cause of the error is a [ChallengeError] with its challenge.
//
// # Guarantees
//
// Requests go to the origin of the endpoint only, even after a redirect or an endpoint event.
// One probe reads at most 4 MiB, 50 pages and 1,000 capabilities, and a repeated cursor ends
// it. Each of these is an error, because a server that exceeds a limit is broken or hostile. A
// message that violates JSON-RPC 2.0 is an error too: duplicate members, an id that differs
// from the id of the request, a result together with an error. Session IDs have at most 256
// characters of visible ASCII. The probe advertises no capability of a client, so servers have
// no reason to send requests. It answers a ping and refuses other requests. More than a few
// requests end it. All work ends with the context.
//
// A server's answer is data, like a document. Names of servers are for display. Instructions
// are kept among the extensions and never followed. Annotations are claims of the server.
//
// # Use of the official SDK
//
// This package uses the transports of the SDK, which implement the wire format of each
// version. It does not use the SDK's client, which decodes results into structures that hide
// duplicate members and invalid UTF-8, requests an unlimited number of pages and reads bodies
// of any size. Instead this package calls methods over the connection of a transport and
// passes the bytes of each result to the reader that validates documents. A meter sits between
// the transport and the network. All bytes that a transport reads have passed through that
// reader as well.
package livemcp

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind/client"
)

// Limits of one probe.
const (
	// maxBytes is the maximum number of bytes of all answers together.
	maxBytes = 4 << 20
	// maxPages is the maximum number of pages of all lists together.
	maxPages = 50
	// maxItems is the maximum number of tools, resources, templates and prompts together.
	maxItems = 1000
	// maxReplies is the maximum number of requests of a server that are answered.
	maxReplies = 16
	// maxStray is the maximum number of unrequested messages that are skipped: notifications,
	// requests, and answers to unknown requests.
	maxStray = 1000
)

// Options are the options of [New]. Nil and the zero value are the defaults.
type Options struct {
	// Name and Version identify this client to servers; default "wayfind" and "1".
	Name, Version string
}

// New returns a prober for the protocol "mcp". It keeps no state from one probe to the next.
// New copies the options.
//
// The errors of its Probe are *wayfind.Error. The kind is ErrBlocked, with a [ChallengeError],
// if the server demands authentication; Probe then also returns an answer that describes the
// authentication. It is ErrRefused for redirects and other origins, ErrInvalid if the server
// does not support the protocol or exceeds a limit, ErrNotFound if there is no server,
// ErrThrottled if the server limits requests, and otherwise ErrUnreachable. If the server
// refuses with a status, a *client.StatusError is among the causes.
func New(opts *Options) client.LiveProber {
	p := &prober{}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.Name, p.opts.Version = cmp.Or(p.opts.Name, "wayfind"), cmp.Or(p.opts.Version, "1")
	return p
}

// prober implements client.LiveProber.
type prober struct{ opts Options }

// Protocol implements client.LiveProber.
func (*prober) Protocol() string { return protocol }

// Format implements client.LiveProber.
func (*prober) Format() string { return format }

// Probe implements client.LiveProber.
func (p *prober) Probe(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
	return p.ask(ctx, req)
}

// ask probes a server. It follows redirects within the origin, as far as the request allows.
func (p *prober) ask(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
	own, left := *req, int64(maxBytes)
	var hops []*url.URL
	for {
		m := newMeter(ctx, &own, left)
		a, err := p.askAt(ctx, m, &own)
		left = m.rest() // a server that redirects late does not get the full limit again
		if c, ok := errors.AsType[*ChallengeError](err); ok {
			a = c.answer(&own)
		}
		if a != nil {
			a.Redirects = hops
		}
		to := m.movedTo()
		if err == nil || to == nil || len(hops) >= req.Redirects || slices.ContainsFunc(hops, func(u *url.URL) bool { return *u == *to }) {
			return a, err
		}
		own.URL, hops = to, append(hops, to)
	}
}

// askAt begins a session at a URL, reads its lists and ends it.
func (p *prober) askAt(ctx context.Context, m *meter, req *client.LiveRequest) (*client.LiveAnswer, error) {
	// Goroutines that the transports leave running end with the probe.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.ctx = ctx
	s, err := p.open(ctx, m, req.Interface.Transport == transportSSE)
	if err != nil {
		return nil, err
	}
	defer s.close()
	l, err := s.lists(ctx)
	if err != nil {
		return nil, err
	}
	return l.answer(req.URL, s.greeting), nil
}
