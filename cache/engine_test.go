package cache

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// t0 is when the responses of these tests arrive.
func t0() time.Time { return time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC) }

// at formats a time relative to t0.
func at(d time.Duration) string { return t0().Add(d).Format(http.TimeFormat) }

// header makes a header of pairs.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// entry is what the engine makes of a response that took delay to arrive.
func entry(status int, h http.Header, delay time.Duration, opts Options) *Entry {
	tr := NewTransport(nil, nil, &opts)
	req := httptest.NewRequest(http.MethodGet, "https://example.com/", nil)
	e := newEntry("k", req, &http.Response{StatusCode: status, Header: h}, []byte("body"),
		exchange{sent: t0().Add(-delay), received: t0()})
	tr.finish(req, e)
	return e
}

func TestLifetime(t *testing.T) {
	const day = 24 * time.Hour
	none := Lifetime{Source: SourceNone}
	tests := []struct {
		rule   string
		status int
		header http.Header
		want   Lifetime
	}{
		{"RFC 9111 §4.2.1: max-age", 200, header("Cache-Control", "max-age=60"), Lifetime{For: time.Minute, Source: SourceMaxAge, Explicit: true}},
		{"RFC 9111 §5.3: max-age before Expires", 200, header("Cache-Control", "max-age=60", "Expires", at(time.Hour)), Lifetime{For: time.Minute, Source: SourceMaxAge, Explicit: true}},
		{"RFC 9111 §5.3: also when zero", 200, header("Cache-Control", "max-age=0", "Expires", at(time.Hour)), Lifetime{Source: SourceMaxAge, Explicit: true}},
		{"RFC 9111 §5.3: also when invalid", 200, header("Cache-Control", "max-age=x", "Expires", at(time.Hour)), Lifetime{Source: SourceMaxAge, Explicit: true}},
		{"RFC 9111 §4.2.1: Expires minus Date", 200, header("Date", at(-time.Minute), "Expires", at(time.Minute)), Lifetime{For: 2 * time.Minute, Source: SourceExpires, Explicit: true}},
		{"RFC 9110 §6.6.1: no Date", 200, header("Expires", at(time.Minute)), Lifetime{For: time.Minute, Source: SourceExpires, Explicit: true}},
		{"RFC 9111 §5.3: past", 200, header("Expires", at(-time.Minute)), Lifetime{Source: SourceExpires, Explicit: true}},
		{"RFC 9111 §5.3: zero", 200, header("Expires", "0", "Last-Modified", at(-day)), Lifetime{Source: SourceExpires, Explicit: true}},
		{"RFC 9111 §5.3: empty", 200, header("Expires", ""), Lifetime{Source: SourceExpires, Explicit: true}},
		{"RFC 9111 §5.3: two lines", 200, header("Expires", at(time.Hour), "Expires", at(time.Hour)), Lifetime{Source: SourceExpires, Explicit: true}},
		{"RFC 9111 §5.2.2.4: no-cache", 200, header("Cache-Control", "max-age=60, no-cache"), Lifetime{Source: SourceNoCache, Explicit: true}},
		{"RFC 9111 §5.2.2.5: no-store", 200, header("Cache-Control", "max-age=60, no-store"), Lifetime{Source: SourceNoStore, Explicit: true}},
		{"RFC 9111 §5.2.2.3: must-understand takes no-store back", 200, header("Cache-Control", "max-age=60, no-store, must-understand"), Lifetime{For: time.Minute, Source: SourceMaxAge, Explicit: true}},
		{"RFC 9111 §5.2.2.3: unknown status", 299, header("Cache-Control", "max-age=60, no-store, must-understand"), Lifetime{Source: SourceNoStore, Explicit: true}},
		{"RFC 9111 §4.2.2: heuristic", 200, header("Date", at(0), "Last-Modified", at(-100*time.Minute)), Lifetime{For: 10 * time.Minute, Source: SourceHeuristic}},
		{"RFC 9111 §4.2.2: heuristic is capped", 200, header("Last-Modified", at(-1000*day)), Lifetime{For: day, Source: SourceHeuristic}},
		{"RFC 9111 §4.2.2: modified in the future", 200, header("Last-Modified", at(day)), none},
		{"RFC 9111 §4.2.2: 404 is on the list", 404, header("Last-Modified", at(-10*time.Minute)), Lifetime{For: time.Minute, Source: SourceHeuristic}},
		{"RFC 9111 §4.2.2: 403 is not", 403, header("Last-Modified", at(-day)), none},
		{"RFC 9111 §4.2.2: 302 is not", 302, header("Last-Modified", at(-day)), none},
		{"RFC 9111 §5.2.2.9: public", 302, header("Last-Modified", at(-10*time.Minute), "Cache-Control", "public"), Lifetime{For: time.Minute, Source: SourceHeuristic}},
		{"RFC 9111 §5.2.2.10: s-maxage is for shared caches", 200, header("Cache-Control", "s-maxage=60"), none},
		{"RFC 9111 §4.2.1: nothing", 200, header(), none},
	}
	for _, tt := range tests {
		e := entry(tt.status, tt.header, 0, Options{})
		if diff := cmp.Diff(tt.want, e.Lifetime); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.rule, diff)
		}
	}
}

func TestP098_Lifetimes(t *testing.T) {
	tests := []struct {
		name       string
		header     http.Header
		want       time.Duration
		wantStrict time.Duration
		storable   bool
	}{
		{"huge max-age", header("Cache-Control", "max-age=999999999999"), MaxLifetime, maxDelta * time.Second, true},
		{"negative max-age", header("Cache-Control", "max-age=-1"), 0, 0, true},
		{"two max-age", header("Cache-Control", "max-age=1, max-age=2"), 0, 0, true},
		{"garbage in Expires", header("Expires", "garbage", "Last-Modified", at(-time.Hour)), 0, 0, true},
		{"huge Expires", header("Expires", "Fri, 31 Dec 9999 23:59:59 GMT"), MaxLifetime, maxAge, true},
		{"immutable", header("Cache-Control", "max-age=31536000, immutable"), MaxLifetime, 31536000 * time.Second, true},
		{"Vary: *", header("Cache-Control", "max-age=60", "Vary", "Accept, *"), time.Minute, time.Minute, false},
		{"Vary: User-Agent", header("Cache-Control", "max-age=60", "Vary", "User-Agent"), time.Minute, time.Minute, true},
	}
	for _, tt := range tests {
		e, strict := entry(200, tt.header, 0, Options{}), entry(200, tt.header, 0, Options{Strict: true})
		if e.Lifetime.For != tt.want || strict.Lifetime.For != tt.wantStrict || e.storable() != tt.storable {
			t.Errorf("%s: %v, strict %v, storable %v; want %v, %v, %v", tt.name,
				e.Lifetime.For, strict.Lifetime.For, e.storable(), tt.want, tt.wantStrict, tt.storable)
		}
	}
}

func TestP098_Ages(t *testing.T) {
	tests := []struct {
		rule   string
		header http.Header
		delay  time.Duration
		want   time.Duration // initial
	}{
		{"RFC 9111 §4.2.3: apparent age", header("Date", at(-time.Minute)), 0, time.Minute},
		{"RFC 9111 §4.2.3: Age plus delay", header("Date", at(0), "Age", "10"), 2 * time.Second, 12 * time.Second},
		{"RFC 9111 §4.2.3: the larger", header("Date", at(-time.Minute), "Age", "10"), 0, time.Minute},
		{"RFC 9111 §4.2.3: Date in 2999 is no age", header("Date", "Tue, 01 Jan 2999 00:00:00 GMT"), 0, 0},
		{"RFC 9111 §4.2.3: Date in 1970", header("Date", "Thu, 01 Jan 1970 00:00:00 GMT"), 0, t0().Sub(time.Unix(0, 0))},
		{"RFC 9110 §6.6.1: no Date", header(), 0, 0},
		{"RFC 9110 §6.6.1: invalid Date", header("Date", "yesterday"), 0, 0},
		{"RFC 9111 §1.2.2: huge Age", header("Age", "99999999999999999999"), 0, maxAge},
		{"RFC 9111 §5.1: first member", header("Age", "5, 100"), 0, 5 * time.Second},
		{"RFC 9111 §5.1: first line", header("Age", "5", "Age", "100"), 0, 5 * time.Second},
		{"RFC 9111 §5.1: invalid is ignored", header("Age", "-5"), time.Second, time.Second},
		{"RFC 9111 §5.1: invalid is ignored", header("Age", "1.5"), 0, 0},
	}
	for _, tt := range tests {
		if got := entry(200, tt.header, tt.delay, Options{}).initialAge; got != tt.want {
			t.Errorf("%s: initial age %v, want %v", tt.rule, got, tt.want)
		}
	}
}

// RFC 9111 §4.2.3: resident time is the longer of both clocks.
func TestResidentAge(t *testing.T) {
	e := entry(200, header(), 0, Options{})
	tests := []struct {
		name       string
		wall, mono time.Duration
		want       time.Duration
	}{
		{"both agree", time.Minute, time.Minute, time.Minute},
		{"wall was set back", -time.Hour, time.Minute, time.Minute},
		{"the machine slept", time.Hour, time.Minute, time.Hour},
	}
	for _, tt := range tests {
		if got := e.age(t0().Add(tt.wall), tt.mono); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	restored := Restore(*e)
	if got := restored.age(t0().Add(-30*time.Second), 0); got != 0 {
		t.Errorf("30 s from the future: %v, want 0", got)
	}
	if got := restored.age(t0().Add(-2*time.Minute), 0); got != maxAge {
		t.Errorf("2 min from the future: %v, want stale", got)
	}
}

func TestStorable(t *testing.T) {
	fresh := "max-age=60"
	tests := []struct {
		rule   string
		status int
		header http.Header
		want   bool
	}{
		{"RFC 9111 §3: 200", 200, header(), true},
		{"RFC 9111 §3: 404", 404, header(), true},
		{"RFC 9111 §3: 302 without freshness", 302, header(), false},
		{"RFC 9111 §3: 302 with freshness", 302, header("Cache-Control", fresh), true},
		{"RFC 9111 §3: 503", 503, header(), false},
		{"RFC 9111 §3: 403 with validator only", 403, header("Etag", `"a"`), false},
		{"RFC 9111 §3: unknown status with freshness", 299, header("Cache-Control", fresh), true},
		{"RFC 9111 §3.3: 206", 206, header("Cache-Control", fresh), false},
		{"RFC 9111 §4.3.4: 304", 304, header("Cache-Control", fresh), false},
		{"RFC 9111 §5.2.2.5: no-store", 200, header("Cache-Control", fresh+", no-store"), false},
		{"RFC 9111 §5.2.2.7: private", 403, header("Cache-Control", "private"), true},
		{"RFC 9111 §5.2.2.4: no-cache with validator", 200, header("Cache-Control", "no-cache", "Etag", `"a"`), true},
		{"RFC 9111 §4.2: max-age=0", 200, header("Cache-Control", "max-age=0"), true},
	}
	for _, tt := range tests {
		e := entry(tt.status, tt.header, 0, Options{})
		if got := e.storable(); got != tt.want {
			t.Errorf("%s: storable %v, want %v", tt.rule, got, tt.want)
		}
		if got := e.retain(0); got < Retention {
			t.Errorf("%s: retained for %v, want at least %v", tt.rule, got, Retention)
		}
	}
}

func TestDecide(t *testing.T) {
	const s = time.Second
	tests := []struct {
		rule, response, request string
		age                     time.Duration
		want                    use
	}{
		{"RFC 9111 §4.2: fresh", "max-age=60", "", 59 * s, useFresh},
		{"RFC 9111 §4.2: lifetime > age", "max-age=60", "", 60 * s, useNot},
		{"RFC 9111 §5.2.2.4: no-cache", "max-age=60, no-cache", "", 0, useNot},
		{"RFC 9111 §5.2.1.1: younger", "max-age=60", "max-age=30", 30 * s, useFresh},
		{"RFC 9111 §5.2.1.1: older", "max-age=60", "max-age=30", 31 * s, useNot},
		{"RFC 9111 §5.2.1.1: zero", "max-age=60", "max-age=0", 0, useNot},
		{"RFC 9111 §5.2.1.2: any staleness", "max-age=60", "max-stale", 600 * s, useStale},
		{"RFC 9111 §5.2.1.2: within", "max-age=60", "max-stale=10", 70 * s, useStale},
		{"RFC 9111 §5.2.1.2: beyond", "max-age=60", "max-stale=10", 71 * s, useNot},
		{"RFC 9111 §5.2.2.2: must-revalidate wins", "max-age=60, must-revalidate", "max-stale", 61 * s, useNot},
		{"RFC 9111 §5.2.2.4: no-cache wins", "no-cache", "max-stale", 61 * s, useNot},
		{"RFC 9111 §5.2.1.3: fresh for long enough", "max-age=60", "min-fresh=10", 50 * s, useFresh},
		{"RFC 9111 §5.2.1.3: not", "max-age=60", "min-fresh=10", 51 * s, useNot},
		{"RFC 9111 §5.2.1.4: no-cache", "max-age=60", "no-cache", 0, useNot},
		{"RFC 8246 §2: immutable", "max-age=60, immutable", "no-cache", 0, useFresh},
		{"RFC 8246 §2: immutable, insisting", "max-age=60, immutable", "no-cache, max-age=0", 0, useNot},
		{"RFC 8246 §2: immutable, stale", "max-age=60, immutable", "no-cache", 60 * s, useNot},
	}
	for _, tt := range tests {
		e := entry(200, header("Cache-Control", tt.response), 0, Options{})
		d := parseRequest([]string{tt.request}, nil)
		if got := e.decide(&d, tt.age, false); got != tt.want {
			t.Errorf("%s: %q for %q at %v: %v, want %v", tt.rule, tt.response, tt.request, tt.age, got, tt.want)
		}
	}
}

// An obligation is obeyed whatever directives say; a floor is no freshness.
func TestDecideObligation(t *testing.T) {
	overlay := func(*http.Request, *Entry, Lifetime) Lifetime {
		return Lifetime{For: 24 * time.Hour, Source: "negative", Obligation: true}
	}
	e := entry(404, header("Cache-Control", "no-cache"), 0, Options{Overlay: overlay})
	for _, request := range []string{"", "no-cache", "max-age=0", "no-store"} {
		d := parseRequest([]string{request}, nil)
		if got := e.decide(&d, 23*time.Hour, true); got != useFresh {
			t.Errorf("request %q inside the obligation: %v, want fresh", request, got)
		}
		if got := e.decide(&d, 24*time.Hour, true); got != useNot {
			t.Errorf("request %q after the obligation: %v, want revalidation", request, got)
		}
	}
}

func TestMayStandIn(t *testing.T) {
	tests := []struct {
		rule, response string
		age, fallback  time.Duration
		want           bool
	}{
		{"RFC 5861 §4: window begins at expiry", "max-age=60, stale-if-error=10", 70 * time.Second, 0, true},
		{"RFC 5861 §4: beyond", "max-age=60, stale-if-error=10", 71 * time.Second, time.Hour, false},
		{"RFC 5861 §4: zero is a word", "max-age=60, stale-if-error=0", 61 * time.Second, time.Hour, false},
		{"RFC 9111 §4.2.4: none by default", "max-age=60", 61 * time.Second, 0, false},
		{"RFC 9111 §4.2.4: configured", "max-age=60", 61 * time.Second, time.Hour, true},
		{"RFC 9111 §5.2.2.2: must-revalidate wins", "max-age=60, stale-if-error=10, must-revalidate", 61 * time.Second, time.Hour, false},
		{"RFC 9111 §5.2.2.4: no-cache wins", "no-cache, stale-if-error=10", time.Second, time.Hour, false},
	}
	for _, tt := range tests {
		e := entry(200, header("Cache-Control", tt.response), 0, Options{})
		if got := e.mayStandIn(tt.age, tt.fallback); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.rule, got, tt.want)
		}
	}
}
