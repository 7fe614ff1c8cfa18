package cache

import "context"

// cancelledBy returns a context that ends with ctx, or when cancelled is closed. http.Client uses
// http.Request.Cancel for its Timeout with a RoundTripper that it does not know. end releases the
// goroutine that waits for cancelled.
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
