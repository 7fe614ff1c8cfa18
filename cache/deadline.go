package cache

import "context"

// cancelledBy returns a context that ends with ctx, and when cancelled is
// closed: http.Client says its Timeout by http.Request.Cancel to a RoundTripper
// that it does not know. end frees what waits for that.
func cancelledBy(ctx context.Context, cancelled <-chan struct{}) (_ context.Context, end context.CancelFunc) {
	ctx, end = context.WithCancel(ctx)
	go func() { // ends with ctx
		select {
		case <-cancelled:
			end()
		case <-ctx.Done():
		}
	}()
	return ctx, end
}

// after calls end once the answer is over: its body, if that is open.
func (a *Answer) after(end func()) {
	if a.Response == nil {
		end()
		return
	}
	b := a.Response.Body.(*streamBody)
	closed := b.closed
	b.closed = func() { closed(); end() }
}
