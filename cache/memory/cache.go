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

// Sizes of ristretto's admission counters: about ten for each value, taken to
// be of typicalCost bytes.
const (
	typicalCost = 4 << 10
	minCounters = 10_000
	maxCounters = 1_000_000
)

// indexCost is the cost of a value in ristretto's index, in bytes.
const indexCost = 56

// straysShare is the part of the bytes, one of so many, that may be used by
// values which ristretto did not admit.
const straysShare = 16

// bufferItems is the value that ristretto's documentation advises for any use.
const bufferItems = 64

// sweepEvery, in seconds, makes ristretto look for expired values twice in this
// time. None is returned, but they take room until then. Its default of 5
// wakes every idle Client more than once a second, because each has several
// tables.
const sweepEvery = 30

// Cache keeps values of one type by string keys within a number of bytes. It
// is safe for concurrent use. The package comment lists its promises.
type Cache[V any] struct {
	max int64

	// closing is held for reading around every use of ristretto, whose Close
	// panics when anything else is running.
	closing sync.RWMutex
	closed  bool
	kept    *ristretto.Cache[string, *item[V]] // nil until something is kept: empty it takes 350 KiB

	evicted, rejected, dropped atomic.Uint64

	// A Set of ristretto is visible only after its buffer was worked off, and
	// a second Set of a key in the buffer is lost. So writes wait here, are
	// visible here, and one flusher at a time brings them over.
	flushing sync.Mutex
	batch    []*item[V]   // of the flusher
	waiting  atomic.Int64 // len(pending): spares readers the lock

	// mu is held to write the front, never while ristretto is called.
	mu      sync.Mutex
	pending map[string]*item[V]
	front   front[V] // read without mu
	strays  strays[V]
	ended   bool          // Close has begun
	changes atomic.Uint64 // of values that a reader of ristretto may have read
}

// item is a value under its full key: ristretto compares hashes only.
type item[V any] struct {
	// short is a copy of a key that is not longer, and length that of the key:
	// a reader of the front then touches nothing but the item.
	short   [shortKey]byte
	length  uint8 // 0: it is longer
	deleted bool
	key     string
	value   V
	cost    int64
	expires time.Time
}

// shortKey is longer than most names of hosts.
const shortKey = 30

func newItem[V any](key string) *item[V] {
	it := &item[V]{key: key}
	if len(key) <= shortKey {
		it.length = uint8(copy(it.short[:], key))
	}
	return it
}

// is compares the whole key.
func (it *item[V]) is(key string) bool {
	if it.length > 0 {
		return string(it.short[:it.length]) == key
	}
	return it.key == key
}

// isBytes is is for a key that is no string yet; no comparison makes it one.
func (it *item[V]) isBytes(key []byte) bool {
	if it.length > 0 {
		return string(it.short[:it.length]) == string(key)
	}
	return it.key == string(key)
}

// NewCache returns an empty cache whose values cost at most maxBytes in all; 0
// means DefaultBytes, less is an error. A cache that is made inside a
// testing/synctest bubble must be used and closed there.
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

// start makes ristretto. c.flushing is held, by which alone kept is set.
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
		IgnoreInternalCost: false, // the bytes of an index entry count as well
		OnEvict:            func(i *ristretto.Item[*item[V]]) { c.evict(i.Value) },
		OnReject:           func(i *ristretto.Item[*item[V]]) { c.reject(i.Value) },

		TtlTickerDurationInSec: sweepEvery,
	})
	if err == nil { // all errors are of sizes below one, and there are none
		c.kept = kept
	}
}

// Stats say how full a cache is and how many values it has given up since it
// was made.
type Stats struct {
	// Bytes that are in use, of at most Capacity.
	Bytes, Capacity int64
	// Evictions counts values that made room or expired; Rejects new values
	// that were not admitted, or larger than the whole cache; Drops values that
	// came faster than they could be taken.
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

// live returns the value of an item that waits.
func (it *item[V]) live() (v V, ok bool) {
	if it.deleted || time.Until(it.expires) <= 0 {
		return v, false
	}
	return it.value, true
}

// Set keeps a value of cost bytes for ttl; a ttl of zero or less deletes, and
// so does a cost that is more than the whole cache. A cost of less than one
// counts as one.
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

// Close forgets everything and ends the goroutines. Later Gets miss and Sets
// do nothing.
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

// maxPending is the number of waiting items from which a writer waits for them.
const maxPending = 256

// write makes an item visible and sees to it that it is brought over: by the
// goroutine that is doing so already, unless much is waiting.
func (c *Cache[V]) write(it *item[V]) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.changes.Add(1)
	c.front.put(it)
	c.pending[it.key] = it
	c.waiting.Store(int64(len(c.pending)))
	c.mu.Unlock()

	if c.waiting.Load() > maxPending {
		c.flushing.Lock()
		c.flush()
		c.flushing.Unlock()
	}
	// A goroutine that does not get the lock leaves its item to one that looks
	// again after it has given the lock back.
	for c.waiting.Load() > 0 && c.flushing.TryLock() {
		c.flush()
		c.flushing.Unlock()
	}
}

// flush brings the waiting items over to ristretto, each key once, waits until
// they are there, and only then removes them here. c.flushing is held.
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

// bring hands one item to ristretto. Its buffer is empty but for this batch;
// if the batch fills it all the same, once more after it was worked off.
func (c *Cache[V]) bring(it *item[V]) {
	ttl := time.Until(it.expires)
	if it.deleted || ttl <= 0 {
		c.kept.Del(it.key)
		return
	}
	if old, ok := c.kept.Get(it.key); ok && it.cost > old.cost {
		c.kept.Del(it.key) // ristretto holds new keys to the bound, not those that grow
	}
	ttl = roomFor(time.Now(), ttl)
	if !c.kept.SetWithTTL(it.key, it, it.cost, ttl) {
		c.kept.Wait()
		if !c.kept.SetWithTTL(it.key, it, it.cost, ttl) {
			c.dropped.Add(1)
			c.stray(it)
		}
	}
}

// commonEnd, in seconds, is the time at whose multiples items end in ristretto.
const commonEnd = 32

// roomFor is the time for which ristretto keeps an item that lives for ttl. For each
// five seconds in which items end it has a table of their keys, which keeps its size
// until then, however many of them were evicted: with ends in common the tables are few.
func roomFor(now time.Time, ttl time.Duration) time.Duration {
	if ttl < 8*commonEnd*time.Second {
		return ttl
	}
	end := (now.Add(ttl).Unix()/commonEnd + 1) * commonEnd
	return time.Unix(end, 0).Sub(now)
}
