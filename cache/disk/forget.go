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

// Obligations yields the pauses that have not ended. The pauses of a host follow one another.
// Leases, which end with their process, are left out. If ctx is done or the store is closed, it
// yields an error and stops.
func (s *Store) Obligations(ctx context.Context) iter.Seq2[Obligation, error] {
	return func(yield func(Obligation, error) bool) {
		var hashes []string
		if err := s.guarded(ctx, func() { hashes = s.obligations() }); err != nil {
			yield(Obligation{}, err)
			return
		}
		for _, hash := range hashes {
			var v view
			var err error
			if end := s.guarded(ctx, func() { v, err = s.look(hash, false) }); end != nil {
				err = end
			}
			if errors.Is(err, errLost) {
				continue // another process changes it at this moment
			}
			if err != nil {
				yield(Obligation{}, err)
				return
			}
			for key, until := range v.held(s.clock.Now()) {
				if !strings.HasPrefix(key, cache.LeasePrefix) && !yield(Obligation{Key: key, Until: until}, nil) {
					return
				}
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
		if err == nil {
			err = s.forget(ctx, o.Key)
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		list = append(list, o)
	}
	return list, errors.Join(failures...)
}

// forget ends a pause.
func (s *Store) forget(ctx context.Context, key string) error {
	_, err := s.obligation(ctx, key, func(_ time.Time, st *state, _ time.Time) (time.Time, bool) {
		st.taken, st.cooled, st.token = span{}, span{}, token{}
		return time.Time{}, true
	})
	return err
}
