package disk

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// Obligation is a pause that has not ended: the key with which it was taken, and its end.
type Obligation struct {
	Key   string
	Until time.Time
}

// Obligations yields the pauses that have not ended, ordered by hash. Leases, which end with their
// process, are left out. If ctx is done or the store is closed, it yields an error and stops.
func (s *Store) Obligations(ctx context.Context) iter.Seq2[Obligation, error] {
	return func(yield func(Obligation, error) bool) {
		var hashes []string
		if err := s.guarded(ctx, func() { hashes = s.obligations() }); err != nil {
			yield(Obligation{}, err)
			return
		}
		for _, hash := range hashes {
			var o Obligation
			var err error
			if end := s.guarded(ctx, func() { o, _, err = s.holding(hash) }); end != nil {
				err = end
			}
			if err == nil && o.Until.IsZero() {
				continue
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// Forget ends the pauses for whose key match returns true, and returns them. If match is nil, it
// ends all pauses. It keeps leases. Sites may then be asked earlier than they wanted, so call it
// only if a person has asked for it.
func (s *Store) Forget(ctx context.Context, match func(key string) bool) (list []Obligation, err error) {
	var failures []error
	for o, err := range s.Obligations(ctx) {
		if err == nil && match != nil && !match(o.Key) {
			continue
		}
		forgotten := false
		if err == nil {
			err = s.guarded(ctx, func() { forgotten = s.forget(hashOf(o.Key)) })
		}
		switch {
		case err != nil:
			failures = append(failures, err)
		case forgotten:
			list = append(list, o)
		}
	}
	return list, errors.Join(failures...)
}

// holding returns an obligation that has not ended. It returns a zero Obligation for a lease, and
// one with a zero Until if it has ended.
func (s *Store) holding(hash string) (Obligation, view, error) {
	v, err := s.look(hash, false)
	if errors.Is(err, errLost) {
		return Obligation{}, v, nil // another process changes it at this moment
	}
	if err != nil || v.state.key == "" || strings.HasPrefix(v.state.key, cache.LeasePrefix) {
		return Obligation{}, v, err
	}
	return Obligation{Key: v.state.key, Until: v.held(s.clock.Now())}, v, nil
}

// forget removes an obligation, and reports whether it did.
func (s *Store) forget(hash string) (done bool) {
	s.turns.alone(obligationsDir+"/"+hash, func() {
		_, v, err := s.holding(hash)
		if err != nil {
			return
		}
		for _, n := range v.seen {
			if s.files.removeAll(generationPath(hash, n)) != nil {
				return
			}
		}
		_ = s.files.remove(obligationsDir + "/" + hash) // fails if a new one is being written
		done = true
	})
	return done
}
