package cache

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of the guard against one-time values.
const (
	// maxOneTime is the number of different values in a row that show that a field counts or times
	// requests.
	maxOneTime = 32
	// oneTimeFor is the time for which the answers to such a field are not kept.
	oneTimeFor = 10 * time.Minute
	// maxGuarded is the largest number of fields and origins that are watched. Beyond it, any one is
	// forgotten for the next.
	maxGuarded = 1024
)

// oneTime is the guard against unknown fields that have another value in each request: no request
// would find their answers. It never learns that a field is harmless, because the values may be the
// names of users.
type oneTime struct {
	seed maphash.Seed
	mu   sync.Mutex
	of   map[uint64]*values // by origin and field
}

// values are the last values of a field at an origin.
type values struct {
	last  []uint64      // all different
	stops bool          // until the time below, answers are not kept
	until time.Duration // monotonic
	said  bool          // the warning has been given
}

// stopped reports whether answers are not kept now.
func (v *values) stopped(now time.Duration) bool { return v.stops && now < v.until }

// field returns the key of a field at the origin of an Ask.
func (o *oneTime) field(a *Ask, name string) uint64 {
	return maphash.String(o.seed, strings.ToLower(a.URL.Scheme+"://"+a.URL.Host)+"\n"+name)
}

// note notes the values of the unknown fields of a call.
func (o *oneTime) note(c *call, now time.Duration) {
	for name := range c.header.fields {
		if c.header.identity.class(name) == unknown {
			o.noteValue(o.field(c.ask, name), maphash.String(o.seed, strings.Join(c.header.lines(name), "\n")), now)
		}
	}
}

func (o *oneTime) noteValue(field, value uint64, now time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.of[field]
	if v == nil {
		v = o.begin(field)
	}
	if v.stopped(now) {
		return
	}
	if slices.Contains(v.last, value) {
		v.last = v.last[:0]
	}
	if v.last = append(v.last, value); len(v.last) == maxOneTime {
		*v = values{last: v.last[:0], stops: true, until: now + oneTimeFor}
	}
}

// begin begins to watch a field. o.mu is held.
func (o *oneTime) begin(field uint64) *values {
	if o.of == nil {
		o.of = map[uint64]*values{}
	}
	for other := range o.of {
		if len(o.of) < maxGuarded {
			break
		}
		delete(o.of, other)
	}
	v := &values{}
	o.of[field] = v
	return v
}

// stops reports whether the answers to a field are not kept now. first is true once.
func (o *oneTime) stops(field uint64, now time.Duration) (stops, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.of[field]
	if v == nil || !v.stopped(now) {
		return false, false
	}
	first, v.said = !v.said, true
	return true, first
}

var errOneTime = errors.New("the cache does not know this request field, and its last 32 values at an origin were all different, so the answers are not kept for ten minutes: if the field does not say who asks, name it in Options.Harmless")

// judgeUnknown makes an answer unstorable if an unknown field of its request has another value each
// time. It returns the reason for Cache-Status.
func (t *Engine) judgeUnknown(ctx context.Context, c *call, e *Entry) (detail string) {
	if !c.header.unknown || !e.Storable() || e.ignoresUnknown(&c.header) {
		return ""
	}
	for name := range c.header.fields {
		if t.identity.class(name) != unknown {
			continue
		}
		stops, first := t.oneTime.stops(t.oneTime.field(c.ask, name), t.clock.Mono())
		if !stops {
			continue
		}
		field := strings.ToLower(name)
		e.varyAny = true
		t.counters.oneTime.Add(1)
		if first {
			t.warned.Warn(ctx, "cache keeps no answers to a request field", field, errOneTime)
		}
		return "unknown-field:" + field
	}
	return ""
}
