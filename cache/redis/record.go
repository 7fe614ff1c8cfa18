package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
)

// A record is a value like the value of an entry. It is replaced by a script that compares its MAC,
// which differs for any two records. So a change takes one round trip if the record is known, and
// no change is lost. Its generation consists of the epoch of its origin and a text of its own, because a
// Purge of a URL ends one of its parts: a Load that finds no record marks its generation by a value
// without parts.

// markTime is the time for which such a value is kept. An answer that takes longer is not saved.
const markTime = 10 * time.Minute

// maxUpdates is the largest number of attempts to change a record if other processes are faster.
// Each time one of them has made progress.
const maxUpdates = 32

var errBusy = errors.New("changed again and again")

// Records implements cache.RecordStore. It returns true unless another store embeds this one.
func (s *Store) Records(of cache.Store) bool { return of == cache.Store(s) }

// LoadRecord implements cache.RecordStore. It takes one round trip, or two for a miss.
func (s *Store) LoadRecord(ctx context.Context, key string) (*cache.Record, error) {
	name := s.name(key, kindEntry)
	for range maxUpdates {
		r, now, err := s.lookRecord(ctx, name, key)
		switch {
		case errors.Is(err, cache.ErrCorrupt):
			s.corrupt.Add(1)
			return nil, err
		case err != nil:
			return nil, err
		case r.Generation != "":
			return r, nil
		}
		r, err = s.mark(ctx, name, key, r.Version, &now)
		if isRefused(err) {
			return &cache.Record{From: From}, nil // the server is full or read-only, which is a miss
		}
		if r != nil || err != nil {
			return r, failed("load", name, err)
		}
	}
	return nil, failed("load", name, errBusy)
}

// mark begins a generation of a record that has none, by a value without parts. It returns nil if
// another caller was faster. version is that of a value that is over.
func (s *Store) mark(ctx context.Context, name, key, version string, now *numbers) (*cache.Record, error) {
	own := newText()
	if version != "" {
		if _, err := s.begin(ctx, key, now, nil); err != nil {
			return nil, err
		}
		_, err := s.replace(ctx, name, key, version, now.epoch(), &cache.Record{Generation: now.epoch() + own})
		return nil, err // its version comes with the next look
	}
	data, err := new(cache.Record).MarshalBinary()
	if err != nil {
		return nil, err
	}
	var value []byte
	replies, err := s.begin(ctx, key, now, func(c rueidis.Client, epoch string) []rueidis.Completed {
		value = s.seal(name, key, epoch+own, data, markTime)
		return []rueidis.Completed{c.B().Set().Key(name).Value(rueidis.BinaryString(value)).Nx().PxMilliseconds(milliseconds(markTime)).Build()}
	})
	if err == nil && replies != nil {
		err = replies[0].Error()
	}
	if err != nil || replies == nil {
		if rueidis.IsRedisNil(err) {
			err = nil
		}
		return nil, err
	}
	return s.record(name, key, value, now.epoch(), nil)
}

// lookRecord returns the record under a key, in one round trip. Its generation is empty if there is
// none, or if a Purge has ended it.
func (s *Store) lookRecord(ctx context.Context, name, key string) (*cache.Record, numbers, error) {
	value, now, err := s.look(ctx, name, key)
	r, err := s.record(name, key, value, now.epoch(), err)
	return r, now, err
}

// record reads a value in the present epoch. If the value is corrupt, it returns the version with the
// error, so that an update can replace the value.
func (s *Store) record(name, key string, value []byte, epoch string, err error) (*cache.Record, error) {
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
	generation := string(value[generationAt:originAt])
	if epoch == "" || !strings.HasPrefix(generation, epoch) {
		return r, nil
	}
	if r.Generation = generation; read == nil {
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
		var now numbers
		if seen == nil {
			var err error
			if seen, now, err = s.lookRecord(ctx, name, key); seen == nil {
				return err
			}
		}
		next := change(seen)
		if len(next.Parts) == 0 && len(seen.Parts) == 0 && next.Generation == seen.Generation {
			return nil
		}
		epoch := seen.Generation[:min(textSize, len(seen.Generation))]
		if epoch == "" && len(next.Parts) > 0 {
			if _, err := s.begin(ctx, key, &now, nil); err != nil {
				return failed("save", name, err)
			}
			epoch = now.epoch()
		}
		done, err := s.replace(ctx, name, key, seen.Version, epoch, next)
		if done || err != nil {
			return err
		}
		seen = nil
	}
	return failed("save", name, errBusy)
}

// replace replaces the record of a version, and reports whether that was the present one.
func (s *Store) replace(ctx context.Context, name, key, version, epoch string, r *cache.Record) (bool, error) {
	value, retain, err := s.valueOf(name, key, epoch, r)
	if err != nil {
		return false, failed("save", name, err)
	}
	n, err := s.script(ctx, s.scripts.update, []string{name}, []string{version, rueidis.BinaryString(value), strconv.FormatInt(milliseconds(retain), 10)})
	return n == 1, failed("save", name, err)
}

// valueOf returns the value of a record, and the time for which it is kept. A record without parts
// has a value with only its generation. If it has no generation, either, the value is empty.
func (s *Store) valueOf(name, key, epoch string, r *cache.Record) (value []byte, retain time.Duration, err error) {
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
	value = s.seal(name, key, firstOf(r.Generation, epoch+newText()), data, retain)
	if int64(len(value)) > s.max {
		return nil, 0, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLarge, len(value), s.max)
	}
	return value, retain, nil
}

// purgePart ends the part of a key in the record of its origin.
func (s *Store) purgePart(ctx context.Context, key string) error {
	record := cache.RecordKey(key)
	return s.UpdateRecord(ctx, record, nil, func(r *cache.Record) *cache.Record {
		if r.Version == "" {
			return r
		}
		return r.Without(key)
	})
}
