package cache_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// law is one paragraph of a specification and the conversation that shows
// that it is followed, by a Transport in the strict profile and in virtual
// time.
type law struct {
	section, name string
	talk          []turn
	opts          cache.Options
	rules         *cache.TestRules
}

// rule makes a law of the strict profile.
func rule(section, name string, talk ...turn) law {
	// By RFC 9111 alone, no field separates answers unless Vary names it.
	return law{section, name, talk, cache.Options{Strict: true, Harmless: []string{"X-Y"}}, nil}
}

// under returns the law with other options.
func (l law) under(opts cache.Options) law {
	l.opts = opts
	return l
}

// by returns the law with rules of its own.
func (l law) by(rules *cache.TestRules) law {
	l.rules = rules
	return l
}

// turn is one request of the caller.
//
// Fields are written "Name: value | Name: value", and {-10m} in them is the
// date ten minutes before the turn. An answer is a status, a body of one
// word and fields, "down" for an origin that cannot be reached, or "cut" and
// fields for a body that breaks off.
type turn struct {
	wait   time.Duration // before the request
	method string        // empty: GET
	ask    string        // fields of the request
	say    string        // the origin's answer, line by line; it must not be asked more often
	delay  time.Duration // of each answer
	show   string        // the response field that seen.Field repeats
	want   seen          // the zero value: plainly fetched from the origin
}

// seen contains the effects of a turn at the origin and for the caller.
type seen struct {
	Asked        []string // for each request at the origin, its conditions
	Status       int
	Body         string
	From, Reason string // of Facts
	Age          string // the field
	Field        string // the field that turn.show names, all lines
	Err          string
}

// plain is a request at the origin without conditions.
const plain = "plain"

// errDown is why an origin cannot be reached.
var errDown = errors.New("down")

func sawFetch(body string) seen {
	return seen{Asked: []string{plain}, Status: 200, Body: body, From: cache.FromNetwork}
}

func sawStatus(status int, body string) seen {
	s := sawFetch(body)
	s.Status = status
	return s
}

func sawHit(body string, age int) seen {
	return seen{Status: 200, Body: body, From: cache.FromMemory, Age: strconv.Itoa(age)}
}

func sawValidated(body string, conditions ...string) seen {
	return seen{Asked: []string{strings.Join(conditions, " | ")}, Status: 200, Body: body, From: cache.FromValidated, Age: "0"}
}

// sawStale is a stale response; asked are the requests that were tried.
func sawStale(body, reason string, age int, asked ...string) seen {
	return seen{Asked: asked, Status: 200, Body: body, From: cache.FromStale, Reason: reason, Age: strconv.Itoa(age)}
}

func sawError(asked ...string) seen { return seen{Asked: asked, Err: errDown.Error()} }

// sawTimeout is the answer to only-if-cached without a usable entry.
func sawTimeout() seen { return seen{Status: 504} }

// sawPassed is a response that the cache had no part in.
func sawPassed(status int, body string) seen {
	return seen{Asked: []string{plain}, Status: status, Body: body}
}

// with returns s with the field that is shown.
func (s seen) with(field string) seen {
	s.Field = field
	return s
}

// aged returns s with the given Age field.
func (s seen) aged(age string) seen {
	s.Age = age
	return s
}

// dated returns s with the dates written out.
func (s seen) dated() seen {
	s.Field = dates(s.Field)
	s.Asked = slices.Clone(s.Asked)
	for i, conditions := range s.Asked {
		s.Asked[i] = dates(conditions)
	}
	return s
}

func runLaws(t *testing.T, laws []law) {
	t.Helper()
	for _, l := range laws {
		t.Run(l.section+" "+l.name, func(t *testing.T) {
			synctest.Test(t, l.run)
		})
	}
}

func (l law) run(t *testing.T) {
	o := &origin{}
	over := newTransport(t, o, &l.opts)
	tr := http.RoundTripper(over)
	if l.rules != nil {
		tr = cache.By(over, l.rules)
	}
	for i, u := range l.talk {
		time.Sleep(u.wait)
		want := u.want.dated()
		if cmp.Equal(want, seen{}) {
			r, err := u.answer(u.say)
			if err != nil {
				t.Fatalf("turn %d: an origin that fails needs a want", i+1)
			}
			b, _ := io.ReadAll(r.Body)
			want = sawStatus(r.StatusCode, string(b)).aged(r.Header.Get("Age"))
		}
		if diff := cmp.Diff(want, u.take(t, tr, o)); diff != "" {
			t.Fatalf("turn %d (-want +got):\n%s", i+1, diff)
		}
	}
}

// take sends one request and records its effects.
func (u turn) take(t *testing.T, rt http.RoundTripper, o *origin) (s seen) {
	answers := strings.Split(u.say, "\n")
	if u.say == "" {
		answers = nil
	}
	o.mu.Lock()
	o.asked = nil
	o.answer = func(n int, _ *http.Request) (*http.Response, error) {
		time.Sleep(u.delay)
		if n > len(answers) {
			t.Errorf("the origin was asked %d times, want %d", n, len(answers))
			return nil, errDown
		}
		return u.answer(answers[n-1])
	}
	o.mu.Unlock()
	req := newRequest(t.Context(), home, fieldsOf(u.ask)...)
	req.Method = u.method
	resp, err := rt.RoundTrip(req)
	synctest.Wait()
	for _, asked := range o.asked {
		s.Asked = append(s.Asked, conditionsOf(asked.Header))
		if asked.Method != req.Method {
			t.Errorf("the origin got %q for the caller's %q", asked.Method, req.Method)
		}
	}
	if err != nil {
		s.Err = err.Error()
		return s
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Err = err.Error()
	}
	s.Status, s.Body, s.Age = resp.StatusCode, string(b), strings.Join(resp.Header["Age"], "; ")
	s.Field = strings.Join(resp.Header[http.CanonicalHeaderKey(u.show)], " | ")
	if _, facts, ok := cache.Of(resp); ok {
		s.From, s.Reason = facts.From, facts.StaleReason
		checkFacts(t, resp, facts)
	}
	return s
}

// checkFacts checks properties of every response: Age is equal to the age in Facts, and stale and
// fresh responses are marked as such.
func checkFacts(t *testing.T, resp *http.Response, f cache.Facts) {
	t.Helper()
	if age := fmt.Sprint(int64(f.Age / time.Second)); f.From != cache.FromNetwork && resp.Header.Get("Age") != age {
		t.Errorf("Age: %s, but Facts say %s", resp.Header.Get("Age"), age)
	}
	if fresh := f.FreshUntil.After(time.Now()); f.From == cache.FromMemory && !fresh || f.From == cache.FromStale && fresh {
		t.Errorf("from %s, but fresh until %v at %v", f.From, f.FreshUntil, time.Now())
	}
	if (f.StaleReason != "") != (f.From == cache.FromStale) || f.Collapsed {
		t.Errorf("facts %+v", f)
	}
}

// answer makes the response that the origin gives now.
func (u turn) answer(say string) (*http.Response, error) {
	first, fields, _ := strings.Cut(say, " | ")
	switch first {
	case "down":
		return nil, errDown
	case "cut":
		r := response(200, "half", fieldsOf(fields)...)
		r.ContentLength++
		return r, nil
	}
	status, body, _ := strings.Cut(first, " ")
	n, err := strconv.Atoi(status)
	if err != nil {
		return nil, fmt.Errorf("the test says %q: %w", say, err)
	}
	return response(n, body, fieldsOf(fields)...), nil
}

// fieldsOf reads "Name: value | Name: value" as pairs.
func fieldsOf(s string) (pairs []string) {
	if s == "" {
		return nil
	}
	for field := range strings.SplitSeq(s, " | ") {
		name, value, _ := strings.Cut(field, ":")
		pairs = append(pairs, name, dates(strings.TrimPrefix(value, " ")))
	}
	return pairs
}

// dates replaces {-10m} by the date ten minutes ago.
func dates(value string) string {
	before, rest, ok := strings.Cut(value, "{")
	if !ok {
		return value
	}
	ago, after, _ := strings.Cut(rest, "}")
	d, err := time.ParseDuration(ago)
	if err != nil {
		panic(err)
	}
	return before + time.Now().UTC().Add(d).Format(http.TimeFormat) + dates(after)
}

// conditionsOf writes the conditional fields of a request.
func conditionsOf(h http.Header) string {
	var found []string
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"} {
		for _, value := range h[name] {
			found = append(found, name+": "+value)
		}
	}
	if found == nil {
		return plain
	}
	return strings.Join(found, " | ")
}
