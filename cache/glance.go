package cache

import (
	"context"
	"errors"
)

// Taken implements GlanceStore. It returns errors.ErrUnsupported unless both stores are
// GlanceStores.
func (l *Layered) Taken(ctx context.Context, _ Store, keys []string) ([]string, error) {
	near, _ := l.nearest.(GlanceStore)
	far, _ := l.writer.store.(GlanceStore)
	if near == nil || far == nil {
		return nil, errors.ErrUnsupported
	}
	taken, err := bounded(ctx, l.near, func(ctx context.Context) ([]string, error) { return near.Taken(ctx, l.nearest, keys) })
	if err != nil {
		return nil, err
	}
	more, err := bounded(ctx, l.far, func(ctx context.Context) ([]string, error) { return far.Taken(ctx, l.writer.store, keys) })
	if errors.Is(err, errOpen) {
		err = nil // as in Acquire
	}
	return append(taken, more...), err
}
