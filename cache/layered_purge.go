package cache

import (
	"context"
	"errors"
)

// Purge implements Purger: both are told, and no write of an earlier answer that
// waits comes after it.
func (l *Layered) Purge(ctx context.Context, s Scope) error {
	return errors.Join(purgeIn(ctx, l.near, s), l.purgeFar(ctx, s))
}

// purgeFar ends what the far store has of a scope. The one key that it can have
// of a URL is deleted in the order of the writes.
func (l *Layered) purgeFar(ctx context.Context, s Scope) error {
	if resource, one := s.Resource(); one {
		return l.writer.put(resource, nil, 0)
	}
	if err := l.Flush(ctx); err != nil {
		return err
	}
	_, err := far(ctx, l, func(ctx context.Context) (struct{}, error) { return struct{}{}, purgeIn(ctx, l.far, s) })
	return err
}
