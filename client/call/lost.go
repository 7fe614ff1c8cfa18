package call

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

const (
	// lostTime is the time for which a lost call is remembered.
	lostTime = time.Hour
	// maxLost is the maximum number of lost calls that a Caller remembers.
	maxLost = 4096
)

// intention identifies what a user wants a tool to do. Arguments that differ only in how they are
// written are one intention.
type intention struct{ principal, tool, arguments string }

// lostCall is a call that may have done its work.
type lostCall struct {
	until time.Time
	key   string // its idempotency key; "" for none
}

// distinct returns the arguments in a form that is the same for arguments that mean the same.
func (t *target) distinct() []byte {
	own, err := jsonscan.Distinct(t.args)
	if err != nil {
		return t.args // it differs from others that mean the same
	}
	return own
}

// intention returns the intention of a call. It is made once, and never while the Caller is locked: the
// arguments may be long.
func (t *target) intention() intention {
	if t.meant == (intention{}) {
		t.meant = intention{t.principal, toolID(t.tool), t.caller.keyed(t.distinct())}
	}
	return t.meant
}

// keyed returns the text over which an idempotency key has its tag: a key of another user, tool or
// arguments is none of this call.
func (t *target) keyed() []byte {
	return slices.Concat([]byte(t.principal+"\x00"+toolID(t.tool)+"\x00"), t.distinct())
}

// remembers reports whether the Caller remembers a lost call of any intention.
func (c *shared) remembers() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lost) > 0
}

// lostBefore returns the call of the same intention that was lost within the last hour, if any was.
func (t *target) lostBefore() (lostCall, bool) {
	if !t.caller.remembers() {
		return lostCall{}, false
	}
	meant := t.intention()
	t.caller.mu.Lock()
	defer t.caller.mu.Unlock()
	own, ok := t.caller.lost[meant]
	return own, ok && time.Now().Before(own.until)
}

// stored returns the name of an intention in Options.Lost.
func (t *target) stored() string {
	if t.stores == "" {
		sum := sha256.Sum256(t.keyed())
		t.stores = hex.EncodeToString(sum[:])
	}
	return t.stores
}

// intend keeps a call in Options.Lost before it is sent, so that it is remembered if the program is killed
// in the middle of it. [agreed.settle] forgets it. A call that may be sent again anyway is not kept, nor one
// that is kept as lost.
//
// If it cannot be kept, the call is sent all the same: it is tried again if the call is lost.
func (a *agreed) intend(ctx context.Context) {
	c := a.caller
	if c.opts.Lost == nil || a.completion != nil || a.effect.repeats(&a.facts, false) != never {
		return
	}
	if _, lost := a.lostBefore(); lost {
		return
	}
	own := a.lostNow()
	if a.storeLost(ctx, own) == nil {
		a.intended = true
		c.intends(a.intention(), 1)
	}
}

// intends changes the number of calls of an intention that are under way, and returns it.
func (c *shared) intends(meant intention, by int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay == nil {
		c.underWay = make(map[intention]int)
	}
	n := c.underWay[meant] + by
	if c.underWay[meant] = n; n == 0 {
		delete(c.underWay, meant)
	}
	return n
}

// lostNow returns the call as one that is lost now.
func (a *agreed) lostNow() lostCall {
	own := lostCall{until: time.Now().Add(lostTime)}
	if k := a.subject.key; k != nil {
		own.key = k.value
	}
	return own
}

// lose remembers that the call may have done its work. The error is that of Options.Lost.
func (a *agreed) lose(ctx context.Context) error {
	own := a.lostNow()
	a.caller.keepLost(a.intention(), own)
	return a.storeLost(ctx, own)
}

// recall reads from Options.Lost whether a call of the same intention was lost. A call that only reads
// needs no answer.
func (t *target) recall(ctx context.Context) error {
	c := t.caller
	if c.opts.Lost == nil || t.completion != nil || t.tool.ReadOnly() {
		return nil
	}
	if c.intends(t.intention(), 0) > 0 {
		return nil // the store has that one
	}
	type found struct {
		key   string
		until time.Time
	}
	own, err := askHook("Lost", func() (f found, err error) { f.key, f.until, err = c.opts.Lost.Load(ctx, t.stored()); return f, err })
	if err != nil {
		return fail(Refused, err, "whether a call like it was lost could not be read")
	}
	if left := time.Until(own.until); left > 0 && left <= lostTime {
		c.keepLost(t.intention(), lostCall{own.until, own.key})
	}
	return nil
}

// keepLost remembers a lost call.
func (c *shared) keepLost(meant intention, own lostCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.lost = make(map[intention]lostCall)
	}
	if len(c.lost) >= maxLost {
		c.dropLost()
	}
	c.lost[meant] = own
}

// settle remembers that a request may have done its work, or forgets it once another try has succeeded. A
// failure of another try does not say what the first one did: a service answers 409 while that is under
// way. Whether a repetition does more is for [judge] to know: what may be sent again anyway is not remembered.
//
// The error is that of Options.Lost.
func (a *agreed) settle(ctx context.Context, code Code, sent bool) error {
	c := a.caller
	kept := a.intended // and no other call of the intention needs it
	if kept {
		a.intended, kept = false, c.intends(a.intention(), -1) == 0
	}
	if sent && code == OutcomeUnknown && a.effect.repeats(&a.facts, false) == never {
		return a.lose(ctx)
	}
	if sent && code.IsZero() && c.remembers() {
		meant := a.intention()
		c.mu.Lock()
		_, lost := c.lost[meant]
		delete(c.lost, meant)
		c.mu.Unlock()
		kept = kept || lost
	}
	if _, lost := a.lostBefore(); !kept || lost { // another call of the intention was lost meanwhile
		return nil
	}
	return a.store(ctx, func(ctx context.Context, s LostStore) error { return s.Forget(ctx, a.stored()) })
}

// storeLost keeps a lost call in Options.Lost.
func (a *agreed) storeLost(ctx context.Context, own lostCall) error {
	return a.store(ctx, func(ctx context.Context, s LostStore) error { return s.Keep(ctx, a.stored(), own.key, own.until) })
}

// store changes Options.Lost, also for a caller that has left.
func (a *agreed) store(ctx context.Context, change func(context.Context, LostStore) error) error {
	s := a.caller.opts.Lost
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLeave)
	defer cancel()
	_, err := askHook("Lost", func() (struct{}, error) { return struct{}{}, change(ctx, s) })
	return err
}

// dropLost removes the lost call that is remembered longest, and all whose time is over.
func (c *shared) dropLost() {
	var first intention
	var ends time.Time
	for k, own := range c.lost {
		if !time.Now().Before(own.until) {
			delete(c.lost, k)
		} else if ends.IsZero() || own.until.Before(ends) {
			first, ends = k, own.until
		}
	}
	if len(c.lost) >= maxLost {
		delete(c.lost, first)
	}
}

// resumable returns the key of a lost call of the same intention, if the service still knows it, so that
// it does nothing twice.
func (t *target) resumable() string {
	own, lost := t.lostBefore()
	if !lost || t.tool.Capability == nil || t.tool.Capability.Effects == nil || forgotten(own.key, t.tool.Capability.Effects) {
		return ""
	}
	return own.key
}

// repeatsALoss reports whether a call repeats one that may have done its work, and no key tells the
// service so.
func (t *target) repeatsALoss(k *key) bool {
	own, lost := t.lostBefore()
	return lost && (k == nil || cmp.Or(own.key, "-") != k.value)
}
