package disk

import (
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// Active pauses are listed and removed by their keys. Leases and ended pauses are not.
func TestForget(t *testing.T) {
	s, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, until := t.Context(), time.Now().Add(time.Hour)
	for _, key := range []string{"hold\n\nhttps://a.example", "floor\n\nadp a.example /x", "hold\n\nhttps://b.example"} {
		if err := s.Hold(ctx, key, until); err != nil {
			t.Fatal(err)
		}
	}
	if ok, _, _, err := s.Acquire(ctx, cache.LeasePrefix+"x", until); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := s.Hold(ctx, "hold\n\nhttps://over.example", time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	count := func() (n int) {
		for o, err := range s.Obligations(ctx) {
			if err != nil || !o.Until.After(time.Now()) {
				t.Errorf("%+v: %v", o, err)
			}
			n++
		}
		return n
	}
	if n := count(); n != 3 {
		t.Errorf("%d obligations hold", n)
	}
	list, err := s.Forget(ctx, func(key string) bool { return strings.Contains(key, "a.example") })
	if err != nil || len(list) != 2 || count() != 1 {
		t.Errorf("%+v: %v", list, err)
	}
	if ok, held, _, err := s.Acquire(ctx, "hold\n\nhttps://a.example", time.Time{}); !ok || err != nil {
		t.Errorf("still held until %v: %v", held, err)
	}
	if list, err := s.Forget(ctx, nil); err != nil || len(list) != 1 {
		t.Errorf("%+v: %v", list, err)
	}
	if ok, _, _, _ := s.Acquire(ctx, cache.LeasePrefix+"x", until); ok {
		t.Error("the lease was forgotten")
	}
}
