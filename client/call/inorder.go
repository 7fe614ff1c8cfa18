package call

import (
	"maps"
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
// lately, did its work or may have done it. invalid is the number of calls since then that did not
// begin because their arguments were invalid.
type try struct {
	at      time.Time // of the last call that began, zero for none
	done    bool
	invalid int
	failed  time.Time // of the last of these
}

// maxInvalid is the number of calls with invalid arguments that count as a call that began and
// failed: perhaps no arguments satisfy the schema.
const maxInvalid = 3

// keepTry remembers a call: its outcome is done, or it failed with a code. A call that never
// began because other calls come first is none.
func (c *shared) keepTry(principal string, t *tools.Tool, code Code) {
	if code == OutOfOrder {
		return
	}
	now, key := time.Now(), madeKey{principal, keyOf(t)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.roomForTry(now)
	last := c.lately[key]
	switch last.done = last.done && recent(now, last.at); {
	case code != InvalidArguments:
		last = try{at: now, done: last.done || code.IsZero() || code.is().perhaps}
	case !recent(now, last.failed):
		last.invalid, last.failed = 1, now
	default:
		last.invalid, last.failed = last.invalid+1, now
	}
	c.lately[key] = last
}

// recent reports whether a time is within [Lately].
func recent(now, at time.Time) bool { return now.Sub(at) <= Lately }

// roomForTry makes room in lately. The caller holds the lock.
func (c *shared) roomForTry(now time.Time) {
	if len(c.lately) >= maxSessions {
		maps.DeleteFunc(c.lately, func(_ madeKey, last try) bool {
			return !recent(now, last.at) && !recent(now, last.failed)
		})
	}
	if c.lately == nil || len(c.lately) >= maxSessions {
		c.lately = make(map[madeKey]try) // the prerequisites are called again
	}
}

// lastTry returns the last call that a principal made with a tool lately.
func (c *shared) lastTry(principal string, t *tools.Tool) (last try, known bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	last = c.lately[madeKey{principal, keyOf(t)}]
	return last, recent(now, last.at) || last.invalid >= maxInvalid && recent(now, last.failed)
}

// inOrder refuses a call whose prerequisites the principal has not called lately (Agent Web
// Protocol 0.2 §11). The statement of a site alone must not make a call impossible: a
// prerequisite that failed, was denied, or got invalid arguments [maxInvalid] times keeps nothing
// back, and is told to the person and the model instead. Neither does one that no tool of the Box
// can run, nor one of a circle.
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
	return fail(OutOfOrder, nil, "first call "+text.And(missing, maxFirstNamed))
}

// told returns a sentence about the prerequisites that failed, or "" if there are none.
func (t *target) told() string {
	if t.undone == nil {
		return ""
	}
	return "The site wants " + text.And(t.undone, maxFirstNamed) + " to run first; that did not succeed."
}
