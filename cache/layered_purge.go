package cache

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Purge implements Purger. It purges both stores. While the far store is not called, its error is
// returned at once.
func (l *Layered) Purge(ctx context.Context, s Scope) error {
	ended, nearErr := purgeIn(ctx, l.near, s)
	if !ended && nearErr == nil {
		nearErr = errNoPurger
	}
	return errors.Join(nearErr, l.purgeFar(ctx, s))
}

// purgeFar ends the entries of a scope in the far store, and those on their way to it.
func (l *Layered) purgeFar(ctx context.Context, s Scope) error {
	if resource, one := s.Resource(); one {
		if err := l.forgetPart(ctx, resource); err != nil {
			return err
		}
		if err := l.writer.delete(resource); err != nil || !isPurger(l.writer.store) {
			return err
		}
	} else if err := l.Flush(ctx); err != nil {
		return err
	}
	_, err := purgeIn(ctx, l.far, s)
	l.forgetVisits()
	return err
}

func isPurger(s Store) bool {
	_, is := s.(Purger)
	return is
}

// lost bars the entries that the far store may have kept although a write was to replace or end
// them. Entries of other processes that were asked for later may be used.
func (l *Layered) lost(key string, v *Variants) {
	m := moment{wall: time.Now()}
	if v != nil && len(v.Entries) > 0 {
		m.wall = v.Entries[0].RequestTime
	}
	l.bars.add(scopeOfKey(key), m)
}

// unbarred returns the entries that are not barred. v may be nil.
func (l *Layered) unbarred(v *Variants) *Variants {
	if v == nil || !slices.ContainsFunc(v.Entries, l.bars.bar) {
		return v
	}
	out := *v
	out.Entries = slices.DeleteFunc(slices.Clone(v.Entries), l.bars.bar)
	return &out
}
