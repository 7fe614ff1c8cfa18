package client

import (
	"context"
	"errors"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// layered puts the Client's own memory before the caller's store. What was
// read from an entry (Entry.Attached) lives in the first only.
func layered(first, second cache.Store) cache.Store {
	if second == nil {
		return first
	}
	return &tiers{first, second}
}

// tiers is two stores as one.
type tiers struct {
	first, second cache.Store
}

// Load asks the second store only for what the first has not.
func (t *tiers) Load(ctx context.Context, key string) (*cache.Variants, error) {
	v, err := t.first.Load(ctx, key)
	if v != nil && err == nil {
		return v, nil
	}
	return t.second.Load(ctx, key)
}

// Save writes to both; one that fails does not keep the other from it.
func (t *tiers) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	return errors.Join(t.first.Save(ctx, key, v, retain), t.second.Save(ctx, key, v, retain))
}

// Delete removes from both.
func (t *tiers) Delete(ctx context.Context, key string) error {
	return errors.Join(t.first.Delete(ctx, key), t.second.Delete(ctx, key))
}

// Acquire needs both. A second store that fails counts as ok: never past the
// local gate, but open to the origin.
func (t *tiers) Acquire(ctx context.Context, key string, until time.Time) (bool, time.Time, func(), error) {
	ok, held, release, err := t.first.Acquire(ctx, key, until)
	if !ok || err != nil {
		return ok, held, release, err
	}
	ok2, held2, release2, err := t.second.Acquire(ctx, key, until)
	switch {
	case err != nil:
		return true, held, release, nil
	case !ok2:
		release()
		return false, held2, func() {}, nil
	}
	return true, held, func() { release(); release2() }, nil
}

// Hold tells both.
func (t *tiers) Hold(ctx context.Context, key string, until time.Time) error {
	return errors.Join(t.first.Hold(ctx, key, until), t.second.Hold(ctx, key, until))
}

// Close leaves both to their owners.
func (t *tiers) Close() error { return nil }
