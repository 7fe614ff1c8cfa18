package tokens

import (
	"context"
	"sync/atomic"
	"time"
)

// linger is the time for which a renewal continues after its caller has given up. The server
// may have replaced the refresh token already. If the new token is not kept, the user must log
// in again, and a server that receives the old token once more ends the whole login.
const linger = 10 * time.Second

// lingering returns a context that ends with its parent until begin is called. Afterwards it
// ends linger later than the parent. begin returns an error if the parent has ended.
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
