// Package budget limits the time that a store takes for a call.
//
// The caller of a store has a [Limit]. A store that times itself ([Timed]) begins to count when its
// work begins: neither its own queue nor a caller that leaves is the fault of the store. For any
// other store the clock of the caller is the limit.
package budget

import (
	"context"
	"errors"
	"time"
)

// Limit is the time that a store has for a call. Zero means no limit.
type Limit struct {
	// Silence is the longest time without any sign of the store. Then it does not answer.
	Silence time.Duration
	// Longest is the longest time for a call of a store that gives signs, because it answers
	// others or sends a large answer in parts.
	Longest time.Duration
}

// ErrBusy reports that a store gave signs, but did not end a call in time.
var ErrBusy = errors.New("the store is busy, and has not ended the call in time")

// Timed is a store that counts the Limit of a call by itself.
type Timed interface {
	// Timed reports whether that is so. of is the store that the caller uses. If it only embeds
	// this one, Timed returns false, because it may have methods of its own.
	Timed(of any) bool
}

type key struct{}

// in returns the limit of a call.
func in(ctx context.Context) Limit {
	l, _ := ctx.Value(key{}).(Limit)
	return l
}

// TimesItself reports whether a store counts the Limit of a call by itself.
func TimesItself(store any) bool {
	t, ok := store.(Timed)
	return ok && t.Timed(store)
}

// Call calls f, which calls a store with the context, within a limit.
func Call[R any](ctx context.Context, store any, l Limit, f func(ctx context.Context) (R, error)) (R, error) {
	if TimesItself(store) {
		return f(context.WithValue(ctx, key{}, l))
	}
	ctx, cancel := context.WithTimeout(ctx, l.Silence)
	defer cancel()
	return f(ctx)
}

// Untimed returns a context whose end is the end of the silence that a call permits, for work that
// gives no signs, such as dialling.
func Untimed(ctx context.Context) (context.Context, context.CancelFunc) {
	if l := in(ctx); l.Silence > 0 {
		return context.WithTimeout(ctx, l.Silence)
	}
	return ctx, func() {}
}
