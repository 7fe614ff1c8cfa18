package gate_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/gate"
)

// A process that asks a long list takes a key for each site: all of them stay taken
// until they end, and take a few bytes.
func TestManyTakenKeys(t *testing.T) {
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
