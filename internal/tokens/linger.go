package tokens

import (
	"context"
	"sync/atomic"
	"time"
)

// linger is how long a renewal goes on after its caller has given up. The server may have
// replaced the refresh token already: if the new one is not kept, the user must log in again,
// and a server that sees the old one once more ends the whole login.
const linger = 10 * time.Second

// lingering returns a context that ends with its parent until begin is called, and then lasts
// for linger longer than the parent. begin returns the error of a parent that has ended.
func lingering(parent context.Context) (own context.Context, begin func() error, end func()) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	var begun atomic.Bool
	stop := context.AfterFunc(parent, func() {
		if begun.Load() {
			late := time.AfterFunc(linger, func() { cancel(context.Cause(parent)) })
			context.AfterFunc(own, func() { late.Stop() })
			return
		}
		cancel(context.Cause(parent))
	})
	begin = func() error {
		begun.Store(true)
		return parent.Err()
	}
	return own, begin, func() { stop(); cancel(nil) }
}
