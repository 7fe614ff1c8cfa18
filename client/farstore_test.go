package client_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// farStore is a store that processes share: it is not local, it stores bytes, and each load returns
// new entries without a Note. Its faults may be changed while it is used.
type farStore struct {
	mu    sync.Mutex
	kept  map[string]written
	keys  map[string]bool // of entries and obligations, ever
	calls map[string]int
	// fault comes before every call; its error is the result.
	fault func(ctx context.Context) error
	// forgets is true if all that is saved or held is lost at once.
	forgets bool
	holds   *gate.Holds
}

// written contains the stored variants.
type written struct {
	text []byte
	ends time.Time
}

func newFarStore() *farStore {
	return &farStore{kept: map[string]written{}, keys: map[string]bool{}, calls: map[string]int{}, holds: gate.NewHolds(0, nil)}
}

// shared makes Clients use the store.
func shared(s cache.Store) func(*client.Options) {
	return func(o *client.Options) { o.Store = s }
}

// fail sets the fault.
func (s *farStore) fail(fault func(ctx context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// hang is a fault: no answer until the caller's time is up.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// enter counts a call and applies the fault.
func (s *farStore) enter(ctx context.Context, op, key string) error {
	s.mu.Lock()
	s.calls[op]++
	s.keys[key] = true
	fault := s.fault
	s.mu.Unlock()
	if fault != nil {
		return fault(ctx)
	}
	return nil
}

// count returns how often an operation was called: "load", "save", "delete", "acquire" or "hold".
func (s *farStore) count(op string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[op]
}

// dump is all that the store keeps, and every key it was asked for.
func (s *farStore) dump() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out strings.Builder
	for key := range s.keys {
		out.WriteString(key + "\n")
	}
	for _, w := range s.kept {
		out.Write(w.text)
	}
	return out.String()
}

// rewrite changes every entry that the store keeps.
func (s *farStore) rewrite(t *testing.T, change func(e *cache.Entry)) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, w := range s.kept {
		v, err := cache.UnmarshalVariants(w.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range v.Entries {
			change(e)
		}
		if w.text, err = v.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
		s.kept[key] = w
	}
}

func (s *farStore) Load(ctx context.Context, key string) (*cache.Variants, error) {
	if err := s.enter(ctx, "load", key); err != nil {
		return nil, err
	}
	s.mu.Lock()
	w, ok := s.kept[key]
	s.mu.Unlock()
	if !ok || !time.Now().Before(w.ends) {
		return nil, nil
	}
	v, err := cache.UnmarshalVariants(bytes.Clone(w.text))
	if err != nil {
		return nil, err
	}
	v.From = "far"
	return v, nil
}

func (s *farStore) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	if err := s.enter(ctx, "save", key); err != nil {
		return err
	}
	text, err := v.MarshalBinary()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.forgets {
		s.kept[key] = written{text, time.Now().Add(retain)}
	}
	return nil
}

func (s *farStore) Delete(ctx context.Context, key string) error {
	if err := s.enter(ctx, "delete", key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, key)
	return nil
}

func (s *farStore) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	if err := s.enter(ctx, "acquire", key); err != nil {
		return false, time.Time{}, nil, err
	}
	if s.forgets {
		return true, time.Time{}, func() {}, nil
	}
	ok, held, release = s.holds.Acquire(key, until)
	return ok, held, release, nil
}

func (s *farStore) Hold(ctx context.Context, key string, until time.Time) error {
	if err := s.enter(ctx, "hold", key); err != nil {
		return err
	}
	if !s.forgets {
		s.holds.Hold(key, until)
	}
	return nil
}

func (*farStore) Close() error { return nil }

// eachStore runs a test in a bubble with each kind of store that processes can
// share.
func eachStore(t *testing.T, test func(t *testing.T, internet *clienttest.Internet, store cache.Store)) {
	t.Helper()
	for name, open := range map[string]func(t *testing.T) cache.Store{
		"far": func(*testing.T) cache.Store { return newFarStore() },
		"disk": func(t *testing.T) cache.Store {
			s, err := disk.Open(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				store := open(t)
				t.Cleanup(func() { _ = store.Close() })
				test(t, internet, store)
			})
		})
	}
}
