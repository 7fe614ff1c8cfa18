package memory

import (
	"fmt"
	"testing"
	"time"
)

// What ristretto does not admit is found for a while: the youngest of it, as
// many as their share of the bytes holds.
func TestStraysStayWithinTheirShare(t *testing.T) {
	const cost, n = 1000, 200
	c, err := NewCache[int](1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range n {
		it := newItem[int](fmt.Sprint(i))
		it.value, it.cost, it.expires = i, cost, time.Now().Add(time.Hour)
		c.front.put(it)
		c.reject(it)
	}
	fit, kept := int(c.strays.max/(cost+indexCost)), 0
	for i := range n {
		_, ok := c.Get(fmt.Sprint(i))
		if ok {
			kept++
		}
		if ok && i < n-fit {
			t.Errorf("value %d is kept, of the last %d", i, fit)
		}
	}
	// Some share a slot with a younger one.
	if kept == 0 || kept > fit || len(c.strays.list) != fit {
		t.Errorf("%d strays are found, %d are listed, %d fit", kept, len(c.strays.list), fit)
	}
	if s := c.Stats(); s.Bytes != int64(fit*(cost+indexCost)) || s.Rejects != n {
		t.Errorf("Stats() = %+v", s)
	}
	large := newItem[int]("large")
	large.cost, large.expires = c.strays.max, time.Now().Add(time.Hour)
	c.front.put(large)
	c.reject(large)
	if _, ok := c.Get("large"); ok {
		t.Error("a stray that takes more than the share of all is kept")
	}
	if s := c.Stats(); s.Bytes != 0 {
		t.Errorf("Stats() = %+v without strays", s)
	}
}

// A value that ristretto evicts leaves the front, and is not moved back by a reader that found it
// before.
func TestEvictedLeavesTheFront(t *testing.T) {
	c, err := NewCache[int](1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Set("k", 1, 1, time.Hour)
	changes, it := c.changes.Load(), c.find("k")
	if it == nil || !c.front.holds(it) {
		t.Fatal("it was not set")
	}
	c.evict(it)
	if c.front.holds(it) {
		t.Error("it is still in the front")
	}
	c.promote(it, changes)
	if c.front.holds(it) {
		t.Error("it came back")
	}
	c.promote(it, c.changes.Load())
	if !c.front.holds(it) {
		t.Error("what was found just now is not moved to the front")
	}
}
