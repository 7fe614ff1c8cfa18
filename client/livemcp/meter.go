package livemcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/security"
)

// endTime is the maximum time of the request that ends a session. No caller waits for it.
const endTime = time.Second

// meter is between the transports of the SDK and the network. It counts the bytes of one
// probe, and judges answers before a transport sees them, because the transports keep only a
// text of some answers.
type meter struct {
	ctx      context.Context // of the probe; the transports use others for their background work
	next     *http.Client
	endpoint string
	url      *url.URL

	mu      sync.Mutex
	left    int64
	moved   *url.URL // target of a redirect that may be followed
	version string   // of the session, for the header field
	status  int      // of the last answer
	err     *wayfind.Error
	faulty  error // the reason why the last answer was not a message; nil if it was
}

// newMeter returns a meter with the given number of bytes left.
func newMeter(ctx context.Context, req *client.LiveRequest, left int64) *meter {
	return &meter{ctx: ctx, next: req.HTTP, endpoint: req.URL.String(), url: req.URL, left: left}
}

// rest returns the number of bytes that may still be read.
func (m *meter) rest() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// client returns an http.Client that sends through the meter.
func (m *meter) client() *http.Client {
	return &http.Client{Transport: m} // sees no redirects, because judge refuses them
}

// trouble returns the first fatal error; nil if there was none.
func (m *meter) trouble() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		return nil
	}
	return m.err
}

// stop records the fatal error.
func (m *meter) stop(e *wayfind.Error) *wayfind.Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = e
	}
	return m.err
}

// movedTo returns the target of the redirect that ended the probe; nil if it must not be
// followed.
func (m *meter) movedTo() *url.URL {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moved
}

// lastStatus returns the status of the last answer; 0 before the first answer.
func (m *meter) lastStatus() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

// speaks sets the version for all further requests.
func (m *meter) speaks(version string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version = version
}

// RoundTrip implements http.RoundTripper.
func (m *meter) RoundTrip(req *http.Request) (*http.Response, error) {
	out := m.versioned(req)
	if req.Method == http.MethodDelete {
		return m.end(out)
	}
	resp, err := m.next.Do(out)
	if err != nil {
		e, ok := errors.AsType[*wayfind.Error](err)
		if !ok {
			e = m.fault(wayfind.CodeNetwork, "%w", err)
		}
		return nil, m.stop(e)
	}
	m.mu.Lock()
	m.status = resp.StatusCode
	m.mu.Unlock()
	if e := m.judge(resp); e != nil {
		_ = resp.Body.Close()
		return nil, m.stop(e)
	}
	resp.Body = newBodyFilter(m, resp, &meteredBody{resp.Body, m})
	return resp, nil
}

// wrong records the reason why an answer is not a message. This ends the session but not the
// probe, because the server may support another version.
func (m *meter) wrong(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faulty = err
	return err
}

// wronged returns the error that wrong has recorded, once.
func (m *meter) wronged() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.faulty
	m.faulty = nil
	return err
}

// versioned returns a request with the version of the session. The transport would get the
// version only from the client of the SDK.
func (m *meter) versioned(req *http.Request) *http.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := req.Clone(req.Context())
	if m.version != "" {
		out.Header.Set("Mcp-Protocol-Version", m.version)
	}
	return out
}

// end sends the request that ends a session. The server's answer is ignored.
func (m *meter) end(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(m.ctx, endTime)
	defer cancel()
	resp, err := m.next.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	resp.Body = http.NoBody
	return resp, nil
}

// judge returns the error if an answer ends the probe, whatever the method.
func (m *meter) judge(resp *http.Response) *wayfind.Error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	html := media == "text/html" || media == "application/xhtml+xml"
	switch status := resp.StatusCode; {
	case status >= 300 && status < 400:
		return m.redirect(resp)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired, status == http.StatusProxyAuthRequired:
		return m.blocked(resp)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		return m.refusal(wayfind.CodeStatus, status).WithKind(wayfind.ErrThrottled)
	case status >= http.StatusInternalServerError:
		return m.refusal(wayfind.CodeServerError, status)
	case status >= 200 && status < 300 && html:
		return m.invalid(wayfind.CodeHTML, "a web page where a server of the protocol should be")
	}
	return m.session(resp)
}

// session returns the error if the session ID of an answer cannot be sent back.
func (m *meter) session(resp *http.Response) *wayfind.Error {
	ids := resp.Header["Mcp-Session-Id"]
	if len(ids) == 0 || len(ids) == 1 && (ids[0] == "" || isToken(ids[0])) {
		return nil
	}
	return m.invalid(wayfind.CodeProtocol, "the session ID is not one text of at most %d characters of visible ASCII", maxToken)
}

// redirect returns the error of an answer that is a redirect. A message is never sent a second
// time, to any server. A new probe may begin within the origin.
func (m *meter) redirect(resp *http.Response) *wayfind.Error {
	to, err := security.DevGuard(security.Origin(m.url)).ParseURL(resp.Header.Get("Location"), m.url)
	code := wayfind.CodeRedirectLocation
	switch plain, plainErr := m.url.Parse(resp.Header.Get("Location")); {
	case plainErr == nil && (plain.Scheme != m.url.Scheme || plain.Host != m.url.Host):
		code = wayfind.CodeRedirectCrossSite
	case err == nil && resp.StatusCode != http.StatusSeeOther && to.String() != m.endpoint:
		m.mu.Lock()
		m.moved = to
		m.mu.Unlock()
	}
	return m.fault(code, "%s with Location %q; messages are not redirected", statusText(resp.StatusCode), resp.Header.Get("Location"))
}

// blocked returns the error of a server that demands authentication.
func (m *meter) blocked(resp *http.Response) *wayfind.Error {
	cause := &ChallengeError{Status: resp.StatusCode}
	cause.Auth, cause.ResourceMetadata, cause.diagnostics = oauth.Challenge(resp.Request.URL, resp.Header)
	code := wayfind.CodeStatus
	if resp.StatusCode == http.StatusPaymentRequired {
		code = wayfind.CodePayment
	}
	return wayfind.NewError("live", m.endpoint, code, cause).WithKind(wayfind.ErrBlocked)
}

// meteredBody counts the bytes that are read of all answers together.
type meteredBody struct {
	io.ReadCloser
	meter *meter
}

// Read implements io.Reader.
func (b *meteredBody) Read(p []byte) (int, error) {
	m := b.meter
	m.mu.Lock()
	left := m.left
	m.mu.Unlock()
	if left < 0 {
		return 0, m.tooLarge()
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), left+1)])
	m.mu.Lock()
	m.left -= int64(n)
	left = m.left
	m.mu.Unlock()
	if left < 0 {
		return 0, m.tooLarge()
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return n, m.stop(e)
	}
	return n, err
}

func (m *meter) tooLarge() error {
	return m.stop(m.invalid(wayfind.CodeTooLarge, "%w", &wayfind.TooLarge{Of: "bytes", Limit: maxBytes}))
}
