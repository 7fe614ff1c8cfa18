package cache

import (
	"strings"
	"time"
)

// call is one Ask on its way through the engine.
type call struct {
	ask            *Ask
	header         requestHeader
	url            string // canonical
	key            string
	queue          string // identifies calls that may wait for each other: the key, and the caller if the key does not contain it
	demands        demands
	began          time.Duration // monotonic
	guard          *guard        // the guard of the key's resource while the call is under way
	generation     uint64        // the generation of the guard when lookup began
	from           string        // the place where lookup found the entry
	variants       *Variants     // the variants that lookup found, matching or not
	since          generations   // the generations of the store when lookup began
	known          *Variants     // the variants that the store had when it was last read
	lately         lately        // what the store had then, if it is neither local nor layered
	unread         bool          // the store did not answer, so that its generation is not known
	generationSeen string        // the generation of a GenerationStore before the call asks; "" if it is not known
	behind         bool          // the far store has been asked
	after          uint64        // a moment; the far store must have been read after it
	waits          bool          // the call waits for another process
	early          func(outcome) // passes a response that is still being read on to waiting callers
	oneTime        string        // the name of an unknown field with a new value each time; see oneTime
	flying         bool          // the call is about to ask, and only a fresh entry makes the request unnecessary
}

// set sets the Ask of a call.
func (c *call) set(a *Ask, i *identity) {
	c.ask, c.header = a, a.header
	if c.header.identity == nil {
		c.header = i.read(a.Header)
	}
	c.header.veiled = a.Rules != nil && a.Partition != "" // the field of the credential may have any name
}

// tells makes a call pass on a response whose body is still being read. A call with Rules does not,
// because they read the whole body first.
func (c *call) tells(emit func(outcome)) {
	if c.ask.Rules == nil {
		c.early = emit
	}
}

// confined reports whether the answer to a call stays in this process, whatever its header allows.
// A shared cache with Options.Strict confines only answers to calls with a Partition, and answers
// to credentials with Rules or in a session of MCP.
func (c *call) confined(shared bool) bool {
	switch {
	case c.ask.Partition != "":
		return true
	case !shared || !c.header.identifies:
		return false
	}
	return !c.header.identity.open || c.ask.Rules != nil || c.header.has(sessionField)
}

// flightOf returns the flight for a call. The fields that the response varies on are taken from the
// variants that lookup has found.
func (c *call) flightOf() flightKey {
	k := flightKey{key: c.queue, generation: c.generation}
	if c.variants != nil && len(c.variants.Entries) > 0 {
		k.variant = c.variantOf(c.variants.Entries[0])
	}
	return k
}

// variantOf returns a call's values for the request fields that an entry varies on.
func (c *call) variantOf(e *Entry) string {
	if len(e.Vary) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range e.Vary {
		own := varyField(f.Name, &c.header)
		b.WriteString(own.Name)
		if !own.Absent {
			b.WriteString("=" + own.Value)
		}
		b.WriteByte(0)
	}
	return b.String()
}

// longest returns the time for which a call uses a record that was read.
func (c *call) longest() time.Duration {
	if c.waits {
		return pollSeen
	}
	return maxSeen
}
