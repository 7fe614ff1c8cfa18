package gate

import (
	"container/heap"
	"time"
)

// expiring is a bounded map that is ordered by expiry. It is not safe for
// concurrent use.
type expiring[V any] struct {
	max     int
	slots   map[string]*slot[V]
	order   slotHeap[V]
	evicted uint64
}

type slot[V any] struct {
	key     string
	value   V
	expires time.Time
	index   int
}

func newExpiring[V any](limit int) *expiring[V] {
	return &expiring[V]{max: limit, slots: make(map[string]*slot[V])}
}

// get returns the value of key, expired or not: the caller knows which clock applies.
func (t *expiring[V]) get(key string) (v V, ok bool) {
	if s := t.slots[key]; s != nil {
		return s.value, true
	}
	return v, false
}

// put sets the value of key. Expired slots are removed first. If the table is full
// nevertheless, the value that expires soonest is removed.
func (t *expiring[V]) put(now time.Time, key string, v V, expires time.Time) {
	if s := t.slots[key]; s != nil {
		s.value, s.expires = v, expires
		heap.Fix(&t.order, s.index)
		return
	}
	if t.full(now) {
		t.remove(t.order[0].key)
		t.evicted++
	}
	s := &slot[V]{key: key, value: v, expires: expires}
	t.slots[key] = s
	heap.Push(&t.order, s)
}

// expire removes the expired slots.
func (t *expiring[V]) expire(now time.Time) {
	for len(t.order) > 0 && !now.Before(t.order[0].expires) {
		t.remove(t.order[0].key)
	}
}

// full removes the expired slots and reports whether the table is full.
func (t *expiring[V]) full(now time.Time) bool {
	t.expire(now)
	return len(t.order) >= t.max
}

func (t *expiring[V]) remove(key string) {
	if s := t.slots[key]; s != nil {
		heap.Remove(&t.order, s.index)
		delete(t.slots, key)
	}
}

// slotHeap is a container/heap with the slot that expires soonest on top.
type slotHeap[V any] []*slot[V]

func (h slotHeap[V]) Len() int           { return len(h) }
func (h slotHeap[V]) Less(i, j int) bool { return h[i].expires.Before(h[j].expires) }

func (h slotHeap[V]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *slotHeap[V]) Push(x any) {
	s := x.(*slot[V])
	s.index = len(*h)
	*h = append(*h, s)
}

// Pop implements heap.Interface.
func (h *slotHeap[V]) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return s
}
