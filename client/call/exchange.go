package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/door"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
)

// maxAttempts is the maximum number of attempts of one request, and firstPause is the pause
// before the first repetition.
const (
	maxAttempts = 3
	firstPause  = 250 * time.Millisecond
)

// maxLeave is the maximum time of a farewell request.
const maxLeave = 2 * time.Second

// sent is a call in progress, or a call that is over.
type sent struct {
	*agreed
	equipment equipment
	parts     []part // of the authentication, with the data of challenges
	attempts  int    // attempts to send the subject
	status    int    // of the last answer
	bytes     int    // of all answers
	stepped   bool   // a challenge was answered, or must not be
	nonced    bool   // a proof was made again, with the nonce of the site
	refusal   error  // the reason why a challenge was not answered
}

// perform makes a call that is agreed to. before is the call that a poll belongs to; nil for
// any other call. A poll uses the credentials of that call, ignores the limits of the service
// and answers no challenge.
func (a *agreed) perform(ctx context.Context, t nextFunc, before *sent) (s sent, res *Result, err error) {
	s = sent{agreed: a, parts: a.parts}
	s.equipment.secrets = veil(door.Of(a.caller.client).Secrets())
	if before != nil {
		s.parts, s.equipment.secrets, s.stepped = before.parts, before.equipment.secrets, true
	}
	if s.equipment, err = a.equip(ctx, s.parts, s.equipment.secrets); err != nil {
		return s, nil, err
	}
	clock := pausable.Start(ctx, a.caller.opts.Timeout)
	defer clock.Stop()
	leave, err := door.Of(a.caller.client).EnterCall(clock, a.subject.origin)
	switch {
	case errors.Is(err, wayfind.ErrClosed):
		return s, nil, refusalOf(ctx, err)
	case err != nil:
		return s, nil, fail(Timeout, err, "there was no room for it in time")
	}
	defer leave()
	if before == nil {
		if err := a.pace(clock); err != nil {
			return s, nil, err
		}
	}
	return s.converse(clock, t)
}

// pace waits until the call exceeds no limit that the documents of the service declare or that
// its last answer contained.
func (a *agreed) pace(ctx context.Context) error {
	var own []wayfind.Limit
	if c := a.tool.Capability; c != nil {
		own = c.Limits
	}
	for {
		wait := a.caller.pace.Take(time.Now(), a.subject.origin, a.principal, a.tool.Key, own, a.tool.Service.Limits)
		if wait == 0 {
			return nil
		}
		if wait > maxWait {
			e := fail(Throttled, nil, "its own limit of calls is reached")
			e.notBefore = time.Now().Add(wait).UTC().Truncate(time.Second)
			return e
		}
		if err := sleep(ctx, wait); err != nil {
			return fail(Timeout, err, "")
		}
	}
}

// converse sends the requests of a conversation, one after the other. After a challenge is
// answered, the request is sent again, because the site did nothing before.
func (s sent) converse(ctx *pausable.Context, t nextFunc) (sent, *Result, error) {
	q, res, err := t(ctx, s, nil, nil)
	for q.kind != 0 {
		var a *answer
		s, a, err = s.exchange(ctx, &q)
		if err == nil && !q.farewell {
			before, again := s.subject, false
			if s, again = s.stepUp(ctx, a); again {
				if q.subject == before {
					q.subject = s.subject // the new request that was agreed to
				}
				continue
			}
		}
		q, res, err = t(ctx, s, a, err)
	}
	return s, res, err
}

// form returns the subject in the form in which it is sent.
func (s *sent) form(m message) request {
	return request{message: m, kind: form, subject: s.subject, again: s.effect.repeats(&s.facts, s.subject.key != nil)}
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	proof  tokens.Proof // of the request
	body   []byte
	// broken is the reason why the body could not be read to its end; nil if it was.
	broken error
	// heard is true if a part of the body was passed to a hook.
	heard bool
}

// permits returns the reason why a request must not be sent; nil if it may be sent. It must go
// to the origin of the subject, a form must be a form of the subject, and the subject must be
// the one that the ticket is for.
func (s *sent) permits(q *request) error {
	switch {
	case q.kind != form && q.kind != aside, q.origin != s.subject.origin, q.kind == form && q.subject != s.subject:
		return fail(Refused, nil, "it is no request of the call that was agreed to")
	case s.ticket != nil && !s.ticket.Request.equal(s.subject.print()):
		return fail(ConfirmationRequired, errOther, "it is not the request that was agreed to")
	}
	return nil
}

// exchange sends a request, and sends it again if that does no harm. The error is an *Error.
// Its code is OutcomeUnknown if the request may have done its work.
func (s sent) exchange(ctx context.Context, q *request) (sent, *answer, error) {
	if err := s.permits(q); err != nil {
		return s, nil, err
	}
	if q.farewell {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLeave)
		defer cancel()
		ctx = own
	}
	written, pause := 0, firstPause
	for attempt := 1; ; attempt++ {
		a, err := s.attempt(ctx, q)
		if wasWritten(err) {
			written++
		}
		if a != nil && !q.farewell {
			s.status, s.bytes = a.status, s.bytes+len(a.body)
		}
		wait, again := mayRepeat(ctx, q, a, err)
		if !again || attempt == maxAttempts || sleep(ctx, max(wait, pause)) != nil || s.outlivesKey(q) {
			if q.subject != nil {
				s.attempts += written
			}
			a, err = s.settle(ctx, q, a, err, written)
			return s, a, err
		}
		pause *= 2
	}
}

// wasWritten reports, by the error, whether a part of a request may have been written.
func wasWritten(err error) bool {
	if _, refused := errors.AsType[*Error](err); refused {
		return false
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	return !ok || !e.Unsent
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

// isLed reports whether the tool belongs to another site than the site of the request.
func (s *sent) isLed(q *request) bool {
	if q.origin == s.tool.Origin {
		return false
	}
	home, err := url.Parse(s.tool.Origin)
	return err != nil || !door.Of(s.caller.client).SameSite(q.url.Hostname(), home.Hostname())
}

// transport returns the transport for an origin of the site of a tool. It sends through the
// guard of the Client.
func (c *Caller) transport(origin string) http.RoundTripper {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.transports[origin]
	if t == nil {
		if len(c.transports) >= maxSessions {
			clear(c.transports)
		}
		t = door.Of(c.client).HTTPForCalls(origin, false).Transport
		c.transports[origin] = t
	}
	return t
}

// attempt sends the request once and reports it as an event. The event contains only the
// origin of the URL, because the rest may contain arguments.
func (s *sent) attempt(ctx context.Context, q *request) (*answer, error) {
	e := client.Event{Kind: client.EventRequest, Target: q.origin}
	ctx, part := door.Of(s.caller.client).Observe(ctx, e)
	a, err := s.transmit(ctx, q)
	e.Error = wayfind.ErrorClass(err)
	if a != nil {
		e.Status, e.From, e.Bytes = a.status, cache.FromNetwork, int64(len(a.body))
	}
	part.End(e)
	return a, err
}

func (s *sent) transmit(ctx context.Context, q *request) (*answer, error) {
	credentials, proof, err := s.equipment.proven(q)
	if err != nil {
		return nil, fail(CredentialRefused, err, "no proof for the token could be made")
	}
	ctx = client.WithCredential(ctx, credentials...)
	road := s.caller.transport(q.origin)
	if cert, led := s.equipment.cert, s.isLed(q); cert != nil || led {
		road = door.Of(s.caller.client).HTTPWithCertificate(q.origin, led, cert).Transport
	}
	resp, err := road.RoundTrip(q.request(ctx))
	if err != nil && s.equipment.cert != nil && refusesCertificate(err) {
		return nil, fail(CredentialRefused, err, "the site does not take the client certificate")
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header, proof: proof}
	if rates := a.rates(); rates != nil {
		s.caller.pace.Saw(time.Now(), q.origin, s.principal, rates)
	}
	a.read(resp, q, s)
	return a, nil
}

// refusesCertificate reports whether a handshake failed because of the client certificate.
// With TLS 1.3 the peer reports that after it has received the first bytes of the request,
// which it then ignores.
func refusesCertificate(err error) bool {
	if errors.Is(err, fetch.ErrNotAsked) {
		return true
	}
	said, ok := errors.AsType[*net.OpError](err)
	return ok && said.Op == "remote error" && said.Err != nil && strings.Contains(said.Err.Error(), "certificate")
}

// read reads a body. It stops when the listener of the request wants no more of it.
func (a *answer) read(resp *http.Response, q *request, s *sent) {
	body := io.LimitReader(resp.Body, maxBody+1)
	var l *listener
	if q.listen != nil {
		now := *s // a copy, because a listener may keep it
		l = q.listen(&now, resp)
	}
	if l == nil {
		a.body, a.broken = io.ReadAll(body)
		return
	}
	chunk := make([]byte, 4<<10)
	for done := false; !done && a.broken == nil; {
		n, err := body.Read(chunk)
		a.body = append(a.body, chunk[:n]...)
		done = n > 0 && l.feed(chunk[:n])
		a.heard = l.heard
		if !done {
			a.broken = err
		}
	}
	if errors.Is(a.broken, io.EOF) {
		a.broken = nil
	}
	if l.failed != nil {
		a.broken = fail(Refused, l.failed, "the program failed while it read the answer")
	}
}

// mayRepeat reports whether a request may be sent again, and how long to wait before that.
func mayRepeat(ctx context.Context, q *request, a *answer, err error) (time.Duration, bool) {
	if ctx.Err() != nil || q.farewell {
		return 0, false
	}
	if err != nil {
		e, _ := errors.AsType[*wayfind.Error](err)
		_, final := errors.AsType[*Error](err)
		switch {
		case e == nil, final:
			return 0, false
		case errors.Is(err, wayfind.ErrThrottled) && e.Unsent:
			wait := time.Until(e.NotBefore)
			return wait, wait > 0 && wait <= maxWait
		case errors.Is(err, wayfind.ErrRefused), errors.Is(err, wayfind.ErrInvalid), errors.Is(err, wayfind.ErrThrottled), errors.Is(err, wayfind.ErrClosed):
			return 0, false
		case e.Unsent:
			return 0, q.again != never && e.Code != wayfind.CodeDNSNotFound && e.Code != wayfind.CodeTLS
		case e.Answered:
			return 0, q.again == whenEverFailed
		}
		return 0, q.again != never
	}
	if q.again != whenEverFailed {
		return 0, false
	}
	if a.broken != nil {
		return 0, !a.heard
	}
	wait, told := retryAfter(a.header)
	switch a.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return wait, told && wait <= maxWait
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return wait, wait <= maxWait
	}
	return 0, false
}

// settle returns the answer or the error of an attempt that is not repeated. A lost answer
// does no harm if the request only reads.
func (s *sent) settle(ctx context.Context, q *request, a *answer, err error, written int) (*answer, error) {
	harmless := q.kind == aside || s.effect == Reads
	if err == nil {
		err = a.broken
	}
	switch {
	case err != nil && written == 0:
		return nil, unsent(refusalOf(ctx, err))
	case err != nil && harmless:
		return nil, refusalOf(ctx, err)
	case err != nil:
		return nil, s.unknown(err)
	case q.kind == form && s.effect.lost(a.status):
		return nil, s.unknown(nil)
	case len(a.body) <= maxBody:
		return a, nil
	}
	large := fail(TooLarge, nil, fmt.Sprintf("more than %d bytes", maxBody))
	if !harmless {
		return nil, s.unknown(large)
	}
	return nil, large
}

// unsent adds to an error the detail that nothing was done, which no Code states. Either no
// byte of the request was written, or the protocol guarantees that the request was not
// processed.
func unsent(e *Error) *Error {
	if e.Detail == "" && e.Code.is().unanswered {
		e.Detail = "the request was not processed, so nothing was done"
	}
	return e
}

// unknown returns the error of a request that may have done its work. If there is a tool that
// can read the outcome, the error names it. For a call that only reads, the error is
// UpstreamError.
func (a *agreed) unknown(err error) *Error {
	if a.effect == Reads {
		return fail(UpstreamError, err, "")
	}
	e := fail(OutcomeUnknown, err, "")
	if name := a.teller(); name != "" {
		e.Detail = "the tool " + name + " can tell"
	}
	return e
}
