package discover

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

type observedKey struct{}

// Part is a part of the work that is reported to an observer. The zero Part has no observer.
type Part[E any] struct{ end func(E) }

// End reports the end of the part to the observer.
func (p Part[E]) End(e E) {
	if p.end != nil {
		p.end(e)
	}
}

// Observing reports the beginning of a part of the work to an observer, if there is one. The events
// are events of the engine or of its callers.
func Observing[E any](ctx context.Context, by func(context.Context, E) (context.Context, func(E)), e E) (within context.Context, part Part[E]) {
	if by == nil {
		return ctx, part
	}
	parent := ObservedBy(ctx)
	got, end := by(parent, e)
	if got == nil {
		got = parent
	}
	return context.WithValue(ctx, observedKey{}, got), Part[E]{end}
}

// ObservedBy returns the context that Observe has for work under ctx.
func ObservedBy(ctx context.Context) context.Context {
	if seen, ok := ctx.Value(observedKey{}).(context.Context); ok {
		return seen
	}
	return ctx
}

// shownURL returns a URL for an event, redacted because a caller may ask for any URL.
func shownURL(u string) string { return secret.Veil(nil).Show(u, secret.Event, 0) }

// observedAs returns a context for work within a part that was reported to the observer.
func (eng *Engine) observedAs(ctx, seen context.Context) context.Context {
	if eng.Opts.Observe == nil {
		return ctx
	}
	return context.WithValue(ctx, observedKey{}, seen)
}
