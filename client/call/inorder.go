package call

import (
	"maps"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
)

// Lately is the time for which a call counts as made before the calls that need it first.
const Lately = time.Hour

// madeKey identifies the calls that a principal makes with a tool.
type madeKey struct{ principal, tool string }

// keepMade remembers that a principal has made a call.
func (c *shared) keepMade(principal string, t *tools.Tool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lately) >= maxSessions {
		maps.DeleteFunc(c.lately, func(_ madeKey, at time.Time) bool { return now.Sub(at) > Lately })
	}
	if c.lately == nil || len(c.lately) >= maxSessions {
		c.lately = make(map[madeKey]time.Time) // the prerequisites are called again
	}
	c.lately[madeKey{principal, toolID(t)}] = now
}

// hasMade reports whether a principal has made a call with a tool lately.
func (c *shared) hasMade(principal string, t *tools.Tool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, known := c.lately[madeKey{principal, toolID(t)}]
	return known && time.Since(at) <= Lately
}

// inOrder refuses a call whose prerequisites the principal has not made lately (Agent Web
// Protocol 0.2 §11). A prerequisite that no tool of the Box can run keeps no call back, nor does
// one of a circle: the statement of a site alone must not make a call impossible.
func (t *target) inOrder() error {
	if t.caller.opts.AllowAnyOrder || t.completion != nil || t.resumed != "" {
		return nil
	}
	var missing []string
	for _, name := range t.tool.First() {
		if first, err := t.box.Tool(name); err == nil && !t.caller.hasMade(t.principal, first) {
			missing = append(missing, name)
		}
	}
	if missing == nil {
		return nil
	}
	return fail(OutOfOrder, nil, "first call "+strings.Join(missing, " and "))
}
