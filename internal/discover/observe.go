package discover

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/secret"
)

type observedKey struct{}

// Part is a part of the work that an observer hears of. The zero Part has no observer.
type Part[E any] struct{ end func(E) }

// End tells the observer that the part has ended.
func (p Part[E]) End(e E) {
	if p.end != nil {
		p.end(e)
	}
}

// Observe tells the observer that a part of the work begins.
func (eng *Engine) Observe(ctx context.Context, e Event) (within context.Context, part Part[Event]) {
	return Observing(ctx, eng.Opts.Observe, e)
}

// Observing tells an observer, if there is one, that a part of the work begins. The
// events are those of the engine or of its callers.
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

// ObservedBy is the context that Observe has for work under ctx.
func ObservedBy(ctx context.Context) context.Context {
	if seen, ok := ctx.Value(observedKey{}).(context.Context); ok {
		return seen
	}
	return ctx
}

// observedAs makes ctx that of work within a part that has been told of.
func (eng *Engine) observedAs(ctx, seen context.Context) context.Context {
	if eng.Opts.Observe == nil {
		return ctx
	}
	return context.WithValue(ctx, observedKey{}, seen)
}

// shownURL is a URL for an event: a caller may ask for any.
func shownURL(u string) string {
	shown, _ := secret.RedactURL(u)
	return shown
}
