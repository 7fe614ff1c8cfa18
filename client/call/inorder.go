package call

import (
	"maps"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Lately is the time for which a call counts before the calls that need it first.
const Lately = time.Hour

// maxFirstNamed is the maximum number of prerequisites that a refusal names.
const maxFirstNamed = 8

// madeKey identifies the calls that a principal makes with a tool.
type madeKey struct {
	principal string
	tool      toolKey
}

// try is the last call that a principal made with a tool. done is true if it, or an earlier one
// lately, did its work or may have done it.
type try struct {
	at      time.Time // zero for none
	done    bool
	refused refusals
}

// keepTry remembers a call: its outcome is done, or it failed with a code. A call that never
// began, because its arguments are invalid or other calls come first, is none.
func (c *shared) keepTry(principal string, t *tools.Tool, code Code) {
	if code.is().unbegun {
		return
	}
	now, key := time.Now(), madeKey{principal, keyOf(t)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.roomForTry(now)
	last, known := c.lately[key]
	done := code.IsZero() || code.is().perhaps || known && last.done && now.Sub(last.at) <= Lately
	c.lately[key] = try{now, done, last.refused}
}

// roomForTry makes room in lately. The caller holds the lock.
func (c *shared) roomForTry(now time.Time) {
	if len(c.lately) >= maxSessions {
		maps.DeleteFunc(c.lately, func(_ madeKey, last try) bool {
			return now.Sub(last.at) > Lately && now.Sub(last.refused.last) > Lately
		})
	}
	if c.lately == nil || len(c.lately) >= maxSessions {
		c.lately = make(map[madeKey]try) // the prerequisites are called again
	}
}

// lastTry returns the last call that a principal made with a tool lately.
func (c *shared) lastTry(principal string, t *tools.Tool) (last try, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, known = c.lately[madeKey{principal, keyOf(t)}]
	return last, known && time.Since(last.at) <= Lately
}

// inOrder refuses a call whose prerequisites the principal has not called lately (Agent Web
// Protocol 0.2 §11). The statement of a site alone must not make a call impossible: a
// prerequisite that failed or was denied keeps nothing back, and is told to the person and the
// model instead. Neither does one that no tool of the Box can run, nor one of a circle. Since a
// prerequisite can be impossible for reasons that are not known here, the same call is refused
// [maxHeldBack] times.
func (t *target) inOrder() error {
	if t.caller.opts.AllowAnyOrder || t.completion != nil || t.resumed != "" {
		return nil
	}
	var missing []string
	for _, first := range t.tool.First() {
		switch last, known := t.caller.lastTry(t.principal, &first); {
		case !known:
			missing = append(missing, first.Name)
		case !last.done:
			t.undone = append(t.undone, first.Name)
		}
	}
	if missing == nil {
		return nil
	}
	if t.caller.heldBackAgain(t.principal, t.tool, strings.Join(missing, " ")) {
		t.undone = append(t.undone, missing...)
		return nil
	}
	return fail(OutOfOrder, nil, "first call "+text.And(missing, maxFirstNamed))
}

// maxHeldBack is how often calls of a tool are refused lately for the same prerequisites.
const maxHeldBack = 2

// refusals are the refusals of the calls of a tool for the same prerequisites.
type refusals struct {
	last    time.Time
	missing string
	n       int
}

// heldBackAgain counts a refusal. It reports whether there were enough of them lately.
func (c *shared) heldBackAgain(principal string, t *tools.Tool, missing string) bool {
	now, key := time.Now(), madeKey{principal, keyOf(t)}
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.lately[key]
	own := &last.refused
	if own.missing != missing || now.Sub(own.last) > Lately {
		*own = refusals{missing: missing}
	}
	own.n, own.last = own.n+1, now
	c.roomForTry(now)
	c.lately[key] = last
	return own.n > maxHeldBack
}

// told returns a sentence about the prerequisites that failed, or "" if there are none.
func (t *target) told() string {
	if t.undone == nil {
		return ""
	}
	return "The site wants " + text.And(t.undone, maxFirstNamed) + " to run first; that was not called, or did not succeed."
}
