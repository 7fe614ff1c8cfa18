package cache

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Limits for reading the rest of an unwanted body, so that its connection can be used for another
// request. For a longer body, closing the connection is cheaper.
const (
	discardBytes = 64 << 10
	discardTime  = time.Second
)

// leash ties a request to the context of its flight until its answer is unwanted. Then the flight
// may end while the request goes on for a moment.
type leash struct {
	cancel context.CancelCauseFunc
	untie  func() bool
}

// leashed returns the context of a request on a leash.
func leashed(ctx context.Context) (context.Context, *leash) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	return own, &leash{cancel, context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })}
}

// discard ends a response with an unwanted body, in the background and within limits.
func (t *Engine) discard(resp *http.Response, l *leash) {
	body := resp.Body
	if body == http.NoBody || resp.ContentLength > discardBytes || !l.untie() {
		_ = body.Close()
		return
	}
	ctx, cancel := context.WithTimeout(t.base, discardTime)
	stop := context.AfterFunc(ctx, func() {
		l.cancel(context.Canceled)
		_ = body.Close()
	})
	go func() { // ends with ctx
		defer cancel()
		_, _ = io.CopyN(io.Discard, body, discardBytes)
		if stop() {
			_ = body.Close()
			l.cancel(context.Canceled)
		}
	}()
}
