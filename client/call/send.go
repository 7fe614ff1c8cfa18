package call

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/security"
)

// maxAttempts of one request, and the pause before the first repetition.
const (
	maxAttempts = 3
	firstPause  = 250 * time.Millisecond
)

// perform makes the call that everybody has agreed to.
func (r *run) perform() error {
	if err := r.equipInTime(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.caller.opts.Timeout)
	defer cancel()
	leave, err := r.caller.lanes.enter(ctx, r.wire.origin())
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

// answer is what came of a request.
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
			return nil, fail(ConfirmationRequired, err, "it is not what was agreed to")
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

// once sends the request once.
func (r *run) once(w *wire) (*answer, error) {
	ctx := client.WithCredential(r.ctx, append(slices.Clone(w.credentials), w.cookies...)...)
	req := w.request(ctx)
	w.key.into(req, w.body)
	if w.dress != nil {
		w.dress(req)
	}
	resp, err := r.caller.client.HTTPForCalls(w.origin()).Transport.RoundTrip(req)
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
		r.caller.pace.Saw(time.Now(), w.origin(), r.principal, rates)
	}
	r.status = a.status
	a.body, a.broken = w.read(resp)
	r.bytes += len(a.body)
	return a, nil
}

// read reads a body, and no more of an event stream than is wanted.
func (w *wire) read(resp *http.Response) ([]byte, error) {
	body := io.LimitReader(resp.Body, MaxBody+1)
	if w.whole == nil || !isEventStream(resp.Header) {
		return io.ReadAll(body)
	}
	var got []byte
	chunk := make([]byte, 4<<10)
	for {
		n, err := body.Read(chunk)
		got = append(got, chunk[:n]...)
		switch {
		case bytes.Contains(got[max(0, len(got)-n-3):], []byte("\n\n")) && w.whole(got), bytes.Contains(chunk[:n], []byte("\r\n\r\n")) && w.whole(got):
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
		return 0, true
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
