package memory

import "math/rand/v2"

// touchEvery is the average number of reads of the front for which ristretto is called once.
// Calling it for all of them would cost more than the rest of a read.
const touchEvery = 64

// Get returns the value that was set last, unless it was forgotten or has expired. It allocates
// nothing.
func (c *Cache[V]) Get(key string) (v V, ok bool) {
	if it := c.front.find(key); it != nil {
		if rand.Uint32()%touchEvery == 0 {
			c.Touch(key)
		}
		return it.live()
	}
	changes := c.changes.Load()
	if c.waiting.Load() > 0 {
		c.mu.Lock()
		it := c.pending[key]
		c.mu.Unlock()
		if it != nil {
			return it.live()
		}
	}
	it := c.find(key)
	if it == nil {
		return v, false
	}
	if v, ok = it.live(); ok {
		c.promote(it, changes)
	}
	return v, ok
}

// Recent returns the value of Get without copying it, if it was set or got lately, otherwise nil.
// The value must not be written to. Recent does not read the clock, so a value may have expired. It
// is for values that contain their own times. Call Touch for a small part of the calls.
func (c *Cache[V]) Recent(key string) *V {
	if it := c.front.find(key); it != nil {
		return &it.value
	}
	return nil
}

// RecentBytes is Recent for a key in a byte slice.
func (c *Cache[V]) RecentBytes(key []byte) *V {
	if it := c.front.findBytes(key); it != nil {
		return &it.value
	}
	return nil
}

// Touch records that a value is in use. Recent does not do so, and the values that are used least
// are removed first.
func (c *Cache[V]) Touch(key string) { c.find(key) }

// find returns the item in ristretto, or nil.
func (c *Cache[V]) find(key string) *item[V] {
	c.closing.RLock()
	defer c.closing.RUnlock()
	if c.kept == nil || c.closed {
		return nil
	}
	if it, found := c.kept.Get(key); found && it.key == key {
		return it
	}
	return nil
}

// promote puts a value that was found in ristretto into the front, unless it may have been replaced
// or evicted since.
func (c *Cache[V]) promote(it *item[V], changes uint64) {
	if !c.mu.TryLock() {
		return // a writer is running
	}
	defer c.mu.Unlock()
	if c.changes.Load() == changes && !c.ended {
		c.front.put(it)
	}
}

// evict removes a value that ristretto gave up from the front, too. it is nil if it was deleted
// meanwhile.
func (c *Cache[V]) evict(it *item[V]) {
	c.evicted.Add(1)
	if it == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.front.drop(it)
	c.changes.Add(1)
}

// reject counts a value that ristretto did not admit, and keeps it as a stray.
func (c *Cache[V]) reject(it *item[V]) {
	c.rejected.Add(1)
	c.stray(it)
}

// stray keeps a value that ristretto does not have in the front for a while.
func (c *Cache[V]) stray(it *item[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended && c.front.holds(it) {
		c.strays.add(it, c.front.drop)
	}
}
