package memory

import (
	"hash/maphash"
	"sync/atomic"
)

// Sizes of the front: a slot for each value of typicalCost bytes.
const (
	minSlots = 64
	maxSlots = 1 << 14
)

// ways is the number of values with one hash that have room. With one, an
// eighth of the values of a table that is an eighth full would be in the way of
// another.
const ways = 4

// front is a synchronous table before ristretto, of atomic pointers: the next
// reader sees a set value, and finding it costs a hash and a comparison. There
// is room for the last few values of a hash, so one may be missing here that
// the cache has.
//
// Each value here is in ristretto too, waits for it, or is a stray. Writers
// exclude each other.
type front[V any] struct {
	seed  maphash.Seed
	sets  []set[V] // a power of two of them
	turns uint     // the next slot to make room in
}

type set[V any] [ways]atomic.Pointer[item[V]]

func newFront[V any](maxBytes int64) front[V] {
	n := minSlots
	for n < maxSlots && int64(n)*typicalCost < maxBytes {
		n *= 2
	}
	return front[V]{seed: maphash.MakeSeed(), sets: make([]set[V], n/ways)}
}

func (f *front[V]) set(hash uint64) *set[V] { return &f.sets[hash&uint64(len(f.sets)-1)] }

// find returns the value of a key, nil if the front lacks it.
func (f *front[V]) find(key string) *item[V] {
	s := f.set(maphash.String(f.seed, key))
	for i := range s {
		if it := s[i].Load(); it != nil && it.is(key) {
			return it
		}
	}
	return nil
}

// findBytes is find for a key that is no string yet.
func (f *front[V]) findBytes(key []byte) *item[V] {
	s := f.set(maphash.Bytes(f.seed, key))
	for i := range s {
		if it := s[i].Load(); it != nil && it.isBytes(key) {
			return it
		}
	}
	return nil
}

// put takes in a value: in place of the one of the same key, in an empty slot,
// or in one that it clears. A deleted value leaves the slot of its key empty.
func (f *front[V]) put(it *item[V]) {
	s := f.set(maphash.String(f.seed, it.key))
	f.turns++
	slot, empty := &s[f.turns%ways], false
	for i := range s {
		switch have := s[i].Load(); {
		case have != nil && have.key == it.key:
			s[i].Store(it.unlessDeleted())
			return
		case have == nil && !empty:
			slot, empty = &s[i], true
		}
	}
	if !it.deleted {
		slot.Store(it)
	}
}

func (it *item[V]) unlessDeleted() *item[V] {
	if it.deleted {
		return nil
	}
	return it
}

// holds reports whether exactly this value is here.
func (f *front[V]) holds(it *item[V]) bool { return f.find(it.key) == it }

// drop takes exactly this value out.
func (f *front[V]) drop(it *item[V]) {
	s := f.set(maphash.String(f.seed, it.key))
	for i := range s {
		if s[i].Load() == it {
			s[i].Store(nil)
		}
	}
}

func (f *front[V]) clear() {
	for i := range f.sets {
		for k := range f.sets[i] {
			f.sets[i][k].Store(nil)
		}
	}
}

// strays are values that ristretto did not admit, oldest first. Each was new
// when it came, and its caller is likely to ask again, so it may stay in the
// front as long as all of them are within a number of bytes.
type strays[V any] struct {
	max, cost int64
	list      []*item[V]
}

// add takes in a value. drop is called for those that must go for it, maybe
// for itself.
func (s *strays[V]) add(it *item[V], drop func(*item[V])) {
	s.list = append(s.list, it)
	s.cost += it.cost + indexCost
	for s.cost > s.max {
		drop(s.list[0])
		s.cost -= s.list[0].cost + indexCost
		s.list[0], s.list = nil, s.list[1:]
	}
}
