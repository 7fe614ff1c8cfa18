package cache

import (
	"context"
	"errors"
)

// Purge implements Purger: both are told. An error of the far one comes at once
// where it is left alone.
func (l *Layered) Purge(ctx context.Context, s Scope) error {
	ended, nearErr := purgeIn(ctx, l.near, s)
	if !ended && nearErr == nil {
		nearErr = errNoPurger
	}
	return errors.Join(nearErr, l.purgeFar(ctx, s))
}

// purgeFar ends the entries that the far store has of a scope, and those on their
// way there.
func (l *Layered) purgeFar(ctx context.Context, s Scope) error {
	resource, one := s.Resource()
	_, purges := l.far.(Purger)
	if one {
		if err := l.writer.put(resource, nil, 0); err != nil || !purges {
			return err
		}
	} else if err := l.Flush(ctx); err != nil {
		return err
	}
	_, err := far(ctx, l, func(ctx context.Context) (bool, error) { return purgeIn(ctx, l.far, s) })
	return err
}
