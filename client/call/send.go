package call

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// maxAttempts of one request, and the pause before the first repetition.
const (
	maxAttempts = 3
	firstPause  = 250 * time.Millisecond
)

// perform makes the call, which is agreed to.
func (r *run) perform() error {
	if err := r.equipInTime(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.caller.opts.Timeout)
	defer cancel()
	leave, err := r.caller.client.EnterCall(ctx, r.wire.origin)
	if err != nil {
		return fail(Timeout, err, "there was no room for it in time")
	}
	defer leave()
	asked := r.ctx
	r.ctx, r.outer = ctx, asked
	defer func() {
		r.ctx, r.outer = asked, nil
		for _, end := range r.ends {
			end()
		}
	}()
	if err := r.paced(); err != nil {
		return err
	}
	return r.protocol.finish(r)
}

// peopleTime is how long a person may take at an authorization server.
const peopleTime = 5 * time.Minute

// equipInTime is equip with an end. People have more time than servers.
func (r *run) equipInTime() error {
	if len(r.parts) == 0 {
		return nil
	}
	most := r.caller.opts.Timeout
	for _, p := range r.parts {
		if c := p.grant.hidden.config; c != nil && c.Grant != ClientCredentials {
			most = max(most, peopleTime)
		}
	}
	asked := r.ctx
	ctx, cancel := context.WithTimeout(asked, most)
	defer cancel()
	r.ctx = ctx
	defer func() { r.ctx = asked }()
	return r.equip()
}

// equip gets the values of the credentials.
func (r *run) equip() error {
	for i := range r.parts {
		if s := r.parts[i].grant.hidden.value; len(s) >= 4 {
			r.secrets = append(r.secrets, s) // also of errors
		}
		if cert := r.parts[i].grant.hidden.cert; cert != nil {
			r.wire.cert = cert
			continue
		}
		c, err := r.parts[i].value(r.ctx, r)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); ok {
				return e
			}
			return fail(CredentialMissing, err, "no token could be had")
		}
		r.hide(c)
		r.wire.credentials = append(r.wire.credentials, c)
	}
	return nil
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	// broken is why the body could not be read to its end.
	broken error
}

// exchange sends the request, and again where that is harmless. The error is an
// *Error: OutcomeUnknown where the request may have done its work.
func (r *run) exchange(w *wire) (*answer, error) {
	if r.ticket != nil {
		if err := r.matches(r.ticket); w == r.wire && err != nil {
			return nil, fail(ConfirmationRequired, err, "it is not the request that was agreed to")
		}
	}
	pause := firstPause
	for attempt := 1; ; attempt++ {
		a, err := r.once(w)
		wait, again := r.mayRepeat(w, a, err)
		if !again || attempt == maxAttempts {
			return r.settle(w, a, err)
		}
		if err := sleep(r.ctx, max(wait, pause)); err != nil {
			return r.settle(w, a, err)
		}
		pause *= 2
	}
}

// exchangeAs is exchange, and once more with another token where the site has refused
// the first: it did nothing then.
func (r *run) exchangeAs(w *wire) (*answer, error) {
	a, err := r.exchange(w)
	if err != nil || !r.stepUp(a) {
		return a, err
	}
	return r.exchange(w)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// transport sends to an origin, through the guard of the Client.
func (c *Caller) transport(origin string) http.RoundTripper {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.transports[origin]
	if t == nil {
		if len(c.transports) >= maxSessions {
			clear(c.transports)
		}
		t = c.client.HTTPForCalls(origin).Transport
		c.transports[origin] = t
	}
	return t
}

// once sends the request once, and tells of it: of its URL the origin alone, since
// arguments may be in the rest.
func (r *run) once(w *wire) (*answer, error) {
	e := client.Event{Kind: client.EventRequest, Target: w.origin}
	ctx, end := r.caller.client.Observe(r.ctx, e)
	a, err := r.transmit(ctx, w)
	e.Error = wayfind.ErrorClass(err)
	if a != nil {
		e.Status, e.From, e.Bytes = a.status, cache.FromNetwork, int64(len(a.body))
	}
	end(e)
	return a, err
}

func (r *run) transmit(ctx context.Context, w *wire) (*answer, error) {
	ctx = client.WithCredential(ctx, append(slices.Clone(w.credentials), w.cookies...)...)
	req := w.request(ctx)
	w.key.into(req, w.body)
	if w.dress != nil {
		w.dress(req)
	}
	door := r.caller.transport(w.origin)
	if w.cert != nil {
		door = r.caller.client.HTTPWithCertificate(w.origin, w.cert).Transport
	}
	resp, err := door.RoundTrip(req)
	if err != nil && w.cert != nil && refusesCertificate(err) {
		return nil, fail(CredentialRefused, err, "the site does not take the client certificate")
	}
	if err != nil {
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || !e.Unsent {
			w.sent++
		}
		return nil, err
	}
	w.sent++
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	if rates := reply.Rates(a.header, time.Now()); rates != nil {
		r.caller.pace.Saw(time.Now(), w.origin, r.principal, rates)
	}
	r.status = a.status
	a.body, a.broken = w.read(resp, r.handOn(resp))
	r.bytes += len(a.body)
	return a, nil
}

// refusesCertificate reports whether a handshake failed for the client certificate. With
// TLS 1.3 the peer says so after the first bytes of the request, which it does not look
// at then.
func refusesCertificate(err error) bool {
	if errors.Is(err, fetch.ErrNotAsked) {
		return true
	}
	said, ok := errors.AsType[*net.OpError](err)
	return ok && said.Op == "remote error" && said.Err != nil && strings.Contains(said.Err.Error(), "certificate")
}

// read reads a body, and no more of an event stream than is wanted. Pieces are handed on
// where the caller wants them.
func (w *wire) read(resp *http.Response, handOn func([]byte)) ([]byte, error) {
	body := io.LimitReader(resp.Body, MaxBody+1)
	whole := w.whole
	if handOn == nil && (whole == nil || !isEventStream(resp.Header)) {
		return io.ReadAll(body)
	}
	if whole == nil {
		whole = func([]byte) bool { return false }
	}
	var got []byte
	chunk := make([]byte, 4<<10)
	for {
		n, err := body.Read(chunk)
		got = append(got, chunk[:n]...)
		if handOn != nil {
			handOn(chunk[:n])
		}
		switch {
		case bytes.Contains(got[max(0, len(got)-n-3):], []byte("\n\n")) && whole(got), bytes.Contains(chunk[:n], []byte("\r\n\r\n")) && whole(got):
			return got, nil
		case errors.Is(err, io.EOF):
			return got, nil
		case err != nil:
			return got, err
		}
	}
}

// mayRepeat reports whether a request may be sent again, and how long to wait
// before.
func (r *run) mayRepeat(w *wire, a *answer, err error) (time.Duration, bool) {
	if r.ctx.Err() != nil {
		return 0, false
	}
	if err != nil {
		e, _ := errors.AsType[*wayfind.Error](err)
		if _, final := errors.AsType[*Error](err); final {
			return 0, false
		}
		switch {
		case errors.Is(err, wayfind.ErrThrottled) && e != nil && e.Unsent:
			wait := time.Until(e.NotBefore)
			return wait, wait > 0 && wait <= MaxWait
		case e == nil, errors.Is(err, wayfind.ErrRefused), errors.Is(err, wayfind.ErrInvalid), errors.Is(err, wayfind.ErrThrottled), errors.Is(err, wayfind.ErrClosed):
			return 0, false
		case e.Unsent:
			return 0, w.again != never && e.Code != wayfind.CodeDNSNotFound && e.Code != wayfind.CodeTLS
		case e.Answered:
			return 0, w.again == whenEverFailed
		}
		return 0, w.again != never
	}
	if w.again != whenEverFailed {
		return 0, false
	}
	if a.broken != nil {
		return 0, !r.handed
	}
	wait, told := retryAfter(a.header)
	switch a.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return wait, told && wait <= MaxWait
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return wait, wait <= MaxWait
	}
	return 0, false
}

// settle says what an attempt that is not repeated comes to.
func (r *run) settle(w *wire, a *answer, err error) (*answer, error) {
	harmless := w.again == whenEverFailed && isSafe(w.method)
	if err != nil {
		if harmless || w.sent == 0 {
			return nil, refusalOf(r.ctx, err)
		}
		return nil, r.unknown(err)
	}
	if a.broken != nil && !harmless {
		return nil, r.unknown(a.broken)
	}
	if a.broken != nil {
		return nil, refusalOf(r.ctx, a.broken)
	}
	if len(a.body) > MaxBody {
		return nil, fail(TooLarge, nil, fmt.Sprintf("more than %d bytes", MaxBody))
	}
	gateway := a.status == http.StatusBadGateway || a.status == http.StatusGatewayTimeout
	if gateway && !harmless {
		return a, r.unknown(nil)
	}
	return a, nil
}

// unknown is the error of a request that may have done its work. It names the read
// that can tell, where there is one.
func (r *run) unknown(err error) *Error {
	e := fail(OutcomeUnknown, err, "")
	if name := r.teller(); name != "" {
		e.Detail = "the tool " + name + " can tell"
	}
	return e
}

// hide remembers what must not be shown.
func (r *run) hide(c security.Credential) {
	for _, s := range []string{c.Value} {
		if len(s) >= 4 && !slices.Contains(r.secrets, s) {
			r.secrets = append(r.secrets, s)
		}
	}
	for _, prefix := range []string{"Basic ", "Bearer "} {
		if rest, ok := strings.CutPrefix(c.Value, prefix); ok && len(rest) >= 4 {
			r.secrets = append(r.secrets, rest)
		}
	}
}
