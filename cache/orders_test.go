package cache_test

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// scene is one run: a resource with versions, and what its readers have seen.
type scene struct {
	*testing.T
	*crossing
	version version
	header  []string
	streams bool // a body comes in parts
	tr      *cache.Transport

	seen  sync.Mutex
	floor int64 // no answer to a GET that begins now may be older
}

// RoundTrip is the origin: it stops before a change and before it answers.
func (s *scene) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost {
		s.at("origin changes")
		s.version.raise()
		s.at("origin answers: POST")
		return response(200, ""), nil
	}
	n := s.version.raised.Load()
	s.at("origin answers: GET v" + strconv.FormatInt(n+1, 10))
	date := time.Now().Add(time.Duration(n) * time.Second).UTC().Format(http.TimeFormat)
	resp := response(200, s.text(n), append([]string{"Date", date}, s.header...)...)
	resp.Request = req
	if text := s.text(n); s.streams {
		resp.Body, resp.ContentLength = &stopping{s.crossing, "origin sends: GET " + text, []string{text[:1], text[1:]}}, -1
	}
	return resp, nil
}

func (*scene) text(n int64) string { return "v" + strconv.FormatInt(n+1, 10) }

// least raises the floor, as far as it is lower.
func (s *scene) least(n int64) {
	s.seen.Lock()
	defer s.seen.Unlock()
	s.floor = max(s.floor, n)
}

func (s *scene) begin() int64 {
	s.seen.Lock()
	defer s.seen.Unlock()
	return s.floor
}

// get sends a request and checks the law: the answer is not older than the result of an unsafe
// request, or the answer to an earlier GET, from before this one began.
func (s *scene) get(header ...string) {
	floor := s.begin()
	got := get(s.T, s.tr, home, header...)
	n, err := strconv.ParseInt(strings.TrimPrefix(got.Body, "v"), 10, 64)
	if err != nil || n-1 < floor {
		s.Errorf("a GET %q was answered %+v, and v%d was known when it began", header, got, floor+1)
	}
	s.least(n - 1)
}

// loosely is get for an answer without obligations: the next one may be stale, or of another
// variant.
func (s *scene) loosely(header ...string) {
	floor := s.begin()
	if got := get(s.T, s.tr, home, header...); got.Body < s.text(floor) {
		s.Errorf("a GET %q was answered %+v, and v%d was known when it began", header, got, floor+1)
	}
}

// post changes the resource: its result is newer than all answers before it.
func (s *scene) post() {
	before := s.version.raised.Load()
	post(s.Context(), s.T, s.tr)
	s.least(before + 1)
}

func (s *scene) invalidate() {
	s.version.raise()
	n := s.version.raised.Load()
	if err := s.tr.Purge(s.Context(), cache.OfURL(newRequest(s.Context(), home).URL)); err != nil {
		s.Error(err)
	}
	s.least(n)
}

// run prepares with nothing stopping, lets the actors run in the order of the
// choices, and asks once more at the end.
func (s *scene) run(prepare func(), actors ...func()) {
	s.open = true
	prepare()
	synctest.Wait()
	s.mu.Lock()
	s.open = false
	s.mu.Unlock()
	s.ordered = ordered(len(actors))
	var wg sync.WaitGroup
	for _, actor := range actors {
		wg.Go(actor)
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	for over := false; !over; {
		synctest.Wait()
		time.Sleep(time.Millisecond)
		if s.release() {
			continue
		}
		select {
		case <-ended:
			over = true
		default:
			time.Sleep(time.Second) // one waits for a time
		}
	}
	s.mu.Lock()
	s.open = true
	s.mu.Unlock()
	s.get()
	if s.Failed() {
		s.Logf("the order %v:\n%s", s.choices, strings.Join(s.log, "\n"))
	}
}

// orders runs a scene in every order of its first events; under the race detector, in the first
// hundred.
func orders(t *testing.T, header []string, store func(*testing.T, *crossing) cache.Store, act func(*scene)) {
	runs, most := 0, math.MaxInt
	if testkit.Stride() > 1 {
		most = 100
	}
	for choices := []int{}; choices != nil && runs < most; runs++ {
		c := &crossing{choices: choices}
		synctest.Test(t, func(t *testing.T) {
			s := &scene{T: t, crossing: c, header: header}
			s.tr = newTransportOver(t, store(t, c), s, &cache.Options{Strict: true})
			act(s)
		})
		choices = c.next()
	}
	t.Logf("%d orders", runs)
	if runs < 10 {
		t.Error("too few orders: the calls do not cross")
	}
}

// TestNoOrderOfStepsGivesAnOlderResponse: for any order of the steps of a GET, a POST, a renewal in
// the background, a promotion from a far store and a deletion, no response that began after a
// successful unsafe answer is older than it, and none is older than one that was seen before it
// began.
func TestNoOrderOfStepsGivesAnOlderResponse(t *testing.T) {
	near := func(t *testing.T, c *crossing) cache.Store {
		c.near = newStore(t)
		return nearCrossed{crossed{c.near, c, "near"}}
	}
	layered := func(t *testing.T, c *crossing) cache.Store {
		far := farCrossed{crossed{newRemote(t), c, "far"}}
		return newLayered(t, near(t, c), far)
	}
	purging := func(t *testing.T, c *crossing) cache.Store {
		return purgeCrossed{near(t, c).(nearCrossed)}
	}
	fails := func(deletes bool) func(*testing.T, *crossing) cache.Store {
		return func(t *testing.T, c *crossing) cache.Store { return failCrossed{near(t, c).(nearCrossed), deletes} }
	}
	nothing := func() {}
	// The answers of the two callers are kept separately: a GET of one has no consequence for the
	// other.
	partitions := func(s *scene) {
		s.run(func() { s.loosely("Cookie", "a"); s.loosely("Cookie", "b") },
			func() { s.loosely("Cookie", "a", "Cache-Control", "no-cache"); s.loosely("Cookie", "b") },
			func() { s.post(); s.loosely("Cookie", "b"); s.loosely("Cookie", "a") })
	}
	reload := func(s *scene) {
		s.run(s.get2, func() { s.get("Cache-Control", "no-cache"); s.get() }, func() { s.post(); s.get() })
	}
	streams := func(s *scene) {
		s.streams = true
		s.run(nothing, func() { s.get(); s.get() }, func() { s.post(); s.get() })
	}
	fresh := []string{"Cache-Control", "max-age=600"}
	for _, tt := range []struct {
		name   string
		header []string
		store  func(*testing.T, *crossing) cache.Store
		act    func(*scene)
	}{
		{"a GET and a POST", fresh, near, func(s *scene) {
			s.run(nothing, func() { s.get(); s.get() }, func() { s.post(); s.get() })
		}},
		{"two POSTs", fresh, near, func(s *scene) {
			s.run(nothing, func() { s.post(); s.get() }, func() { s.post(); s.get() }, s.get2)
		}},
		{"a stored answer", fresh, near, func(s *scene) {
			s.run(s.get2, func() { s.get("Cache-Control", "no-cache"); s.get() }, func() { s.post(); s.get() })
		}},
		{"reloads", fresh, near, func(s *scene) {
			// One that accepts a stream has a flight of its own.
			reload := func() { s.get("Cache-Control", "no-cache", "Accept", "text/event-stream"); s.get() }
			s.run(nothing, reload, reload, func() { s.at("change"); s.version.raise() })
		}},
		{"variants", append([]string{"Vary", "Accept-Language"}, fresh...), near, func(s *scene) {
			s.run(func() { s.loosely("Accept-Language", "de") },
				func() { s.loosely("Accept-Language", "en"); s.loosely("Accept-Language", "de") }, func() { s.post(); s.loosely("Accept-Language", "de") })
		}},
		{"a renewal in the background", []string{"Cache-Control", "max-age=3, stale-while-revalidate=600"}, near, func(s *scene) {
			s.run(func() { s.get(); time.Sleep(4 * time.Second) }, func() { s.loosely(); s.loosely() }, func() { s.post(); s.loosely() })
		}},
		{"a deletion", fresh, near, func(s *scene) {
			s.run(s.get2, func() { s.get(); s.get() }, func() { s.invalidate(); s.get() }, func() { s.get("Cache-Control", "no-cache") })
		}},
		{"a far store", fresh, layered, func(s *scene) {
			s.run(nothing, func() { s.get(); s.get() }, func() { s.post(); s.get() })
		}},
		{"a promotion", fresh, layered, func(s *scene) {
			s.run(s.onlyFar, func() { s.get(); s.get() }, func() { s.post(); s.get() })
		}},
		{"a promotion and a deletion", fresh, layered, func(s *scene) {
			s.run(s.onlyFar, func() { s.get(); s.get() }, func() { s.invalidate(); s.get() })
		}},
		{"partitions", fresh, purging, partitions},
		{"partitions, a store without Purge", fresh, near, partitions},
		{"a purge", fresh, purging, reload},
		{"a stream", fresh, purging, streams},
		{"a stream that is shared with nobody", []string{"Cache-Control", "no-cache"}, near, streams},
		{"a stream behind an old answer", []string{"Cache-Control", "max-age=1, stale-if-error=600"}, purging, func(s *scene) {
			s.streams = true
			s.run(func() { s.get(); time.Sleep(2 * time.Second) }, func() { s.get(); s.get() }, func() { s.post(); s.get() })
		}},
		{"a stream before a far store", fresh, layered, streams},
		{"partitions before a far store", fresh, layered, partitions},
		{"writes that fail", fresh, fails(true), reload},
		{"writes and deletions that fail", fresh, fails(false), reload},
	} {
		t.Run(tt.name, func(t *testing.T) { orders(t, tt.header, tt.store, tt.act) })
	}
}

func (s *scene) get2() { s.get(); s.get() }

// onlyFar leaves a stored answer to the far store.
func (s *scene) onlyFar() {
	s.get()
	resp, err := s.tr.RoundTrip(newRequest(s.Context(), home))
	if err != nil {
		s.Fatal(err)
	}
	e, _, _ := cache.Of(resp)
	if err := s.near.Delete(s.Context(), e.Key); err != nil {
		s.Fatal(err)
	}
}
