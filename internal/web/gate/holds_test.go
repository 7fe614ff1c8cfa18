package gate_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// A process that works through a long list takes a key for each site. All keys stay taken
// until they end, and use a few bytes each.
func TestManyTakenKeys(t *testing.T) {
	testkit.Large(t)
	synctest.Test(t, func(t *testing.T) {
		const keys = 200_000
		h := gate.NewHolds(0, nil)
		before := heap()
		began := time.Now()
		for i := range keys {
			if ok, held, _ := h.Acquire(fmt.Sprint("a long name for a key of some site ", i), began.Add(time.Hour)); !ok {
				t.Fatalf("%d: held until %v", i, held)
			}
		}
		if grown := heap() - before; grown > 25*keys {
			t.Errorf("%d bytes for each key", grown/keys)
		}
		for i := 0; i < keys; i += 1000 {
			ok, held, _ := h.Acquire(fmt.Sprint("a long name for a key of some site ", i), began.Add(time.Hour))
			if ok || held.Before(began.Add(time.Hour)) || held.After(began.Add(time.Hour+time.Minute)) {
				t.Fatalf("%d was taken again: %t, held until %v", i, ok, held)
			}
		}
		time.Sleep(time.Hour + time.Minute)
		for i := range keys {
			if ok, held, _ := h.Acquire(fmt.Sprint("a long name for a key of some site ", i), time.Now().Add(time.Hour)); !ok {
				t.Fatalf("%d: held until %v after its time", i, held)
			}
		}
		if grown := heap() - before; grown > 25*keys {
			t.Errorf("%d bytes for each key of the second hour", grown/keys)
		}
		runtime.KeepAlive(h)
	})
}

// A large number of holds keep their reasons, and a later end replaces an earlier one.
func TestManyHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 50_000
		h := gate.NewHolds(0, nil)
		began := time.Now()
		before := heap()
		name := func(i int) string { return fmt.Sprint("a long name for a key of some site ", i) }
		for i := range keys {
			h.Hold(name(i), began.Add(time.Hour))
		}
		if grown := heap() - before; grown > 50*keys {
			t.Errorf("%d bytes for each hold", grown/keys)
		}
		h.Hold(name(0), began.Add(time.Minute)) // sooner: it changes nothing
		h.Hold(name(1), began.Add(2*time.Hour))
		time.Sleep(59 * time.Minute)
		for i := range keys {
			if until, held := h.Until(name(i)); !held || until.Before(began.Add(time.Hour)) {
				t.Fatalf("%d: held until %v, %t", i, until, held)
			}
		}
		time.Sleep(2 * time.Minute)
		if until, held := h.Until(name(1)); !held || !until.Equal(began.Add(2*time.Hour)) {
			t.Errorf("held until %v, %t", until, held)
		}
		if _, held := h.Until(name(2)); held || h.Evicted() != 0 {
			t.Errorf("held after its end: %t, evicted %d", held, h.Evicted())
		}
	})
}

// A key that was taken a moment ago can be given back.
func TestTakenKeyIsGivenBack(t *testing.T) {
	h := gate.NewHolds(0, nil)
	until := time.Now().Add(time.Hour)
	for i := range 10_000 {
		_, _, release := h.Acquire(fmt.Sprint(i), until)
		if i%2 == 0 {
			release()
		}
	}
	for i := range 10_000 {
		if ok, _, _ := h.Acquire(fmt.Sprint(i), until); ok != (i%2 == 0) {
			t.Fatalf("%d: %t", i, ok)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
