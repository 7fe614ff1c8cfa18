package cache

import (
	"context"
	"net/http"
	"time"
)

// keep stores an entry among the variants of its key, and reports whether it did. If the response
// must not be stored, the entry that it replaces is removed. If the meaning of the response is
// remembered, only the meaning is kept. An answer that has been invalidated since, or replaced by a
// newer one, is not stored. Errors of the store are reported and not returned.
func (t *Engine) keep(ctx context.Context, c *call, e *Entry) bool {
	if c.demands.noStore {
		return false // RFC 9111 §5.2.1.5
	}
	if !t.local { // the answer has come, and is kept even if the last caller leaves now
		ctx = context.WithoutCancel(ctx)
	}
	g := c.guard
	g.lock()
	defer g.unlock()
	if !g.current(c) {
		return false
	}
	old := t.replaced(ctx, c)
	switch {
	case e.below: // this shows that the key does not distinguish callers
		t.save(ctx, c, old, &Variants{})
	case old.hasNewer(e, &c.header):
	case e.Storable() && (t.local || t.isUseful(c, e)):
		e.folded = c.ask.Arena.fold(e)
		next := old.with(e, &c.header)
		saved := t.saveIn(ctx, c, old, next, e.memoryOnly && next.shared() == old.shared())
		if !t.local && e.memoryOnly {
			return t.aside.has(e)
		}
		return saved
	case e.Shared && e.forOne() && e.Lifetime.remembered(): // its meaning is a fact about one caller
	case e.Lifetime.remembered() && e.Lifetime.For > 0:
		h := e.withoutBody()
		if c.ask.Rules != nil && !h.read {
			h.Note, h.read = c.ask.Rules.Read(h), true
		}
		h.folded = c.ask.Arena.fold(h)
		t.save(ctx, c, old, old.with(h, &c.header))
	case old != nil && replaces(e.Status):
		if others := old.without(&c.header); len(others.Entries) == 0 || len(others.Entries) < len(old.Entries) {
			t.save(ctx, c, old, others)
		}
	}
	return false
}

// takes reports whether an entry that may be stored is going to be kept when its body has come, as far
// as its header tells. length is negative if it is not known: the body may turn out to be too large.
func (t *Engine) takes(c *call, e *Entry, length int64) bool {
	if !t.local && e.memoryOnly {
		return t.aside != nil && c.generationSeen != "" && length >= 0 && length < maxAside
	}
	return length >= 0 && (t.local || t.isUseful(c, e)) && !t.refusing.Load()
}

// isUseful reports whether an entry can ever answer without its origin, or make a request to it
// conditional. Only a request with max-stale or stale-if-error could use another entry, which is
// not worth a write to a disk or a server.
func (t *Engine) isUseful(c *call, e *Entry) bool {
	standsIn := !e.mustValidate() && (t.opts.staleIfError() > 0 || t.opts.StaleAfter > 0)
	return c.ask.Rules != nil || e.Lifetime.For > 0 || e.hasValidator() || standsIn ||
		e.control.sharedMaxAge > 0 || e.control.staleIfError > 0 || e.control.whileRevalidate > 0
}

// replaced returns the variants that are stored under the key now. The near store of a Layered has
// them, because those of the far one were brought near before the origin was asked. If they were
// too large for it, replaced returns those that the call saw in the far store. A store that fails may still have variants. Then replaced returns those that the call saw earlier or, if there
// are none, empty Variants, so that unknown ones are deleted.
func (t *Engine) replaced(ctx context.Context, c *call) *Variants {
	v, _, err := t.loadAll(ctx, c)
	t.report(ctx, "load", err)
	switch {
	case err == nil && v != nil && len(v.Entries) > 0:
		return v
	case err == nil && t.layers == nil:
		return nil
	case err == nil: // the near store may have no room for them
		return c.known
	case c.known != nil:
		return c.known
	}
	return &Variants{}
}

// replaces reports whether a response that is not kept makes the stored entry wrong. Refusals and
// failures do not, because they are not about the resource.
func replaces(status int) bool {
	return status >= 200 && status < 400 && status != http.StatusPartialContent && status != http.StatusNotModified ||
		status == http.StatusNotFound || status == http.StatusGone
}

// save writes variants, to be kept as long as the longest of them. If there are none, it deletes
// the key. It reports whether something was written. old are the variants that the store may have.
// It is nil if the store is known to have none.
func (t *Engine) save(ctx context.Context, c *call, old, v *Variants) bool {
	return t.saveIn(ctx, c, old, v, false)
}

// saveIn is save. nearOnly means that the far store, or the store beside an aside, has those of the
// variants already that may leave the process.
func (t *Engine) saveIn(ctx context.Context, c *call, old, v *Variants, nearOnly bool) bool {
	defer c.guard.writes.Add(1) // a reading that began before is not the present state
	if t.aside != nil {
		if t.saveAside(c, v); t.onlyAside(c) || nearOnly {
			return len(v.Entries) > 0
		}
	}
	if !t.local {
		v = v.shareable()
	}
	if c.unread && t.aside != nil && len(v.Entries) > 0 { // a Purge of another process may have come since
		t.lose(ctx, c)
		return false
	}
	v = c.since.of(v)
	var err error
	switch vs := c.ask.Visits; {
	case len(v.Entries) == 0:
		err = t.delete(ctx, c)
	case t.layers != nil && (vs != nil || nearOnly):
		err = t.layers.saveIn(ctx, vs, c.key, v, t.retain(v), nearOnly)
	default:
		err = saveIn(ctx, t.store, c.key, v, t.retain(v))
	}
	t.report(ctx, "save", err)
	t.refusing.Store(err != nil)
	if err != nil && old != nil {
		t.lose(ctx, c)
	}
	return err == nil && len(v.Entries) > 0
}

// lose makes sure that an earlier answer is not used after a write has failed. It deletes the
// answer, or bars it if that fails, too.
func (t *Engine) lose(ctx context.Context, c *call) {
	err := t.delete(ctx, c)
	t.report(ctx, "delete", err)
	if err != nil {
		t.bars.add(scopeOfKey(c.key), t.now())
	}
}

// delete forgets the entries of a call's key.
func (t *Engine) delete(ctx context.Context, c *call) error {
	defer c.guard.writes.Add(1)
	if t.layers != nil && c.ask.Visits != nil {
		return t.layers.deleteIn(ctx, c.ask.Visits, c.key)
	}
	return deleteFrom(ctx, t.store, c.key)
}

// retain returns the time for which a store should keep variants.
func (t *Engine) retain(v *Variants) time.Duration {
	wall, mono := t.clock.Read()
	var retain time.Duration
	for _, e := range v.Entries {
		retain = max(retain, e.retain(e.age(wall, mono)))
	}
	return retain
}
