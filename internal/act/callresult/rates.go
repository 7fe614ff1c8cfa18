package callresult

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Rate is a service's statement about the calls that it still accepts.
type Rate struct {
	// Limit is the number of calls in a Window, and Remaining is the number of remaining
	// calls; -1 if the service does not state it.
	Limit, Remaining int64
	Window           time.Duration
	// Reset is the time after the answer until the full Limit is available again; 0 if the
	// service does not state it.
	Reset time.Duration
}

// maxReset is the maximum of a time that a service states.
const maxReset = 24 * time.Hour

// Rates reads the statements about rates in an answer that arrived at the time now: RateLimit
// and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers), in the formats of its
// revisions, and the earlier fields.
func Rates(h http.Header, now time.Time) []Rate {
	policies := rateItems(h["Ratelimit-Policy"])
	var list []Rate
	for i, item := range rateItems(h["Ratelimit"]) {
		r := Rate{Limit: item.number("limit"), Remaining: item.number("r", "remaining"), Reset: seconds(item.number("t", "reset"), now)}
		for j, policy := range policies {
			if policy.name == item.name || i == j && item.name == "" {
				r.Limit, r.Window = policy.number("q", ""), seconds(policy.number("w"), now)
			}
		}
		list = append(list, r)
	}
	if list != nil {
		return list
	}
	for _, names := range earlierFields() {
		if remaining := first(h.Get(names.remaining)); remaining >= 0 {
			return []Rate{{Limit: first(h.Get(names.limit)), Remaining: remaining, Reset: seconds(first(h.Get(names.reset)), now)}}
		}
	}
	return nil
}

// rateFields are the names of three fields that belong together.
type rateFields struct{ limit, remaining, reset string }

// earlierFields returns the fields that services used before the draft.
func earlierFields() [3]rateFields {
	return [3]rateFields{
		{"Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset"},
		{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
		{"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset"},
	}
}

// rateItem is an item of a list with its parameters. In early revisions it is the whole field.
type rateItem struct {
	name   string
	params map[string]int64
}

// number returns the first of the named parameters that exists; -1 if there is no such
// parameter.
func (i *rateItem) number(names ...string) int64 {
	for _, name := range names {
		if v, ok := i.params[name]; ok {
			return v
		}
	}
	return -1
}

// maxRates is the maximum number of items of a field that are read.
const maxRates = 10

// rateItems reads `"name";r=1;t=2, "other";r=3` and `limit=1, remaining=2, reset=3`.
func rateItems(fields []string) (list []rateItem) {
	if len(fields) == 0 {
		return nil
	}
	early := rateItem{params: make(map[string]int64)}
	for item := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		head, params, _ := strings.Cut(strings.TrimSpace(item), ";")
		head = strings.TrimSpace(head)
		if name, value, ok := strings.Cut(head, "="); ok {
			if n := first(value); n >= 0 {
				early.params[strings.ToLower(strings.TrimSpace(name))] = n
			}
			continue
		}
		if head == "" || len(list) == maxRates {
			continue
		}
		one := rateItem{name: strings.Trim(head, `"`), params: make(map[string]int64)}
		if n := first(head); n >= 0 { // 100;w=60
			one.name, one.params[""] = "", n
		}
		for param := range strings.SplitSeq(params, ";") {
			if name, value, ok := strings.Cut(param, "="); ok {
				if n := first(value); n >= 0 {
					one.params[strings.TrimSpace(name)] = n
				}
			}
		}
		list = append(list, one)
	}
	if len(early.params) > 0 {
		list = append(list, early)
	}
	return list
}

// first reads the digits at the beginning of a text as a number; -1 if there are no digits.
func first(text string) int64 {
	text = strings.TrimSpace(text)
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == 0 {
		return -1
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// seconds returns a number of seconds from now. Large numbers are Unix times, in seconds or
// milliseconds.
func seconds(n int64, now time.Time) time.Duration {
	if n > 1_000_000_000_000 {
		n /= 1000
	}
	if n > 1_000_000_000 {
		n -= now.Unix()
	}
	return time.Duration(min(max(n, 0), int64(maxReset/time.Second))) * time.Second
}

// Pace counts calls, so that no limit of a document or an answer is exceeded. The zero Pace is
// ready to use. It is safe for concurrent use.
type Pace struct {
	mu      sync.Mutex
	buckets map[bucketKey]*bucket
	held    map[heldKey]time.Time
}

// heldKey identifies a user for whom an origin accepts no call at this time.
type heldKey struct{ origin, who string }

// bucketKey identifies a limit of a tool, or of all tools of an origin.
type bucketKey struct {
	origin, tool string
	n            int64
	per          time.Duration
}

// bucket contains tokens, which return at a constant rate.
type bucket struct {
	tokens float64
	at     time.Time
}

// maxBuckets limits the memory. A full bucket has no effect, so it can be dropped.
const maxBuckets = 4096

// Take counts a call of a tool at an origin on behalf of a user. If one of the limits, or an
// earlier answer to the same user, does not allow the call yet, Take counts nothing and
// returns the time to wait.
func (p *Pace) Take(now time.Time, origin, who, tool string, ofTool, ofService []wayfind.Limit) (wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	holder := heldKey{origin, who}
	if until := p.held[holder]; until.After(now) {
		wait = until.Sub(now)
	} else {
		delete(p.held, holder)
	}
	var list []*bucket
	for _, l := range ofTool {
		list, wait = p.look(now, bucketKey{origin, tool, l.N, l.Per}, list, wait)
	}
	for _, l := range ofService {
		list, wait = p.look(now, bucketKey{origin, "", l.N, l.Per}, list, wait)
	}
	if wait > 0 {
		return wait
	}
	for _, b := range list {
		b.tokens--
	}
	return 0
}

// look refills a bucket up to now. It appends the bucket to list and returns the longer of its
// own waiting time and wait.
func (p *Pace) look(now time.Time, k bucketKey, list []*bucket, wait time.Duration) ([]*bucket, time.Duration) {
	if k.n <= 0 || k.per <= 0 {
		return list, wait
	}
	each := float64(k.per) / float64(k.n)
	b := p.buckets[k]
	if b == nil {
		if p.buckets == nil {
			p.buckets = make(map[bucketKey]*bucket)
		}
		p.forget(now)
		b = &bucket{tokens: float64(k.n), at: now}
		p.buckets[k] = b
	}
	if passed := now.Sub(b.at); passed > 0 {
		b.tokens, b.at = min(float64(k.n), b.tokens+float64(passed)/each), now
	}
	if b.tokens < 1 {
		wait = max(wait, time.Duration((1-b.tokens)*each)+1)
	}
	return append(list, b), wait
}

// forget removes buckets if there are too many: first all full buckets, then any other.
func (p *Pace) forget(now time.Time) {
	if len(p.buckets) < maxBuckets {
		return
	}
	for k, b := range p.buckets {
		if b.tokens+float64(now.Sub(b.at))/(float64(k.per)/float64(k.n)) >= float64(k.n) {
			delete(p.buckets, k)
		}
	}
	for k := range p.buckets {
		if len(p.buckets) < maxBuckets {
			return
		}
		delete(p.buckets, k)
	}
}

// Saw records the rates of an answer. If there is no remaining call, the next call has to
// wait.
func (p *Pace) Saw(now time.Time, origin, who string, rates []Rate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range rates {
		if r.Remaining != 0 || r.Reset <= 0 {
			continue
		}
		if until, holder := now.Add(r.Reset), (heldKey{origin, who}); until.After(p.held[holder]) {
			if p.held == nil || len(p.held) >= maxBuckets {
				p.held = make(map[heldKey]time.Time)
			}
			p.held[holder] = until
		}
	}
}
