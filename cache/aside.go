package cache

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// GenerationStore is a Store that other processes use, and that tells whether one of them has ended
// the answers of a resource. An [Engine] over such a store alone keeps the answers that must not leave
// the process in a memory of its own, 16 MiB at most. It reads the generation before each use, so an
// unsafe request or a Purge of another process ends these answers as well.
type GenerationStore interface {
	Store
	// Generation returns a text that changes with each Purge that covers a key, in whatever process.
	// It may change at other times. It returns "" if the store does not know: then no answer is kept,
	// and none is used.
	Generation(ctx context.Context, key string) (string, error)
}

// Limits of an aside.
const (
	// maxAside is the largest number of bytes of its entries.
	maxAside = 16 << 20
	// maxUnchecked is the longest time between two readings of the generation of an entry. A store
	// forgets the generations of a Purge after a longer time.
	maxUnchecked = 24 * time.Hour
)

// aside is the memory of an Engine beside its store, for the entries that must not leave the process.
// If it is full, the entries that were used least recently are removed.
type aside struct {
	store GenerationStore

	mu    sync.Mutex
	of    map[string]*list.Element // of *aparted, by key
	used  *list.List               // latest first
	bytes int64
}

// aparted are the entries of a key that must not leave the process.
type aparted struct {
	key        string
	variants   *Variants
	generation string        // of the store, before the newest of them was asked for
	checked    time.Duration // monotonic, when the store had this generation
	size       int64
}

// asideOf returns the aside of an Engine over a store, or nil if it needs none or the store does not
// tell generations.
func asideOf(store Store) *aside {
	g, ok := store.(GenerationStore)
	if !ok || isLocal(store) {
		return nil
	}
	return &aside{store: g, of: map[string]*list.Element{}, used: list.New()}
}

// generation returns the present generation of a key, or "" if it is not known.
func (t *Engine) generation(ctx context.Context, key string) (string, error) {
	text, err := bounded(ctx, t.store, reads, func(ctx context.Context) (string, error) { return t.aside.store.Generation(ctx, key) })
	if err != nil {
		text = ""
	}
	if errors.Is(err, errOpen) {
		err = nil
	}
	return text, err
}

// usesAside reports whether the answer to a call may have to stay in the process.
func (t *Engine) usesAside(c *call) bool {
	return t.aside != nil && (c.ask.Partition != "" || c.header.unknown)
}

// onlyAside reports whether all answers to a call stay in the process, so that the store needs not be
// asked for them.
func (t *Engine) onlyAside(c *call) bool { return t.aside != nil && c.ask.Partition != "" }

// sharesWith reports whether the rules of a shared cache apply to the answer to a call. An answer in a
// partition beside a shared store is in a private cache.
func (t *Engine) sharesWith(c *call) bool { return t.shared && !t.onlyAside(c) }

// loadAside returns the entries of a key that are kept in the process, and the present generation.
func (t *Engine) loadAside(ctx context.Context, c *call) (v *Variants, generation string, err error) {
	if generation, err = t.generation(ctx, c.key); generation == "" {
		return nil, "", err
	}
	return t.aside.get(c.key, generation, t.clock.Mono()), generation, nil
}

// saveAside keeps those of the variants that must not leave the process. A call that has not loaded
// them leaves them, unless it ends all variants.
func (t *Engine) saveAside(c *call, v *Variants) {
	if !t.usesAside(c) && len(v.Entries) > 0 {
		return
	}
	own := &Variants{}
	for _, e := range v.Entries {
		if e.memoryOnly {
			own.Entries = append(own.Entries, e)
		}
	}
	t.aside.put(c.key, own, c.generationSeen, t.clock.Mono())
}

// get returns the entries of a key if the generation is still that of the store.
func (a *aside) get(key, generation string, now time.Duration) *Variants {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.of[key]
	if at == nil {
		return nil
	}
	kept := at.Value.(*aparted)
	if kept.generation != generation || now-kept.checked > maxUnchecked {
		a.drop(at)
		return nil
	}
	kept.checked = now
	a.used.MoveToFront(at)
	return kept.variants
}

// put replaces the entries of a key. Without a generation, there are none afterwards.
func (a *aside) put(key string, v *Variants, generation string, now time.Duration) {
	size := v.Size() + int64(len(key))
	a.mu.Lock()
	defer a.mu.Unlock()
	if at := a.of[key]; at != nil {
		a.drop(at)
	}
	if len(v.Entries) == 0 || generation == "" || size > maxAside {
		return
	}
	a.of[key] = a.used.PushFront(&aparted{key, v, generation, now, size})
	for a.bytes += size; a.bytes > maxAside; {
		a.drop(a.used.Back())
	}
}

// has reports whether an entry is kept. a may be nil.
func (a *aside) has(e *Entry) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.of[e.Key]
	return at != nil && slices.Contains(at.Value.(*aparted).variants.Entries, e)
}

// forget removes the entries that a scope covers, so that a Purge gives their memory back. Those of one
// resource are not looked for: their generation has ended. a may be nil.
func (a *aside) forget(s Scope) {
	if _, one := s.Resource(); one || a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, at := range a.of {
		if s.Covers(key) {
			a.drop(at)
		}
	}
}

// drop removes the entries of a key. a.mu is held.
func (a *aside) drop(at *list.Element) {
	kept := a.used.Remove(at).(*aparted)
	delete(a.of, kept.key)
	a.bytes -= kept.size
}

// beside returns the variants of a store together with those that stay in the process, newest first.
// All can have the former, so that the latter push none of them out.
func (v *Variants) beside(own *Variants) *Variants {
	if own == nil {
		return v
	}
	if v == nil {
		return own
	}
	out := &Variants{Entries: slices.Clone(v.Entries), From: v.From, Generation: v.Generation}
	out.Entries = append(out.Entries, own.Entries[:min(len(own.Entries), max(MaxVariants-len(v.Entries), 0))]...)
	slices.SortStableFunc(out.Entries, func(a, b *Entry) int { return b.ResponseTime.Compare(a.ResponseTime) })
	return out
}
