// Package livemcp asks servers of the Model Context Protocol for their offers.
// It is switched on in the options of a client:
//
//	c, err := client.New(&client.Options{Live: []client.LiveProber{livemcp.New(nil)}})
//
// From then on Resolve asks the servers at the origin that its documents name, and
// Describe those on other hosts, if Options.Approve agrees. A server's answer
// has the authority live, above the claims of documents.
//
// # Requests
//
// The protocol has two eras, and a URL does not say which it speaks. The
// fallback of the specification decides: "server/discover" of 2026-07-28, which
// no older server understands; then "initialize" of 2025-11-25 and older; then
// the event stream of 2024-11-05. Where a document says that the transport is
// such a stream, it is asked for first. After that tools, resources, resource
// templates and prompts are listed, each if the server advertises it, page by
// page, and the session is ended. Nothing is ever called, read or subscribed
// to. No credential is sent but one that the context carries for this
// (client.WithCredential). A server that wants a credential causes a
// [ChallengeError], which holds its challenge.
//
// # Guarantees
//
// Requests go to the origin of the endpoint and nowhere else, even after a
// redirect or an endpoint event. One probe reads at most 4 MiB, 50 pages and
// 1,000 capabilities, and a repeated cursor ends it. Each of these is an error,
// because a server that exceeds a limit is broken or hostile. A message that
// breaks JSON-RPC 2.0 is an error too: duplicate members, an id that differs from
// the one sent, a result beside an error. Session IDs are at most 256 characters of
// visible ASCII. The probe advertises no capability of a client, so servers have
// nothing to ask for. It answers a ping and refuses other requests; more than a few
// of them end it. All work ends with the context.
//
// A server's answer is data, as documents are. Names of servers are for display,
// instructions are kept among the extensions and never obeyed, and annotations are
// claims of the server.
//
// # Use of the official SDK
//
// This package uses the transports of the SDK, which implement the wire format of
// each version. It does not use the SDK's client, which decodes results into
// structures that hide duplicate members and invalid UTF-8, asks for pages without
// end and reads bodies of any size. Instead this package calls methods itself over
// the connection of a transport and hands the bytes of each result to the reader
// that judges documents. A meter stands between the transport and the network. The
// bytes that a transport reads have gone through that reader as well.
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
	// maxBytes is read of all answers together.
	maxBytes = 4 << 20
	// maxPages of all lists together.
	maxPages = 50
	// maxItems is the number of tools, resources, templates and prompts
	// together.
	maxItems = 1000
	// maxReplies is how many requests of a server are answered.
	maxReplies = 16
	// maxStray is how many unrequested messages are skipped: notifications,
	// requests, and answers without a question.
	maxStray = 1000
)

// Options of [New]. Nil and the zero value are the defaults.
type Options struct {
	// Name and Version identify this client to servers; default "wayfind" and "1".
	Name, Version string
}

// New returns a prober for the protocol "mcp". It keeps nothing from one probe
// to the next; the options are copied.
//
// The errors of its Probe are *wayfind.Error: ErrBlocked with a [ChallengeError]
// for a server that wants authentication, beside an answer that says how to
// authenticate; ErrRefused for redirects and other origins, ErrInvalid for a
// server that does not speak the protocol or passes a limit, ErrNotFound where
// there is none, ErrThrottled where it asks us to wait, ErrUnreachable for the
// rest. Where a status says no, a *client.StatusError is among the causes.
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

// ask follows redirects within the origin, as far as the request allows.
func (p *prober) ask(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
	own, left := *req, int64(maxBytes)
	var hops []*url.URL
	for {
		m := newMeter(ctx, &own, left)
		a, err := p.askAt(ctx, m, &own)
		left = m.rest() // a server that redirects late does not get the whole again
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
	// Goroutines that the transports leave behind end with the probe.
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
