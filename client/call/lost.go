package call

import (
	"cmp"
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

// settle remembers that a request may have done its work, or forgets it once another try has succeeded. A
// failure of another try does not say what the first one did: a service answers 409 while that is under
// way. Whether a repetition does more is for [judge] to know: what may be sent again anyway is not remembered.
func (a *agreed) settle(code Code, sent bool) {
	c := a.caller
	switch {
	case !sent:
		return
	case code.IsZero():
		if c.remembers() {
			meant := a.intention()
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.lost, meant)
		}
		return
	case code != OutcomeUnknown, a.effect.repeats(&a.facts, false) != never:
		return
	}
	own := lostCall{until: time.Now().Add(lostTime)}
	if k := a.subject.key; k != nil {
		own.key = k.value
	}
	meant := a.intention()
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
