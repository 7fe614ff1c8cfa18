package cache_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// maxDelta is the largest delta-seconds of RFC 9111 §1.2.2: 2^31.
const maxDelta = 1 << 31 * time.Second

// How long a response is fresh, and why. Each row holds in both profiles; the
// product caps at MaxLifetime. Responses have no age when they arrive.
func TestLifetimes(t *testing.T) {
	const (
		maxAge, expires, heuristic = cache.SourceMaxAge, cache.SourceExpires, cache.SourceHeuristic
		noCache, noStore, none     = cache.SourceNoCache, cache.SourceNoStore, cache.SourceNone
	)
	tests := []struct {
		section, name, say string
		want               time.Duration
		source             string
	}{
		{"RFC 9111 §1.2.2 ¶3", "beyond 2^31", "200 x | Cache-Control: max-age=2147483649", maxDelta, maxAge},
		{"RFC 9111 §1.2.2 ¶3", "beyond 2^63", "200 x | Cache-Control: max-age=99999999999999999999", maxDelta, maxAge},
		{"RFC 9111 §1.2.2 ¶1", "leading zeros", "200 x | Cache-Control: max-age=0060", time.Minute, maxAge},
		{"RFC 9111 §4.2.1 ¶2.2", "max-age", "200 x | Cache-Control: max-age=60", time.Minute, maxAge},
		{"RFC 9111 §4.2.1 ¶2.3", "Expires minus Date", "200 x | Date: {+0s} | Expires: {+2m}", 2 * time.Minute, expires},
		{"RFC 9111 §4.2.1 ¶2.3", "by the clock of the origin", "200 x | Date: {+1h} | Expires: {+61m}", time.Minute, expires},
		{"RFC 9111 §4.2.1 ¶2.3", "no Date", "200 x | Expires: {+60s}", time.Minute, expires},
		{"RFC 9110 §6.6.1 ¶7", "invalid Date", "200 x | Date: today | Expires: {+60s}", time.Minute, expires},
		{"RFC 9111 §4.2.1 ¶2.4", "nothing", "200 x", 0, none},
		{"RFC 9111 §4.2.1 ¶4", "the same twice", "200 x | Cache-Control: max-age=60, max-age=60", time.Minute, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "two values", "200 x | Cache-Control: max-age=60, max-age=120", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "two values on two lines", "200 x | Cache-Control: max-age=120 | Cache-Control: max-age=60", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "two Expires", "200 x | Expires: {+60s} | Expires: {+60s}", 0, expires},
		{"RFC 9111 §4.2.1 ¶4", "max-age and no-cache conflict", "200 x | Cache-Control: max-age=60, no-cache", 0, noCache},
		{"RFC 9111 §4.2.1 ¶4", "max-age and no-store conflict", "200 x | Cache-Control: max-age=60, no-store", 0, noStore},
		{"RFC 9111 §4.2.1 ¶4", "a negative max-age", "200 x | Cache-Control: max-age=-1 | Expires: {+60s}", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "words", "200 x | Cache-Control: max-age=one | Expires: {+60s}", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "a decimal", "200 x | Cache-Control: max-age=60.5", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "no argument", "200 x | Cache-Control: max-age", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "nonsense behind digits", "200 x | Cache-Control: max-age=60s", 0, maxAge},
		{"RFC 9111 §4.2.1 ¶4", "nonsense leaves no room for a heuristic", "200 x | Cache-Control: max-age=one | Last-Modified: {-10h}", 0, maxAge},
		{"RFC 9111 §5.3 ¶8", "max-age before Expires", "200 x | Cache-Control: max-age=60 | Expires: {+1h}", time.Minute, maxAge},
		{"RFC 9111 §5.3 ¶8", "also an Expires that is over", "200 x | Cache-Control: max-age=60 | Expires: 0", time.Minute, maxAge},
		{"RFC 9111 §5.3 ¶8", "also when it is zero", "200 x | Cache-Control: max-age=0 | Expires: {+1h}", 0, maxAge},
		{"RFC 9111 §5.3 ¶8", "other directives leave Expires alone", "200 x | Cache-Control: public | Expires: {+60s}", time.Minute, expires},
		{"RFC 9111 §5.3 ¶7", "0", "200 x | Expires: 0 | Last-Modified: {-10h}", 0, expires},
		{"RFC 9111 §5.3 ¶7", "empty", "200 x | Expires: ", 0, expires},
		{"RFC 9111 §5.3 ¶7", "-1", "200 x | Expires: -1", 0, expires},
		{"RFC 9111 §5.3 ¶7", "garbage", "200 x | Expires: garbage | Last-Modified: {-10h}", 0, expires},
		{"RFC 9111 §5.3 ¶7", "RFC 3339", "200 x | Expires: 2099-01-01T00:00:00Z", 0, expires},
		{"RFC 9111 §5.3 ¶7", "one-digit hour", "200 x | Expires: Thu, 18 Aug 2050 2:01:18 GMT", 0, expires},
		{"RFC 9111 §5.3 ¶7", "doubled blank", "200 x | Expires: Thu, 18  Aug 2050 02:01:18 GMT", 0, expires},
		{"RFC 9111 §5.3 ¶1", "the past", "200 x | Expires: {-60s}", 0, expires},
		{"RFC 9111 §5.3 ¶10", "the end of time", "200 x | Expires: Fri, 31 Dec 9999 23:59:59 GMT", maxDelta, expires},
		{"RFC 9111 §4.2 ¶13.1", "any case", "200 x | Expires: sat, 01 jan 2000 00:01:00 gmt", time.Minute, expires},
		{"RFC 9111 §4.2 ¶13.4", "another zone", "200 x | Expires: Sat, 01 Jan 2000 00:01:00 UTC", 0, expires},
		{"RFC 9111 §4.2 ¶13.4", "a numeric zone", "200 x | Expires: Sat, 01 Jan 2000 00:01:00 +0000", 0, expires},
		{"RFC 9110 §5.6.7 ¶4", "RFC 850", "200 x | Expires: Saturday, 01-Jan-00 00:01:00 GMT", time.Minute, expires},
		{"RFC 9110 §5.6.7 ¶4", "asctime", "200 x | Expires: Sat Jan  1 00:01:00 2000", time.Minute, expires},
		{"RFC 9111 §4.2.2 ¶4", "a tenth", "200 x | Date: {+0s} | Last-Modified: {-100m}", 10 * time.Minute, heuristic},
		{"RFC 9111 §4.2.2 ¶4", "capped", "200 x | Last-Modified: {-10000h}", 24 * time.Hour, heuristic},
		{"RFC 9111 §4.2.2 ¶4", "modified in the future", "200 x | Last-Modified: {+1h}", 0, none},
		{"RFC 9111 §4.2.2 ¶4", "modified at no time", "200 x | Last-Modified: yesterday", 0, none},
		{"RFC 9111 §4.2.2 ¶2", "not with an Expires that is over", "200 x | Expires: {-1h} | Last-Modified: {-100m}", 0, expires},
		{"RFC 9111 §4.2.2 ¶2", "not with max-age=0", "200 x | Cache-Control: max-age=0 | Last-Modified: {-100m}", 0, maxAge},
		{"RFC 9111 §4.2.2 ¶2", "not for 302", "302 x | Last-Modified: {-100m}", 0, none},
		{"RFC 9111 §4.2.2 ¶2", "not for 403", "403 x | Last-Modified: {-100m}", 0, none},
		{"RFC 9111 §4.2.2 ¶2", "not for 201", "201 x | Last-Modified: {-100m}", 0, none},
		{"RFC 9111 §5.2.2.9 ¶1", "302 with public", "302 x | Last-Modified: {-100m} | Cache-Control: public", 10 * time.Minute, heuristic},
		{"RFC 9111 §5.2.2.1 ¶3", "zero", "200 x | Cache-Control: max-age=0", 0, maxAge},
		{"RFC 9111 §5.2.2.3 ¶2", "must-understand takes no-store back", "200 x | Cache-Control: max-age=60, no-store, must-understand", time.Minute, maxAge},
		{"RFC 9111 §5.2.2.8 ¶1", "proxy-revalidate is not for us", "200 x | Cache-Control: max-age=60, proxy-revalidate", time.Minute, maxAge},
		{"RFC 9111 §5.2.2.10 ¶3", "s-maxage is not for us", "200 x | Cache-Control: s-maxage=60", 0, none},
		{"RFC 9111 §5.2.2.10 ¶3", "nor against us", "200 x | Cache-Control: s-maxage=0, max-age=60", time.Minute, maxAge},
		{"RFC 9111 §5.2.3 ¶1", "unknown directives", `200 x | Cache-Control: x=max-age=5, y, max-age=60, z="max-age=1, no-store"`, time.Minute, maxAge},
		{"RFC 9111 §5.2 ¶5", "any case", "200 x | Cache-Control: MAX-Age=60", time.Minute, maxAge},
		{"RFC 9111 §5.2 ¶5", "quoted-string form", `200 x | Cache-Control: max-age="60"`, time.Minute, maxAge},
		{"RFC 9111 §5.2 ¶5", "escapes in it", `200 x | Cache-Control: max-age="\60"`, time.Minute, maxAge},
		{"RFC 9111 §5.2 ¶5", "quotes of another kind", `200 x | Cache-Control: max-age='60'`, 0, maxAge},
		{"RFC 9110 §5.6.1 ¶1", "empty members", "200 x | Cache-Control: , ,max-age=60,, ", time.Minute, maxAge},
		{"RFC 9110 §5.3 ¶2", "the second line counts", "200 x | Cache-Control: public | Cache-Control: max-age=60", time.Minute, maxAge},
		{"RFC 9111 §5.4 ¶3", "Pragma means nothing in a response", "200 x | Pragma: no-cache | Cache-Control: max-age=60", time.Minute, maxAge},
		{"RFC 9111 §5.4 ¶3", "also beside Expires", "200 x | Pragma: no-cache | Expires: {+60s}", time.Minute, expires},
	}
	for _, status := range []string{"200", "203", "204", "300", "301", "308", "404", "405", "410", "414", "501"} {
		tests = append(tests, struct {
			section, name, say string
			want               time.Duration
			source             string
		}{"RFC 9110 §15.1 ¶2", status + " by heuristic", status + "  | Last-Modified: {-100m}", 10 * time.Minute, heuristic})
	}
	for _, tt := range tests {
		want := cache.Lifetime{For: tt.want, Source: tt.source, Explicit: tt.source != heuristic && tt.source != none}
		t.Run(tt.section+" "+tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lives(t, tt.say, want, true) })
			want.For = min(want.For, cache.MaxLifetime)
			synctest.Test(t, func(t *testing.T) { lives(t, tt.say, want, false) })
		})
	}
}

// lives checks a lifetime in the entry, and with requests just before its end and at it (RFC 9111
// §4.2 ¶9: fresh while lifetime > age).
func lives(t *testing.T, say string, want cache.Lifetime, strict bool) {
	const tick = time.Nanosecond
	o := &origin{}
	tr := newTransport(t, o, &cache.Options{Strict: strict})
	o.answer = func(int, *http.Request) (*http.Response, error) { return turn{}.answer(say) }
	resp, err := tr.RoundTrip(newRequest(t.Context(), home))
	if err != nil {
		t.Fatal(err)
	}
	e, facts, _ := cache.Of(resp)
	if diff := cmp.Diff(want, e.Lifetime); diff != "" {
		t.Fatalf("strict %t (-want +got):\n%s", strict, diff)
	}
	if left := time.Until(facts.FreshUntil); left != want.For {
		t.Errorf("strict %t: fresh for %v, want %v", strict, left, want.For)
	}
	if want.For > 24*time.Hour {
		return
	}
	if want.For > 0 {
		time.Sleep(want.For - tick)
		get(t, tr, home)
		wantCount(t, "just before the end", o, 1)
		time.Sleep(tick)
	}
	get(t, tr, home)
	wantCount(t, "at the end", o, 2)
}

// Age and Facts have the age of a response.
func TestAges(t *testing.T) {
	tests := []struct {
		section, name, fields string
		delay, wait           time.Duration
		want                  int
	}{
		{"RFC 9111 §4.2.3 ¶5.1", "apparent age", "Date: {-60s}", 0, 0, 60},
		{"RFC 9111 §4.2.3 ¶5.1", "a Date in the future is no age", "Date: {+1h}", 0, 0, 0},
		{"RFC 9111 §4.2.3 ¶5.1", "and does not stop the ageing", "Date: {+1h}", 0, 10 * time.Second, 10},
		{"RFC 9111 §4.2.3 ¶5.2", "Age plus delay", "Date: {+2s} | Age: 10", 2 * time.Second, 0, 12},
		{"RFC 9111 §4.2.3 ¶5.2", "delay alone", "", 2 * time.Second, 0, 2},
		{"RFC 9111 §4.2.3 ¶7", "the larger: Date", "Date: {-60s} | Age: 10", 0, 0, 60},
		{"RFC 9111 §4.2.3 ¶7", "the larger: Age", "Date: {-10s} | Age: 60", 0, 0, 60},
		{"RFC 9111 §4.2.3 ¶11", "resident time is added", "Date: {-60s} | Age: 10", 0, 5 * time.Second, 65},
		{"RFC 9110 §6.6.1 ¶7", "no Date", "", 0, 3 * time.Second, 3},
		{"RFC 9110 §6.6.1 ¶7", "an invalid Date", "Date: yesterday", 0, 3 * time.Second, 3},
		{"RFC 9111 §4.2 ¶13.4", "a Date in another zone is invalid", "Date: Fri, 31 Dec 1999 23:00:00 EST", 0, 3 * time.Second, 3},
		{"RFC 9111 §5.1 ¶4", "the first line", "Age: 5 | Age: 100", 0, 0, 5},
		{"RFC 9111 §5.1 ¶4", "the first member", "Age: 5, 100", 0, 0, 5},
		{"RFC 9111 §5.1 ¶5", "a negative one is ignored", "Age: -5", 0, 1 * time.Second, 1},
		{"RFC 9111 §5.1 ¶5", "a decimal is ignored", "Age: 1.5", 0, 0, 0},
		{"RFC 9111 §5.1 ¶5", "words are ignored", "Age: old", 0, 0, 0},
		{"RFC 9111 §5.1 ¶5", "quotes are ignored", `Age: "5"`, 0, 0, 0},
		{"RFC 9111 §5.1 ¶5", "empty is ignored", "Age: ", 0, 0, 0},
		{"RFC 9111 §5.1 ¶5", "an invalid first member is not made up for", "Age: x, 5", 0, 0, 0},
		{"RFC 9111 §1.2.2 ¶3", "a huge Age is infinity", "Age: 99999999999999999999", 0, time.Hour, 1 << 31},
		{"RFC 9111 §1.2.2 ¶3", "a Date of 1970", "Date: Thu, 01 Jan 1970 00:00:00 GMT", 0, 0, 946684800},
		{"RFC 9111 §1.2.2 ¶3", "a Date of the year 1", "Date: Mon, 01 Jan 0001 00:00:00 GMT", 0, time.Hour, 1 << 31},
		{"RFC 9111 §1.2.2 ¶3", "a Date of 2999", "Date: Tue, 01 Jan 2999 00:00:00 GMT", 0, time.Second, 1},
	}
	for _, tt := range tests {
		t.Run(tt.section+" "+tt.name, func(t *testing.T) {
			for _, strict := range []bool{true, false} {
				synctest.Test(t, func(t *testing.T) {
					o := &origin{}
					tr := newTransport(t, o, &cache.Options{Strict: strict})
					say := "200 x | Cache-Control: max-age=60"
					if tt.fields != "" {
						say += " | " + tt.fields
					}
					turn{say: say, delay: tt.delay}.take(t, tr, o)
					time.Sleep(tt.wait)
					got := turn{ask: "Cache-Control: max-stale"}.take(t, tr, o)
					want := sawHit("x", tt.want)
					if tt.want >= 60 {
						want = sawStale("x", cache.StaleAccepted, tt.want)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("strict %t (-want +got):\n%s", strict, diff)
					}
				})
			}
		})
	}
}
