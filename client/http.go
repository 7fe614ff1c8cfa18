package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/gate"
	"github.com/wayfindhq/wayfind/security"
)

// maxProtocolBytes is how many bytes of one answer HTTP lets through.
const maxProtocolBytes = 4 << 20

// HTTP returns an http.Client for a protocol that is spoken with one origin
// ("https://example.com"). Its requests go through the same guard, pauses and
// cool-downs as discovery, and nowhere but to that origin: others are refused,
// with an error of kind wayfind.ErrRefused, and so is everything under
// Options.Offline. GET, HEAD, POST and DELETE are sent, once. Redirects are not
// followed, there are no cookies, nothing is cached, and of a body more than
// 4 MiB are an error. Under RobotsEnforce robots.txt counts.
//
// Whether an endpoint of another site may be contacted is for the caller to
// ask. Authorization and Cookie fields of a request are not sent: a credential
// travels in the context, see WithCredential.
func (c *Client) HTTP(origin string) *http.Client {
	if u, err := security.ParseURL(origin, nil); err == nil {
		origin = "https://" + u.Host
	}
	return c.httpFor(origin, nil)
}

// httpFor is HTTP for a canonical origin. The requests are part of the call of
// asking; nil: each is a call of its own.
func (c *Client) httpFor(origin string, a *asking) *http.Client {
	return &http.Client{
		Transport:     &oneOrigin{client: c, asking: a, origin: origin},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// WithCredential makes requests through Client.HTTP under the context carry a
// credential, those to its origin and no others. Discovery does not see it:
// that is what Options.Credentials is for. The zero Credential is none.
func WithCredential(ctx context.Context, credential security.Credential) context.Context {
	return context.WithValue(ctx, protocolCredentialKey{}, credential)
}

type protocolCredentialKey struct{}

// protocolCredential is what WithCredential says, nil for nothing.
func protocolCredential(ctx context.Context) *fetch.AuthHeader {
	c, _ := ctx.Value(protocolCredentialKey{}).(security.Credential)
	if c.IsZero() {
		return nil
	}
	return credentialOf(c)
}

// credentialOf is a credential as package fetch sends it.
func credentialOf(c security.Credential) *fetch.AuthHeader {
	return &fetch.AuthHeader{Origin: c.Origin, Field: http.CanonicalHeaderKey(c.Field), Value: c.Value}
}

// oneOrigin sends requests to one origin.
type oneOrigin struct {
	client *Client
	asking *asking
	origin string
}

// RoundTrip implements http.RoundTripper.
func (p *oneOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	u, pass, err := p.enter(req)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	return p.send(req, u, pass)
}

// enter asks our policy and the gate about a request.
func (p *oneOrigin) enter(req *http.Request) (*url.URL, gate.Pass, error) {
	u, err := p.allowed(req)
	if err != nil {
		return nil, gate.Pass{}, err
	}
	pass, err := p.client.gate.Enter(req.Context(), u, "", 0)
	if err != nil {
		err = asHeld(req.URL.String(), err)
	}
	return u, pass, err
}

// send sends a request, once. The connection closes its body.
func (p *oneOrigin) send(req *http.Request, u *url.URL, pass gate.Pass) (*http.Response, error) {
	ctx := req.Context()
	a := &fetch.Ask{
		Method: req.Method, URL: u, Header: req.Header, Body: req.Body, GetBody: req.GetBody, ContentLength: req.ContentLength,
		Once: true, AuthHeader: protocolCredential(ctx),
	}
	if p.asking != nil {
		a.Callers, a.Call, a.Budget = p.asking.callers, p.asking.work, p.asking.budget
	}
	resp, err := p.client.liveCalls.Do(ctx, a)
	pass.Done(resp, err, a.Written)
	if err != nil {
		return nil, err
	}
	resp.Request = req
	if resp.Body != nil && resp.Body != http.NoBody {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxProtocolBytes, url: req.URL.String()}
	}
	return resp, nil
}

// allowed returns the URL of a request in canonical form, unless our policy
// refuses it.
func (p *oneOrigin) allowed(req *http.Request) (*url.URL, error) {
	c := p.client
	if c.closed.Load() {
		return nil, errClosed("http")
	}
	u, err := security.ParseURL(req.URL.String(), nil)
	switch {
	case err != nil:
		return nil, err
	case "https://"+u.Host != p.origin:
		return nil, wayfind.NewError("http", req.URL.String(), wayfind.CodeOrigin, fmt.Errorf("this client speaks with %s only", p.origin))
	case c.opts.Offline:
		return nil, wayfind.NewError("http", req.URL.String(), wayfind.CodeOffline, errors.New("no request is allowed")).WithKind(wayfind.ErrRefused)
	}
	if c.opts.Robots.Mode == RobotsEnforce {
		a := p.asking
		if a == nil {
			own, end := c.newAsking(req.Context(), u.Hostname(), false)
			defer end()
			a = own
		}
		if err := a.obey(req.Context(), u); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// boundedBody bounds what is read of an answer.
type boundedBody struct {
	io.ReadCloser
	left int64
	url  string
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
	return wayfind.NewError("http", b.url, wayfind.CodeTooLarge, fmt.Errorf("more than %d bytes", maxProtocolBytes))
}
