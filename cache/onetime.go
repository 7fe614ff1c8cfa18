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
	// oneTimeFor is the time for which the answers to new values of such a field are not kept.
	oneTimeFor = 10 * time.Minute
	// maxGuarded is the largest number of fields and origins that are watched. Beyond it, any one is
	// forgotten for the next.
	maxGuarded = 1024
	// maxSeenValues is the number of values after which one that does not come again is forgotten.
	// Twice as many are remembered, in some 200 KB.
	maxSeenValues = 4096
)

// oneTime is the guard against unknown fields that have another value in each request: no request
// would find their answers. It never learns that a field is harmless, because the values may be the
// names of users. Nor does it end the caching of a field: a value that comes again is kept, so that
// the values of a stranger cost another caller one request.
type oneTime struct {
	seed maphash.Seed
	mu   sync.Mutex
	of   map[uint64]*values // by origin and field
	// The last origins, fields and values: those since the last exchange of the two, and those before.
	young, old map[uint64]bool
}

// values are the last values of a field at an origin.
type values struct {
	last  []uint64      // all different
	stops bool          // until the time below, answers to new values are not kept
	until time.Duration // monotonic
	said  bool          // the warning has been given
}

// stopped reports whether answers to new values are not kept now.
func (v *values) stopped(now time.Duration) bool { return v.stops && now < v.until }

// hash returns a hash of the origin of an Ask and of texts. It allocates nothing for a host in lower
// case.
func (o *oneTime) hash(a *Ask, name string, lines []string) uint64 {
	var h maphash.Hash
	h.SetSeed(o.seed)
	for _, part := range [...]string{a.URL.Scheme, strings.ToLower(a.URL.Host), name} {
		_, _ = h.WriteString(part)
		_ = h.WriteByte('\n')
	}
	for _, line := range lines {
		_, _ = h.WriteString(line)
		_ = h.WriteByte('\n')
	}
	return h.Sum64()
}

// note notes the values of the unknown fields of a call. It returns the name of a field whose value
// is new although its values do not come again, so that the answer should not be kept; otherwise "".
func (o *oneTime) note(c *call, now time.Duration) (name string) {
	for field, lines := range c.header.fields {
		if c.header.identity.class(field) != unknown {
			continue
		}
		if field == baggage {
			lines = []string{normalise(field, lines)}
		}
		if o.isOneTime(o.hash(c.ask, field, nil), o.hash(c.ask, field, lines), now) {
			name = field
		}
	}
	return name
}

// isOneTime notes a value. It reports whether the value is new, and the last ones of the field were
// all different.
func (o *oneTime) isOneTime(field, value uint64, now time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	isNew := o.remember(value)
	v := o.of[field]
	if v == nil {
		v = o.begin(field)
	}
	if v.stopped(now) {
		return isNew
	}
	if slices.Contains(v.last, value) {
		v.last = v.last[:0]
	}
	if v.last = append(v.last, value); len(v.last) < maxOneTime {
		return false
	}
	*v = values{last: v.last[:0], stops: true, until: now + oneTimeFor}
	return isNew
}

// remember remembers a value, at least for the next maxSeenValues others, and reports whether it was
// not remembered. o.mu is held.
func (o *oneTime) remember(value uint64) (isNew bool) {
	if o.young[value] {
		return false
	}
	isNew = !o.old[value]
	if o.young == nil || len(o.young) == maxSeenValues {
		o.young, o.old = make(map[uint64]bool), o.young
	}
	o.young[value] = true
	return isNew
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

// warns reports whether the warning about a field has not been given. It is true once.
func (o *oneTime) warns(field uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.of[field]
	if v == nil || v.said {
		return false
	}
	v.said = true
	return true
}

var errOneTime = errors.New("the cache does not know this request field, and its last 32 values at an origin were all different, so for ten minutes the answers to a value are kept only if it comes again: if the field does not say who asks, name it in Options.Harmless")

// judgeUnknown makes an answer unstorable if an unknown field of its request has a new value each
// time. It returns the reason for Cache-Status.
func (t *Engine) judgeUnknown(ctx context.Context, c *call, e *Entry) (detail string) {
	if c.oneTime == "" || !e.Storable() || e.ignoresUnknown(&c.header) {
		return ""
	}
	field := strings.ToLower(c.oneTime)
	e.varyAny = true
	t.counters.oneTime.Add(1)
	if t.oneTime.warns(t.oneTime.hash(c.ask, c.oneTime, nil)) {
		t.warned.Warn(ctx, "cache keeps no answers to a request field", field, errOneTime)
	}
	return "unknown-field:" + field
}
