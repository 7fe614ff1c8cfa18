package discover

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/security"
)

// maxProtocolBytes bounds the bytes of one answer.
const maxProtocolBytes = 4 << 20

// OneOrigin sends requests to one origin.
type OneOrigin struct {
	engine  *Engine
	session *Session
	origin  string
	Agreed  bool // see access.Access.HTTPForCalls
	Led     bool // another site led to the origin
	// Lasting means that answers are streams that end at any time, so that their end holds no later
	// request up. An answer that says "not before" does.
	Lasting bool
	Cert    *tls.Certificate
}

// RoundTrip implements http.RoundTripper. If the server refuses a request only because its proof
// lacks a nonce, it has not processed the request (RFC 9449 §9), and the request is sent once more.
func (p *OneOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, again, err := p.once(req)
	if !again || req.Body != nil && req.GetBody == nil {
		return resp, err
	}
	_ = resp.Body.Close()
	own := req.Clone(req.Context())
	if req.Body != nil {
		if own.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, _, err = p.once(own)
	return resp, err
}

// once sends a request if the policy and the gate allow it. It reports whether the request may be
// sent again.
func (p *OneOrigin) once(req *http.Request) (resp *http.Response, again bool, err error) {
	u, pass, err := p.enter(req)
	if err != nil {
		closeBody(req)
		return nil, false, unsent(err)
	}
	auth, answered, err := authParts(req.Context(), req.Method, u)
	if err != nil {
		closeBody(req)
		pass.Done(nil, err, false)
		return nil, false, unsent(wayfind.NewError("http", req.URL.String(), wayfind.CodeCredential, err))
	}
	auth = p.engine.devAuth(auth)
	talk := p.talk(req, u, auth)
	if resp, err = p.send(req, u, pass, auth); talk != nil {
		p.told(talk, resp, err)
	}
	return resp, err == nil && answered != nil && answered(resp.StatusCode, resp.Header), err
}

// closeBody closes the body of a request that is not sent, as a RoundTripper must.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// enter checks a request against the policy and the gate.
func (p *OneOrigin) enter(req *http.Request) (*url.URL, gate.Pass, error) {
	u, err := p.allowed(req)
	if err != nil {
		return nil, gate.Pass{}, err
	}
	pass, err := p.engine.Gate.Enter(req.Context(), u, p.lane(u), "", 0, nil)
	if err != nil {
		err = asHeld(req.URL.String(), err)
	}
	return u, pass, err
}

// send sends a request once. The connection closes its body.
func (p *OneOrigin) send(req *http.Request, u *url.URL, pass gate.Pass, auth []fetch.AuthPart) (*http.Response, error) {
	ctx := req.Context()
	whole, _ := p.engine.reveal(u)
	a := &fetch.Ask{
		Method: req.Method, URL: whole, Header: req.Header, Body: req.Body, GetBody: req.GetBody, ContentLength: req.ContentLength,
		Once: true, Auth: auth,
	}
	if p.session != nil {
		a.Callers, a.Call, a.Budget = p.session.callers, p.session.Work, p.session.budget
	}
	conns := p.engine.liveCalls
	if p.Cert != nil {
		conns = p.engine.certified.At(p.origin, p.Cert)
	}
	resp, err := p.engine.observing(conns).Do(ctx, a)
	p.engine.heard(resp)
	if !p.Agreed && !p.Lasting || resp != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && resp.Header["Retry-After"] != nil) {
		pass.Done(resp, err, a.Written)
	}
	switch e, _ := errors.AsType[*wayfind.Error](err); {
	case err == nil:
	case !a.Written, a.Unprocessed:
		return nil, unsent(err)
	case a.Answered && e != nil:
		own := *e
		own.Answered = true
		return nil, &own
	default:
		return nil, err
	}
	resp.Request = req
	if resp.Body != nil && resp.Body != http.NoBody {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxProtocolBytes, url: req.URL}
	}
	return resp, nil
}

// unsent marks an error whose request can have had no effect.
func unsent(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return err
	}
	own := *e
	own.Unsent = true
	return &own
}

// unsendable returns an error if a request has parts that are never sent, so that no caller
// believes a dropped part was sent.
func unsendable(req *http.Request) error {
	for name := range req.Header {
		switch canonical := http.CanonicalHeaderKey(name); {
		case canonical == "Authorization", canonical == "Cookie":
			return fmt.Errorf("the field %s is not sent: hand the credential over by client.WithCredential", strings.ToLower(name))
		case fieldname.Unsettable(canonical):
			return fmt.Errorf("the field %s is not the caller's to set", strings.ToLower(name))
		}
	}
	switch method := req.Method; {
	case method == http.MethodConnect, method == http.MethodTrace:
		return fmt.Errorf("the method %s is never sent", method)
	case req.Host != "" && req.URL != nil && req.Host != req.URL.Host:
		return errors.New("the field Host names another host than the URL")
	case len(req.Trailer) > 0, len(req.TransferEncoding) > 0:
		return errors.New("trailers and transfer codings are not sent")
	}
	return nil
}

// allowed returns the URL of a request in canonical form, or an error if the policy refuses it.
func (p *OneOrigin) allowed(req *http.Request) (*url.URL, error) {
	eng := p.engine
	if eng.Closed.Load() {
		return nil, ErrClosed("http")
	}
	u, err := eng.Opts.Policy.ParseRequest(req.URL.String())
	never := unsendable(req)
	switch {
	case err != nil:
		return nil, err
	case never != nil:
		return nil, wayfind.NewError("http", req.URL.String(), wayfind.CodeProtocol, never).WithKind(wayfind.ErrRefused)
	case security.Origin(u) != p.origin:
		return nil, wayfind.NewError("http", req.URL.String(), wayfind.CodeOrigin, fmt.Errorf("this client speaks with %s only", p.origin))
	case eng.Opts.Offline:
		return nil, wayfind.NewError("http", req.URL.String(), wayfind.CodeOffline, errors.New("no request is allowed")).WithKind(wayfind.ErrRefused)
	}
	if eng.Opts.Robots.Enforce && !p.Agreed {
		a := p.session
		if a == nil {
			own, end := eng.NewSession(req.Context(), u.Hostname(), false)
			defer end()
			a = own
		}
		if err := a.obey(req.Context(), u); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// lane returns the lane of a request. Without a session, the caller named the origin, and a pause
// after one answer applies to the whole origin, whatever the path.
func (p *OneOrigin) lane(u *url.URL) gate.Lane {
	switch {
	case p.Led:
		return gate.Led
	case p.Agreed || p.session == nil:
		return gate.Place
	}
	return p.session.Lane(u)
}

// talk returns the record of a request that is about to be sent; nil if none is kept: requests of
// the caller's own (Engine.HTTP without a session) and bodies that can be read only once are not
// recorded.
func (p *OneOrigin) talk(req *http.Request, u *url.URL, auth []fetch.AuthPart) *Talk {
	if p.engine.Opts.Lab.Talk == nil || !p.Agreed && p.session == nil {
		return nil
	}
	t := &Talk{Method: req.Method, URL: u}
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil
		}
		body, err := req.GetBody()
		if err != nil {
			return nil
		}
		defer body.Close()
		if t.Request, err = io.ReadAll(body); err != nil {
			return nil
		}
	}
	for i := range auth {
		if !auth[i].Plain {
			t.Secrets = t.Secrets.AndField(auth[i].Value)
		}
	}
	return t
}

// told records the result of a request.
func (p *OneOrigin) told(t *Talk, resp *http.Response, err error) {
	record := p.engine.Opts.Lab.Talk
	if err != nil {
		t.Err = err
		record(t)
		return
	}
	t.Status, t.Header = resp.StatusCode, resp.Header
	if resp.Body == nil || resp.Body == http.NoBody {
		record(t)
		return
	}
	resp.Body = &heard{
		ReadCloser: resp.Body, talk: t, record: record,
		events: t.Method == http.MethodPost && strings.HasPrefix(t.Header.Get("Content-Type"), "text/event-stream"),
	}
}

// boundedBody bounds the bytes read from an answer.
type boundedBody struct {
	io.ReadCloser
	left int64
	url  *url.URL
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLarge()
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.tooLarge()
	}
	return n, err
}

func (b *boundedBody) tooLarge() error {
	return wayfind.NewError("http", b.url.String(), wayfind.CodeTooLarge, &wayfind.TooLarge{Of: "bytes", Limit: maxProtocolBytes})
}
