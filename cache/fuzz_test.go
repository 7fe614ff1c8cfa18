package cache

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// closed matches lines whose quoted arguments all end (RFC 9110 §5.6.4): only
// such lines may be joined (§5.3).
func closed() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^([^,=]*(=("([^"\\]|\\.)*"[^,]*|[^",][^,]*)?)?(,|$))*$`)
}

// Laws: values are within their range; lines may be joined; case and doubled
// blanks do not matter; a line more never makes a response less restrictive;
// no-store as a member of its own is never lost.
func FuzzDirectives(f *testing.F) {
	for _, s := range []string{
		"", "max-age=60", `no-cache="a, b", max-age="1"`, `private="`, `a="\`, "=,=,", "max-age=1, max-age=2",
		"max-age=999999999999999999999", "no-store, must-understand", `x="y"z, no-store`, `x="no-store`, `x="\"", max-age = 5`,
		"min-fresh=1, max-stale, stale-if-error=3, stale-while-revalidate=4", "\tmax-age=\"6 0\" ,", `a=b="c,d"`,
	} {
		f.Add(s, "no-store")
		f.Add(s, "max-age=5, stale-if-error=x")
		f.Add(s, `x="y"`)
	}
	isClosed := closed()
	f.Fuzz(func(t *testing.T, a, b string) {
		one, both := parseResponse([]string{a}), parseResponse([]string{a, b})
		for _, d := range []time.Duration{both.maxAge, both.staleIfError, both.whileRevalidate} {
			if d < 0 || d > maxDelta*time.Second {
				t.Fatalf("%q, %q: %v", a, b, d)
			}
		}
		if lessRestrictive(&both, &one) {
			t.Fatalf("%q with %q is less restrictive than alone:\n%+v\n%+v", a, b, both, one)
		}
		if !parseResponse([]string{a, "no-store", b}).noStore {
			t.Fatalf("no-store is lost between the lines %q and %q", a, b)
		}
		if isClosed.MatchString(a) {
			if got := parseResponse([]string{a + ", " + b}); got != both {
				t.Fatalf("%q and %q joined: %+v, want %+v", a, b, got, both)
			}
			if parseRequest([]string{a + ", " + b}, nil) != parseRequest([]string{a, b}, nil) {
				t.Fatalf("%q and %q joined are another request", a, b)
			}
			if !parseResponse([]string{a + ", no-store, " + b}).noStore {
				t.Fatalf("no-store is lost between %q and %q", a, b)
			}
		}
		if got := parseResponse([]string{strings.ReplaceAll(a, " ", "  ")}); got != one {
			t.Fatalf("%q with doubled blanks: %+v, want %+v", a, got, one)
		}
		if isASCII(a) {
			upper := []string{strings.ToUpper(a)}
			if got := parseResponse(upper); got != one {
				t.Fatalf("%q in upper case: %+v, want %+v", a, got, one)
			}
			if parseRequest(upper, nil) != parseRequest([]string{a}, nil) {
				t.Fatalf("%q in upper case is another request", a)
			}
		}
	})
}

// lessRestrictive reports whether c allows something that d does not.
func lessRestrictive(c, d *control) bool {
	return d.noStore && !c.noStore || d.noCache && !c.noCache || d.mustRevalidate && !c.mustRevalidate ||
		d.hasMaxAge && c.maxAge > d.maxAge || d.hasStaleIfError && c.staleIfError > d.staleIfError ||
		d.hasWhileRevalidate && c.whileRevalidate > d.whileRevalidate
}

// Laws: a date is read exactly if net/http reads it, and is read back from the form that net/http
// writes; all dates that net/http writes are read. Exceptions: net/http knows neither the leap
// second nor the fifty years of a two-digit year, and writes five digits after the year 9999.
func FuzzDate(f *testing.F) {
	for _, s := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
		"sun, 06 nov 1994 08:49:37 gmt", "0", "", ", ", "Sun, ", "Sat, 29 Feb 2100 00:00:00 GMT",
		"Sunday, 29-Feb-00 08:49:37 GMT", "Thursday, 22-Oct-76 07:28:00 GMT", "Sun Nov 06 08:49:37 1994",
		"Sat, 31 Dec 2016 23:59:60 GMT", "Fri, 31 Dec 9999 23:59:60 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
		"Thu, 18 Aug 2050 2:01:18 GMT", "\tSun, 06 Nov 1994 08:49:37 GMT ",
	} {
		f.Add(s, int64(784111777))
	}
	f.Add("", int64(-62167219200))
	f.Add("", int64(253402300799))
	now := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string, seconds int64) {
		written := time.Unix(seconds, 0).UTC()
		if 0 <= written.Year() && written.Year() <= 9999 {
			if got, ok := parseDate(written.Format(http.TimeFormat), now); !ok || !got.Equal(written) {
				t.Fatalf("%v is read as %v, %v", written, got, ok)
			}
		}
		got, ok := parseDate(s, now)
		if !ok {
			if !got.IsZero() {
				t.Fatalf("%q is invalid and %v", s, got)
			}
			return
		}
		if got.Year() <= 9999 {
			again, ok := parseDate(got.Format(http.TimeFormat), now)
			if !ok || !again.Equal(got) {
				t.Fatalf("%q is %v, which is read back as %v, %v", s, got, again, ok)
			}
		}
		if strings.Contains(s, ":60") {
			return
		}
		want, err := http.ParseTime(strings.ToUpper(strings.Trim(s, " \t")))
		if err != nil {
			t.Fatalf("%q is %v for us and for net/http: %v", s, got, err)
		}
		if strings.Contains(s, "-") { // a year of two digits
			if years := got.Sub(now) / (24 * time.Hour) / 365; years < -50 || years > 50 {
				t.Fatalf("%q is %v, more than 50 years away", s, got)
			}
			want = want.AddDate(got.Year()-want.Year(), 0, 0)
		}
		if !got.Equal(want) {
			t.Fatalf("%q is %v, want %v", s, got, want)
		}
	})
}

// Laws: an older entry is never more usable; no-store, no-cache and
// must-revalidate never make a response more so, nor no-cache and max-age a
// request; lifetimes are within their range.
func FuzzDecide(f *testing.F) {
	for _, response := range []string{
		"", "max-age=60", "max-age=60, must-revalidate", "no-cache", "max-age=60, stale-if-error=10", "max-age=9999999999999",
		"max-age=60, stale-while-revalidate=10", "max-age=60, immutable", "private", "max-age=60, no-store, must-understand",
	} {
		for _, request := range []string{"", "max-age=30", "max-stale", "max-stale=5", "min-fresh=10, max-stale", "no-cache", "stale-if-error=5"} {
			f.Add(response, request, uint16(200), uint32(30), uint32(61), false)
			f.Add(response, request, uint16(302), uint32(65), uint32(59), true)
		}
	}
	f.Fuzz(func(t *testing.T, response, request string, status uint16, first, second uint32, strict bool) {
		opts := Options{Strict: strict}
		e := entry(int(status), header("Cache-Control", response), 0, opts, nil)
		if limit := maxLifetime; e.Lifetime.For < 0 || e.Lifetime.For > maxAge || !strict && e.Lifetime.For > limit {
			t.Fatalf("%q lives for %v", response, e.Lifetime.For)
		}
		d := parseRequest([]string{request}, nil)
		young, old := time.Duration(min(first, second))*time.Second, time.Duration(max(first, second))*time.Second
		if usable(e, &d, old, opts) > usable(e, &d, young, opts) {
			t.Fatalf("%q for %q is more usable at %v than at %v", response, request, old, young)
		}
		if e.mayStandIn(&d, old, 0, strict) && !e.mayStandIn(&d, young, 0, strict) {
			t.Fatalf("%q for %q stands in at %v but not at %v", response, request, old, young)
		}
		for _, more := range []string{"no-store", "no-cache", "must-revalidate"} {
			less := entry(int(status), header("Cache-Control", response, "Cache-Control", more), 0, opts, nil)
			if usable(less, &d, young, opts) > usable(e, &d, young, opts) || less.Storable() && !e.Storable() ||
				less.mayStandIn(&d, young, 0, strict) && !e.mayStandIn(&d, young, 0, strict) {
				t.Fatalf("%q with %s allows %q at %v more than without", response, more, request, young)
			}
		}
		for _, more := range []string{"no-cache", "max-age=10", "max-age=0"} {
			less := parseRequest([]string{request, more}, nil)
			if usable(e, &less, young, opts) > usable(e, &d, young, opts) {
				t.Fatalf("%q for %q with %s at %v is more usable than without", response, request, more, young)
			}
		}
	})
}

// usable ranks the results of decide.
func usable(e *Entry, d *demands, age time.Duration, opts Options) int {
	return map[use]int{useNot: 0, useStale: 1, useRevalidating: 1, useFresh: 2}[e.decide(d, age, opts.Strict)]
}

// Laws: a response answers the request that it came from, unless it varies on everything; matching
// is symmetric; lines may be joined if nothing is quoted.
func FuzzVary(f *testing.F) {
	for _, vary := range []string{"", "X-Y", "x-y, Accept", "*", "Accept, *", ",,", "Cookie"} {
		f.Add(vary, "a, b", "a ,b", "c")
		f.Add(vary, "", "  ", `"a,  b"`)
	}
	f.Fuzz(func(t *testing.T, vary, a, b, c string) {
		of := func(request http.Header) *Entry {
			e := &Entry{}
			e.Header = http.Header{"Vary": {vary}}
			e.setVary(asking(request))
			return e
		}
		request := func(lines ...string) http.Header {
			return http.Header{"X-Y": lines, "Accept": lines, "Cookie": lines}
		}
		x, y := request(a), request(b)
		if e := of(x); e.matches(asking(x)) == e.varyAny {
			t.Fatalf("Vary %q: of %q answers itself: %t", vary, a, e.matches(asking(x)))
		}
		if of(x).matches(asking(y)) != of(y).matches(asking(x)) {
			t.Fatalf("Vary %q: %q and %q match one way", vary, a, b)
		}
		if e := of(request(a, c)); !e.varyAny && !strings.Contains(a+c, `"`) && !e.matches(asking(request(a+" , "+c))) {
			t.Fatalf("Vary %q: %q and %q joined do not match", vary, a, c)
		}
	})
}
