package call

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callable"
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

// unsent adds to an error the detail that nothing was done, which no Code states. Either no
// byte of the request was written, or the protocol guarantees that the request was not
// processed.
func unsent(e *Error) *Error {
	if e.Detail == "" && e.Code.is().unanswered {
		e.Detail = "the request was not processed, so nothing was done"
	}
	return e
}

// protocol describes how calls are made in a protocol.
type protocol struct {
	// name is the name in Invocation.Protocol.
	name string
	// prepare writes the subject of a call: the request that a person agrees to.
	prepare func(*target) (draft, error)
}

// nextFunc is one conversation about a call in a protocol. It gets an answer or an error, and
// returns either the next request or the Result. The first time it gets neither an answer nor
// an error. A returned request without a kind means that there is no further request.
type nextFunc func(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error)

// done ends a conversation.
func done(res *Result, err error) (request, *Result, error) { return request{}, res, err }

// protocolNamed returns the protocol with one of the names of package reach.
func protocolNamed(name string) (p protocol) {
	for _, p := range [...]protocol{
		{name: callable.HTTP, prepare: prepareHTTP},
		{name: callable.RPC, prepare: prepareRPC},
		{name: callable.MCP, prepare: prepareMCP},
		{name: callable.A2A, prepare: prepareA2A},
		{name: callable.Actors, prepare: prepareActors},
	} {
		if p.name == name {
			return p
		}
	}
	return p
}
