package cache

import (
	"context"
	"errors"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/warned"
)

// lookup returns the stored entry that matches the request and may be used under the present
// policy. If the store has none, it returns the entry that the caller has pinned. Every failure is
// a miss.
func (t *Engine) lookup(ctx context.Context, c *call) *Entry {
	c.guard.begins(c)
	v := t.find(ctx, c)
	c.variants = v
	if e := t.fitting(c, v); e != nil {
		return t.attached(ctx, c, v, e)
	}
	t.bringNear(ctx, c, v)
	if c.ask.Pins == nil {
		return nil
	}
	e := c.ask.Pins.Pinned(c.ask.URL)
	if e == nil || !t.fits(c, e) {
		return nil
	}
	c.from = FromMemory
	return e
}

// recentOf is a fast lookup for most hits. It returns a fresh entry from a store that needs no
// string for a key. If it returns nil, lookup looks everywhere.
func (t *Engine) recentOf(c *call, wall time.Time, mono time.Duration) *Entry {
	if t.recent == nil || c.ask.scratch == nil {
		return nil
	}
	key, _, _ := t.appendKey((*c.ask.scratch)[:0], c.ask)
	*c.ask.scratch = key
	v := t.recent(key)
	if v == nil {
		return nil
	}
	e := v.choose(&c.header)
	if e == nil || e.Key != string(key) || t.bars.bar(e) || t.opts.Allow != nil && !t.opts.Allow(e.RemoteAddr) {
		return nil
	}
	if e.decide(&c.demands, e.age(wall, mono), t.opts.Strict) != useFresh || c.ask.suits != nil && !c.ask.suits(e) {
		return nil
	}
	return e
}

// find asks the store. It asks the far store of a Layered at most once in a call. The call
// remembers the result, including a miss.
func (t *Engine) find(ctx context.Context, c *call) *Variants {
	v, seen, err := t.loadAll(ctx, c)
	c.generationSeen, c.unread = seen, err != nil && !errors.Is(err, ErrCorrupt)
	t.report(ctx, "load", err)
	v = c.since.note(v, false)
	again := c.behind
	if t.layers != nil && (v == nil || err != nil) {
		v = t.behind(ctx, c)
	}
	if v != nil || err == nil && !again {
		c.known = v
	}
	return v
}

// behind looks only into the far store.
func (t *Engine) behind(ctx context.Context, c *call) *Variants {
	if c.behind {
		return nil
	}
	c.behind = true
	v, err := t.layers.behindIn(ctx, c.ask.Visits, c.key, c.after, c.longest())
	t.report(ctx, "load", err)
	return c.since.note(v, true)
}

// lookBehind looks for an entry in the far store that is newer than the held one, because another
// process may have asked since.
func (t *Engine) lookBehind(ctx context.Context, c *call, held *Entry) *Entry {
	v := t.behind(ctx, c)
	e := t.fitting(c, v)
	if e == nil {
		t.bringNear(ctx, c, v)
	}
	if e == nil || held != nil && !e.ResponseTime.After(held.ResponseTime) {
		return nil
	}
	return t.attached(ctx, c, v, e)
}

// fitting returns the stored variant that fits the call, or nil.
func (t *Engine) fitting(c *call, v *Variants) *Entry {
	if v == nil {
		return nil
	}
	if e := v.choose(&c.header); e != nil && t.fits(c, e) {
		return e
	}
	return nil
}

// fits reports whether an entry matches the call and the present policy allows
// it.
func (t *Engine) fits(c *call, e *Entry) bool {
	return e.Key == c.key && !t.bars.bar(e) && e.matches(&c.header) && (t.opts.Allow == nil || t.opts.Allow(e.RemoteAddr))
}

// attached returns the entry with the Note that the caller's Rules make of it.
// An entry from a far store is brought near, together with its Note.
func (t *Engine) attached(ctx context.Context, c *call, v *Variants, e *Entry) *Entry {
	c.from = v.From
	if c.from == "" || t.aside != nil && e.memoryOnly {
		c.from = FromMemory
	}
	if c.ask.Rules != nil && !e.read {
		read := t.reread(c, e)
		confined := read.memoryOnly && !e.memoryOnly
		v, e = v.swap(e, read), read
		if confined {
			t.confine(ctx, c, v)
			return e
		}
	}
	t.bringNear(ctx, c, v)
	return e
}

// confine saves variants in the near store, and deletes those from the far store that must not be
// there. Earlier rules had not confined them.
func (t *Engine) confine(ctx context.Context, c *call, v *Variants) {
	g := c.guard
	g.lock()
	defer g.unlock()
	if near := t.near(ctx, c.key); !g.current(c) || near != nil && near.newerThan(v) {
		return // the near entry was made by the same rules, and has replaced the far one
	}
	t.save(context.WithoutCancel(ctx), c, v, &Variants{Entries: v.Entries})
}

// near returns the variants in the near store of a Layered.
func (t *Engine) near(ctx context.Context, key string) *Variants {
	if t.layers == nil {
		return nil
	}
	v, err := t.load(ctx, key)
	if err != nil {
		return nil
	}
	return v
}

// bringNear saves variants of the far store in the near one, including those that do not fit,
// because the next save must not lose them.
func (t *Engine) bringNear(ctx context.Context, c *call, v *Variants) {
	if t.layers != nil && v != nil && v.From != "" {
		t.promote(ctx, c, v)
	}
}

// reread lets the caller's Rules read an entry that another process may have stored with other
// rules. The shorter of the two lifetimes is used.
func (t *Engine) reread(c *call, e *Entry) *Entry {
	read := e.copied()
	t.finish(c.ask.Rules, read)
	if e.Lifetime.For < read.Lifetime.For {
		read.Lifetime = e.Lifetime
	}
	read.derive()
	read.folded = c.ask.Arena.fold(read)
	return read
}

// promote saves variants in the near store, unless they have been invalidated or the near store has
// a newer entry.
func (t *Engine) promote(ctx context.Context, c *call, v *Variants) {
	g := c.guard
	g.lock()
	defer g.unlock()
	if near := t.near(ctx, c.key); !g.current(c) || near != nil && near.newerThan(v) {
		return
	}
	t.report(ctx, "save", saveIn(ctx, t.layers.near, c.key, &Variants{Entries: v.Entries}, t.retain(v)))
}

// lately is the last reading of a call in a store outside the process, where a reading is a round trip
// or several files.
type lately struct {
	v          *Variants
	seen       string
	generation uint64 // of the guard
	writes     uint64 // of the guard, plus one; 0: nothing was read
	at         time.Duration
}

// maxLately is the time for which a call relies on its reading. Another process may store an answer
// meanwhile, which the answer of this call then replaces. An answer that another process has ended
// does not come back, because the store compares generations.
const maxLately = time.Second

// loadAll is load for a call, together with the entries that are kept beside the store. seen is the
// present generation, if entries may be kept there. A store outside the process is read again only if
// this process has written since, or after maxLately.
func (t *Engine) loadAll(ctx context.Context, c *call) (v *Variants, seen string, err error) {
	if t.local || t.layers != nil {
		return t.readAll(ctx, c)
	}
	now, generation, writes := t.clock.Mono(), c.guard.generation.Load(), c.guard.writes.Load()+1
	if l := &c.lately; l.writes == writes && l.generation == generation && now-l.at <= maxLately {
		return l.v, l.seen, nil
	}
	c.lately = lately{}
	if v, seen, err = t.readAll(ctx, c); err == nil {
		c.lately = lately{v, seen, generation, writes, now}
	}
	return v, seen, err
}

// readAll is loadAll without the last reading.
func (t *Engine) readAll(ctx context.Context, c *call) (v *Variants, seen string, err error) {
	if !t.usesAside(c) {
		v, err = t.load(ctx, c.key)
		return v, "", err
	}
	own, seen, err := t.loadAside(ctx, c)
	if err != nil || t.onlyAside(c) {
		return own, seen, err
	}
	v, err = t.load(ctx, c.key)
	return v.beside(own), seen, err
}

// load asks the store or, of a Layered, the near store.
func (t *Engine) load(ctx context.Context, key string) (*Variants, error) {
	if t.layers != nil {
		return loadFrom(ctx, t.layers.near, key)
	}
	v, err := loadFrom(ctx, t.store, key)
	if t.shared && v != nil {
		v = v.fromShared()
	}
	return v, err
}

// report counts and logs an error of the store, which does not fail the request.
func (t *Engine) report(ctx context.Context, op string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	t.counters.storeErrors.Add(1)
	if errors.Is(err, ErrCorrupt) {
		t.counters.corrupt.Add(1)
	}
	logStore(ctx, t.warned, op, err)
}

// logStore logs a warning about a store. It does not log errOpen, because the calls that opened the
// breaker have been logged.
func logStore(ctx context.Context, log *warned.Log, op string, err error) {
	if errors.Is(err, errOpen) {
		return
	}
	message := "cache store failed"
	if errors.Is(err, ErrCorrupt) {
		message = "cache entry was damaged"
	}
	log.Warn(ctx, message, op, err)
}
