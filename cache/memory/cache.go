package memory

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/ristretto/v2"
)

// Sizes of ristretto's admission counters. There are about ten for each value, whose size is
// assumed to be typicalCost bytes.
const (
	typicalCost = 4 << 10
	minCounters = 10_000
	maxCounters = 1_000_000
)

// indexCost is the cost of a value in ristretto's index, in bytes.
const indexCost = 56

// straysShare is the divisor for the share of the bytes that may be used by values that ristretto
// did not admit.
const straysShare = 16

// bufferItems is the value that ristretto's documentation recommends.
const bufferItems = 64

// sweepEvery is a time in seconds, in which ristretto looks for expired values twice. Expired
// values are not returned, but they take room until then. The default of 5 would wake every idle
// Client more than once a second, because each has several tables.
const sweepEvery = 30

// Cache keeps values of one type by string keys within a number of bytes. It is safe for concurrent
// use. See the package comment for its promises.
type Cache[V any] struct {
	max int64

	// closing is held for reading around every use of ristretto, whose Close panics if anything
	// else is running.
	closing sync.RWMutex
	closed  bool
	kept    *ristretto.Cache[string, *item[V]] // nil until something is kept, because it takes 350 KiB when empty

	evicted, rejected, dropped atomic.Uint64

	// A Set of ristretto is visible only after its buffer was processed, and a second Set of a key
	// in the buffer is lost. So writes wait here, where they are visible, and one flusher at a time
	// passes them to ristretto.
	flushing sync.Mutex
	batch    []*item[V]   // the batch of the flusher
	waiting  atomic.Int64 // len(pending), so that readers need no lock

	// mu is held to write the front, but never while ristretto is called.
	mu      sync.Mutex
	pending map[string]*item[V]
	front   front[V] // read without mu
	strays  strays[V]
	ended   bool          // Close has begun
	changes atomic.Uint64 // counts changes of values that a reader of ristretto may have read
}

// item is a value with its full key, because ristretto compares only hashes.
type item[V any] struct {
	// short is a copy of a key that fits into it, and length is the length of the key. A reader of
	// the front then reads only the item itself.
	short   [shortKey]byte
	length  uint8 // 0 if the key is longer than short
	deleted bool
	key     string
	value   V
	cost    int64
	expires time.Time
}

// shortKey is the length of the longest key in item.short. Most names of hosts are shorter.
const shortKey = 30

func newItem[V any](key string) *item[V] {
	it := &item[V]{key: key}
	if len(key) <= shortKey {
		it.length = uint8(copy(it.short[:], key))
	}
	return it
}

// is reports whether key is the whole key of the item.
func (it *item[V]) is(key string) bool {
	if it.length > 0 {
		return string(it.short[:it.length]) == key
	}
	return it.key == key
}

// isBytes is like is, for a key in a byte slice. It allocates no string.
func (it *item[V]) isBytes(key []byte) bool {
	if it.length > 0 {
		return string(it.short[:it.length]) == string(key)
	}
	return it.key == string(key)
}

// NewCache returns an empty cache. The total cost of its values is at most maxBytes. Zero means
// DefaultBytes, and a negative value is an error. A cache that is made inside a testing/synctest
// bubble must be used and closed there.
func NewCache[V any](maxBytes int64) (*Cache[V], error) {
	if maxBytes < 0 {
		return nil, fmt.Errorf("memory: a cache of %d bytes", maxBytes)
	}
	if maxBytes == 0 {
		maxBytes = DefaultBytes
	}
	c := &Cache[V]{max: maxBytes, pending: make(map[string]*item[V]), front: newFront[V](maxBytes)}
	c.strays.max = maxBytes / straysShare
	return c, nil
}

// start makes the cache of ristretto. The caller holds c.flushing, without which kept is never set.
func (c *Cache[V]) start() {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.closed {
		return
	}
	kept, err := ristretto.NewCache(&ristretto.Config[string, *item[V]]{
		NumCounters:        min(max(c.max/typicalCost*10, minCounters), maxCounters),
		MaxCost:            c.max - c.strays.max,
		BufferItems:        bufferItems,
		IgnoreInternalCost: false, // the bytes of an index entry are counted, too
		OnEvict:            func(i *ristretto.Item[*item[V]]) { c.evict(i.Value) },
		OnReject:           func(i *ristretto.Item[*item[V]]) { c.reject(i.Value) },

		TtlTickerDurationInSec: sweepEvery,
	})
	if err == nil { // the only errors are about sizes below one, which do not occur
		c.kept = kept
	}
}

// Stats contains the used bytes of a cache, and the numbers of values that it has given up since it
// was made.
type Stats struct {
	// Bytes is the number of bytes in use, at most Capacity.
	Bytes, Capacity int64
	// Evictions is the number of values that were removed to make room or that expired. Rejects is
	// the number of new values that were not admitted or were larger than the whole cache. Drops is
	// the number of values that came faster than they could be stored.
	Evictions, Rejects, Drops uint64
}

// Stats returns the present state.
func (c *Cache[V]) Stats() Stats {
	s := Stats{Capacity: c.max, Evictions: c.evicted.Load(), Rejects: c.rejected.Load(), Drops: c.dropped.Load()}
	c.closing.RLock()
	defer c.closing.RUnlock()
	if c.closed {
		return s
	}
	c.mu.Lock()
	strays := c.strays.cost
	c.mu.Unlock()
	s.Bytes = strays
	if c.kept != nil {
		s.Bytes += c.kept.MaxCost() - c.kept.RemainingCost()
	}
	return s
}

// live returns the value of an item. ok is false if it was deleted or has expired.
func (it *item[V]) live() (v V, ok bool) {
	if it.deleted || time.Until(it.expires) <= 0 {
		return v, false
	}
	return it.value, true
}

// Set keeps a value of cost bytes for ttl. If ttl is zero or negative, or if cost is larger than
// the whole cache, Set deletes the value of the key. A cost of less than one is treated as one.
func (c *Cache[V]) Set(key string, v V, cost int64, ttl time.Duration) {
	it, tooLarge := newItem[V](key), cost > c.max-c.strays.max
	if ttl <= 0 || tooLarge {
		it.deleted = true
	} else {
		it.value, it.cost, it.expires = v, max(cost, 1), time.Now().Add(ttl)
	}
	if tooLarge {
		c.rejected.Add(1)
	}
	c.write(it)
}

// Del forgets a value.
func (c *Cache[V]) Del(key string) {
	it := newItem[V](key)
	it.deleted = true
	c.write(it)
}

// Close forgets everything and ends the goroutines. Later calls of Get find nothing, and later
// calls of Set do nothing.
func (c *Cache[V]) Close() {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	if c.kept != nil {
		c.kept.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	clear(c.pending)
	c.waiting.Store(0)
	c.front.clear()
	c.strays.list, c.strays.cost = nil, 0
}

func (c *Cache[V]) isClosed() bool {
	c.closing.RLock()
	defer c.closing.RUnlock()
	return c.closed
}

// maxPending is the number of waiting items above which a writer waits for them.
const maxPending = 256

// write makes an item visible and makes sure that it is passed to ristretto. If another goroutine
// is already doing so, that goroutine does it, unless many items are waiting.
func (c *Cache[V]) write(it *item[V]) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.front.put(it)
	c.pending[it.key] = it
	c.waiting.Store(int64(len(c.pending)))
	// Last, so that a reader that sees the new count also sees the pending item, and does not bring
	// back from ristretto what this item replaces.
	c.changes.Add(1)
	c.mu.Unlock()

	if c.waiting.Load() > maxPending {
		c.flushing.Lock()
		c.flush()
		c.flushing.Unlock()
	}
	// A goroutine that does not get the lock leaves its item to the one that has it, which checks
	// again after it has released the lock.
	for c.waiting.Load() > 0 && c.flushing.TryLock() {
		c.flush()
		c.flushing.Unlock()
	}
}

// flush passes the waiting items to ristretto, each key once. It waits until they are visible
// there, and only then removes them here. The caller holds c.flushing.
func (c *Cache[V]) flush() {
	c.mu.Lock()
	batch := slices.AppendSeq(c.batch[:0], maps.Values(c.pending))
	c.mu.Unlock()
	defer func() { clear(batch); c.batch = batch }()
	if len(batch) == 0 {
		return
	}
	if c.kept == nil && slices.ContainsFunc(batch, func(it *item[V]) bool { return !it.deleted }) {
		c.start()
	}
	c.closing.RLock()
	if c.kept != nil && !c.closed {
		for _, it := range batch {
			c.bring(it)
		}
		c.kept.Wait()
	}
	c.closing.RUnlock()

	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range batch {
		if c.pending[it.key] == it {
			delete(c.pending, it.key)
		}
	}
	c.waiting.Store(int64(len(c.pending)))
}

// bring passes one item to ristretto. The buffer of ristretto contains only items of this batch. If
// the batch fills it anyway, bring tries once more after the buffer was processed.
func (c *Cache[V]) bring(it *item[V]) {
	ttl := time.Until(it.expires)
	if it.deleted || ttl <= 0 {
		c.kept.Del(it.key)
		return
	}
	if old, ok := c.kept.Get(it.key); ok && it.cost > old.cost {
		c.kept.Del(it.key) // ristretto enforces the limit for new keys, but not for values that grow
	}
	ttl = evictionTTL(time.Now(), ttl)
	if !c.kept.SetWithTTL(it.key, it, it.cost, ttl) {
		c.kept.Wait()
		if !c.kept.SetWithTTL(it.key, it, it.cost, ttl) {
			c.dropped.Add(1)
			c.stray(it)
		}
	}
}

// commonEnd is a time in seconds. Long-lived items end at its multiples in ristretto.
const commonEnd = 32

// evictionTTL returns the time for which ristretto keeps an item with a ttl. For each five seconds in
// which items end, ristretto has a table of their keys, which keeps its size until then, even if
// many of them were evicted. If items have common ends, there are few tables.
func evictionTTL(now time.Time, ttl time.Duration) time.Duration {
	if ttl < 8*commonEnd*time.Second {
		return ttl
	}
	end := (now.Add(ttl).Unix()/commonEnd + 1) * commonEnd
	return time.Unix(end, 0).Sub(now)
}
