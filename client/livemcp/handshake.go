package livemcp

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	rules "github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/parse"
)

// The protocol and its transports, as interfaces name them, and the name of the format of its
// documents.
const (
	protocol      = "mcp"
	format        = "mcp"
	transportHTTP = "streamable-http"
	transportSSE  = "sse"
)

// greeting is a server's description of itself.
type greeting struct {
	// version and transport are the version and the transport of the session.
	version, transport string
	// result is the result of server/discover or initialize. info is the server's name for
	// itself, whose place depends on the version.
	result, info parse.Node
}

// open begins a session. Unless a document states that the transport is an event stream, the
// newest way is tried first ([mcpera.Modern], Versioning and Backward Compatibility).
func (p *prober) open(ctx context.Context, m *meter, stream bool) (*session, error) {
	ways := []func(context.Context, *meter) (*session, error){p.modern, p.legacy, p.stream}
	if stream {
		ways = []func(context.Context, *meter) (*session, error){p.stream, p.modern, p.legacy}
	}
	var last error
	for _, way := range ways {
		s, err := way(ctx, m)
		if _, next := errors.AsType[*protocolError](err); !next {
			return s, plain(m, err)
		}
		if e := m.over(ctx, "connect"); e != nil {
			return nil, e
		}
		last = err
	}
	switch status := m.lastStatus(); status {
	case http.StatusNotFound, http.StatusGone:
		return nil, m.refusal(wayfind.CodeAbsent, status)
	case http.StatusMethodNotAllowed:
		return nil, m.refusal(wayfind.CodeStatus, status)
	}
	return nil, m.invalid(wayfind.CodeProtocol, "no version of the protocol is spoken here: %.400s", last.Error())
}

// plain turns a refusal of the server into an error of this module.
func plain(m *meter, err error) error {
	if no, ok := saysNo(err); ok {
		return m.invalid(wayfind.CodeProtocol, "the server refuses with code %d: %.200q", no.Code, no.Message)
	}
	return err
}

// begin begins a session over streamable HTTP.
func (p *prober) begin(ctx context.Context, m *meter) (*session, error) {
	t := &mcp.StreamableClientTransport{
		Endpoint: m.endpoint, HTTPClient: m.client(), MaxEventSize: maxBytes,
		MaxRetries: -1, DisableStandaloneSSE: true,
	}
	conn, err := t.Connect(ctx)
	if err != nil {
		return nil, m.explain(ctx, "connect", err)
	}
	return &session{conn: conn, meter: m}, nil
}

// us returns the name and the version of this client.
func (p *prober) us() rules.Client {
	return rules.Client{Name: p.opts.Name, Version: p.opts.Version}
}

// modern begins a session with the method that only servers since [mcpera.Modern] know.
func (p *prober) modern(ctx context.Context, m *meter) (*session, error) {
	const method = rules.Discover
	s, err := p.begin(ctx, m)
	if err != nil {
		return nil, err
	}
	s.about = p.us().Meta()
	raw, err := s.call(ctx, method)
	if err == nil {
		var root parse.Node
		if root, err = s.result(method, &parse.Input{Body: raw}); err == nil {
			s.greeting = &greeting{mcpera.Modern, transportHTTP, root, root.Get("_meta").Get(mcp.MetaKeyServerInfo)}
			err = m.choose(root.Get("supportedVersions"))
		}
	} else {
		err = m.era(err)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// choose checks the versions that a server lists. If it returns nil, the session can continue.
// If it returns a protocolError, an older version is to be tried.
func (m *meter) choose(versions parse.Node) error {
	if versions.Kind() != parse.Array {
		return &protocolError{errors.New("the answer to a method of " + mcpera.Modern + " has no versions")}
	}
	older := false
	for _, v := range versions.Items() {
		text, _ := v.Str()
		if text == mcpera.Modern {
			return nil
		}
		older = older || mcpera.IsLegacy(text)
	}
	e := m.invalid(wayfind.CodeProtocol, "the server speaks none of the versions that are known here")
	if older {
		return &protocolError{e}
	}
	return e
}

// era interprets the failure of server/discover. Unless the error is one that only servers of
// [mcpera.Modern] send, an older version may be supported.
func (m *meter) era(err error) error {
	no, ok := saysNo(err)
	if !ok {
		return &protocolError{err}
	}
	data, _ := (&parse.Input{Body: no.Data}).JSON()
	refusal := rules.Refused(no.Code, data)
	if !refusal.Modern {
		return &protocolError{err}
	}
	if refusal.Version {
		if older := m.choose(refusal.Supported); older != nil {
			return older
		}
	}
	return err
}

// legacy initialises a session of [mcpera.Legacy] or older.
func (p *prober) legacy(ctx context.Context, m *meter) (*session, error) {
	s, err := p.begin(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := p.initialise(ctx, s, mcpera.Legacy, transportHTTP); err != nil {
		s.close()
		switch m.lastStatus() {
		case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
			return nil, &protocolError{err}
		}
		return nil, err
	}
	return s, nil
}

// stream opens the event stream of [mcpera.Stream], which contains the address for messages.
func (p *prober) stream(ctx context.Context, m *meter) (*session, error) {
	t := &mcp.SSEClientTransport{Endpoint: m.endpoint, HTTPClient: m.client(), MaxEventSize: maxBytes}
	conn, err := t.Connect(ctx)
	if err != nil {
		return nil, &protocolError{m.explain(ctx, "event stream", err)}
	}
	s := &session{conn: conn, meter: m}
	if err := p.initialise(ctx, s, mcpera.Stream, transportSSE); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// initialise performs the handshake of the versions before [mcpera.Modern].
func (p *prober) initialise(ctx context.Context, s *session, version, transport string) error {
	raw, err := s.call(ctx, rules.Initialize, p.us().Hello(version)...)
	if err != nil {
		return err
	}
	root, err := s.result(rules.Initialize, &parse.Input{Body: raw})
	if err != nil {
		return err
	}
	spoken, server := rules.Welcome(root)
	if !mcpera.IsLegacy(spoken) {
		return s.meter.invalid(wayfind.CodeProtocol, "the server speaks version %.100q, which is not known here", spoken)
	}
	s.greeting = &greeting{spoken, transport, root, server}
	s.meter.speaks(spoken)
	return s.notify(ctx, rules.Initialized)
}

// codeOf returns the code of an error of this module; CodeProtocol for any other error.
func codeOf(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return wayfind.CodeProtocol
}
