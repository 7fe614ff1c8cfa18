package memory

import (
	"hash/maphash"
	"sync/atomic"
)

// Sizes of the front, which has a slot for each value of typicalCost bytes.
const (
	minSlots = 64
	maxSlots = 1 << 14
)

// ways is the number of slots for values with the same hash. With one slot, in a table that is an
// eighth full, an eighth of the values would collide with another.
const ways = 4

// front is a synchronous table of atomic pointers in front of ristretto. The next reader sees a set
// value, and finding it costs a hash and a comparison. There is room only for the last few values
// with the same hash, so the front may lack a value that the cache has.
//
// Each value in the front is also in ristretto, waits for it, or is a stray. Only one writer may
// run at a time.
type front[V any] struct {
	seed  maphash.Seed
	sets  []set[V] // their number is a power of two
	turns uint     // selects the next slot to replace
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

// find returns the value of a key, or nil if the front lacks it.
func (f *front[V]) find(key string) *item[V] {
	s := f.set(maphash.String(f.seed, key))
	for i := range s {
		if it := s[i].Load(); it != nil && it.is(key) {
			return it
		}
	}
	return nil
}

// findBytes is find for a key in a byte slice.
func (f *front[V]) findBytes(key []byte) *item[V] {
	s := f.set(maphash.Bytes(f.seed, key))
	for i := range s {
		if it := s[i].Load(); it != nil && it.isBytes(key) {
			return it
		}
	}
	return nil
}

// put stores a value in the slot of the same key, in an empty slot, or in place of another value.
// For a deleted value, it clears the slot of its key.
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

// holds reports whether the front has exactly this value.
func (f *front[V]) holds(it *item[V]) bool { return f.find(it.key) == it }

// drop removes exactly this value.
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

// strays are values that ristretto did not admit, oldest first. Each was new, and its caller is
// likely to ask again, so it may stay in the front as long as all strays fit into max bytes.
type strays[V any] struct {
	max, cost int64
	list      []*item[V]
}

// add adds a value. drop is called for values that must be removed for it, which may include the
// value itself.
func (s *strays[V]) add(it *item[V], drop func(*item[V])) {
	s.list = append(s.list, it)
	s.cost += it.cost + indexCost
	for s.cost > s.max {
		drop(s.list[0])
		s.cost -= s.list[0].cost + indexCost
		s.list[0], s.list = nil, s.list[1:]
	}
}
