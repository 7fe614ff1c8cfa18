package memory

import "math/rand/v2"

// touchEvery is of how many reads of the front one is told to ristretto: all
// of them would cost more than the rest of a read.
const touchEvery = 64

// Get returns the value that was set last, unless it was forgotten or its time
// is over. It allocates nothing.
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

// Recent returns the value of Get, if it was set or got lately, without copying
// it; else nil. The value must not be written to. Recent does not look at the
// clock, so the time of a value may be over: it is for values that know their
// own time. Follow one call in so many by Touch.
func (c *Cache[V]) Recent(key string) *V {
	if it := c.front.find(key); it != nil {
		return &it.value
	}
	return nil
}

// RecentBytes is Recent for a key that is no string yet.
func (c *Cache[V]) RecentBytes(key []byte) *V {
	if it := c.front.findBytes(key); it != nil {
		return &it.value
	}
	return nil
}

// Touch says that a value is in use: Recent does not, and the values that are
// used least go first.
func (c *Cache[V]) Touch(key string) { c.find(key) }

// find asks ristretto.
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

// promote moves a value that was found behind the front into it, unless it may
// have been replaced or evicted since.
func (c *Cache[V]) promote(it *item[V], changes uint64) {
	if !c.mu.TryLock() {
		return // a writer is at work
	}
	defer c.mu.Unlock()
	if c.changes.Load() == changes && !c.ended {
		c.front.put(it)
	}
}

// evict removes a value that ristretto gave up from the front too. it is nil
// where it was deleted meanwhile.
func (c *Cache[V]) evict(it *item[V]) {
	c.evicted.Add(1)
	if it == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes.Add(1)
	c.front.drop(it)
}

// reject counts values that ristretto did not admit.
func (c *Cache[V]) reject(it *item[V]) {
	c.rejected.Add(1)
	c.stray(it)
}

// stray lets a value that ristretto does not have stay in the front for a while.
func (c *Cache[V]) stray(it *item[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended && c.front.holds(it) {
		c.strays.add(it, c.front.drop)
	}
}
