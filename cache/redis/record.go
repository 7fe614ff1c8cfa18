package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
)

// A record is a value like the value of an entry. It is replaced by a script that compares its MAC,
// which differs for any two records. So a change takes one round trip if the record is known, and
// no change is lost.

// maxUpdates is the largest number of attempts to change a record if other processes are faster.
// Each time one of them has made progress.
const maxUpdates = 32

var errBusy = errors.New("changed again and again")

// Records implements cache.RecordStore. It returns true unless another store embeds this one.
func (s *Store) Records(of cache.Store) bool { return of == cache.Store(s) }

// LoadRecord implements cache.RecordStore. It takes one round trip, or two for a miss.
func (s *Store) LoadRecord(ctx context.Context, key string) (*cache.Record, error) {
	name := s.name(key, kindEntry)
	value, err := s.get(ctx, name)
	if len(value) == 0 && err == nil {
		value, err = s.begin(ctx, name, key)
	}
	r, err := s.record(name, key, value, err)
	if errors.Is(err, cache.ErrCorrupt) {
		s.corrupt.Add(1)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// record reads a value. If the value is corrupt, it returns the version with the error, so
// that an update can replace the value.
func (s *Store) record(name, key string, value []byte, err error) (*cache.Record, error) {
	r := &cache.Record{From: From}
	switch {
	case isWrongType(err):
		return r, corrupt("load", name, "a value of another type")
	case err != nil:
		return nil, failed("load", name, err)
	case len(value) == 0:
		return r, nil
	}
	r.Version = string(value[min(macAt, len(value)):min(generationAt, len(value))])
	if int64(len(value)) > s.max {
		return r, corrupt("load", name, fmt.Sprintf("more than %d bytes", s.max))
	}
	wall, mono := s.clock.Read()
	entries, current, err := s.sealer.open(name, key, value, wall)
	var read *cache.Record
	if err == nil && current {
		read, err = cache.UnmarshalRecord(key, entries)
	}
	if err != nil {
		return r, corrupt("load", name, reasonOf(err))
	}
	if r.Generation = string(value[generationAt:originAt]); read == nil {
		return r, nil
	}
	r.Parts = read.Parts
	if at := timesIn(value); at.by == s.id {
		for _, p := range r.Parts {
			if p.Variants != nil {
				age(p.Variants, mono-at.mono-wall.Sub(at.saved))
			}
		}
	}
	return r, nil
}

// UpdateRecord implements cache.RecordStore. It takes one round trip if seen is the present record.
func (s *Store) UpdateRecord(ctx context.Context, key string, seen *cache.Record, change func(*cache.Record) *cache.Record) error {
	name := s.name(key, kindEntry)
	for range maxUpdates {
		if seen == nil {
			value, err := s.get(ctx, name)
			if seen, err = s.record(name, key, value, err); seen == nil {
				return err
			}
		}
		next := change(seen)
		if len(next.Parts) == 0 && len(seen.Parts) == 0 && next.Generation == seen.Generation {
			return nil
		}
		done, err := s.replace(ctx, name, key, seen.Version, next)
		if done || err != nil {
			return err
		}
		seen = nil
	}
	return failed("save", name, errBusy)
}

// replace replaces the record of a version, and reports whether that was the present one.
func (s *Store) replace(ctx context.Context, name, key, version string, r *cache.Record) (bool, error) {
	value, retain, err := s.valueOf(name, key, r)
	if err != nil {
		return false, failed("save", name, err)
	}
	n, err := s.script(ctx, s.scripts.update, []string{name}, []string{version, rueidis.BinaryString(value), strconv.FormatInt(milliseconds(retain), 10)})
	return n == 1, failed("save", name, err)
}

// valueOf returns the value of a record, and the time for which it is kept. A record without parts
// has a value with only its generation. If it has no generation, either, the value is empty.
func (s *Store) valueOf(name, key string, r *cache.Record) (value []byte, retain time.Duration, err error) {
	if len(r.Parts) == 0 && r.Generation == "" {
		return nil, 0, nil
	}
	data, err := r.MarshalBinary()
	if err != nil {
		return nil, 0, err
	}
	retain = markTime
	for _, p := range r.Parts {
		retain = max(retain, min(time.Until(p.Until), maxRetain))
	}
	value = s.seal(name, key, firstOf(r.Generation, newGeneration()), data, retain)
	if int64(len(value)) > s.max {
		return nil, 0, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLarge, len(value), s.max)
	}
	return value, retain, nil
}

// purgePart ends the part of a key in the record of its origin. If there is no record, there is no
// generation in which another process could save the part.
func (s *Store) purgePart(ctx context.Context, key string) error {
	record := cache.RecordKey(key)
	return s.UpdateRecord(ctx, record, nil, func(r *cache.Record) *cache.Record {
		if r.Version == "" {
			return r
		}
		return r.Without(key)
	})
}
