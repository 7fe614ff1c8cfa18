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

// front is a synchronous table before ristretto, one atomic pointer for each
// of its slots: what was set is there for the next reader, and finding it
// costs a hash and a comparison. A slot has the last value that was set or
// found, so a value may be missing here that the cache has.
//
// Whatever is in a slot is in ristretto too, waits for it, or is a stray.
type front[V any] struct {
	seed  maphash.Seed
	slots []atomic.Pointer[item[V]] // a power of two of them
}

func newFront[V any](maxBytes int64) front[V] {
	n := minSlots
	for n < maxSlots && int64(n)*typicalCost < maxBytes {
		n *= 2
	}
	return front[V]{seed: maphash.MakeSeed(), slots: make([]atomic.Pointer[item[V]], n)}
}

func (f *front[V]) slot(hash uint64) *atomic.Pointer[item[V]] {
	return &f.slots[hash&uint64(len(f.slots)-1)]
}

// find returns the value of a key, nil if it is not here.
func (f *front[V]) find(key string) *item[V] {
	if it := f.slot(maphash.String(f.seed, key)).Load(); it != nil && it.key == key {
		return it
	}
	return nil
}

// findBytes is find for a key that is no string yet.
func (f *front[V]) findBytes(key []byte) *item[V] {
	if it := f.slot(maphash.Bytes(f.seed, key)).Load(); it != nil && it.key == string(key) {
		return it
	}
	return nil
}

// put gives a value the slot of its key; one that is deleted leaves its own.
// Writers exclude each other.
func (f *front[V]) put(it *item[V]) {
	slot := f.slot(maphash.String(f.seed, it.key))
	switch have := slot.Load(); {
	case !it.deleted:
		slot.Store(it)
	case have != nil && have.key == it.key:
		slot.Store(nil)
	}
}

// holds reports whether exactly this value is here.
func (f *front[V]) holds(it *item[V]) bool {
	return f.slot(maphash.String(f.seed, it.key)).Load() == it
}

// drop takes exactly this value out.
func (f *front[V]) drop(it *item[V]) {
	if f.holds(it) {
		f.slot(maphash.String(f.seed, it.key)).Store(nil)
	}
}

func (f *front[V]) clear() {
	for i := range f.slots {
		f.slots[i].Store(nil)
	}
}

// strays are values that ristretto did not admit, oldest first. Each was new
// when it came, and who asked for it is likely to ask again, so it may stay in
// the front as long as all of them are within a number of bytes.
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
