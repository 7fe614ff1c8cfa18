package cache

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseResponse(t *testing.T) {
	const s = time.Second
	tests := []struct {
		rule  string
		lines []string
		want  control
	}{
		{"RFC 9111 §5.2: none", nil, control{}},
		{"RFC 9111 §5.2: case", []string{"MAX-AGE=60, No-Store, pUBLIC"}, control{hasMaxAge: true, maxAge: 60 * s, noStore: true, public: true}},
		{"RFC 9110 §5.3: all lines", []string{"public", "max-age=60", "no-cache"}, control{public: true, hasMaxAge: true, maxAge: 60 * s, noCache: true}},
		{"RFC 9111 §5.2: quoted argument", []string{`max-age="60"`}, control{hasMaxAge: true, maxAge: 60 * s}},
		{"RFC 9110 §5.6.4: quoted comma", []string{`no-cache="a, no-store", private="x\", no-store"`}, control{noCache: true, private: true}},
		{"RFC 9110 §5.6.4: quotes not closed", []string{`private="a, no-store`}, control{private: true, noStore: true}},
		{"RFC 9110 §5.6.1: empty members", []string{" , ,max-age=1,, ", ""}, control{hasMaxAge: true, maxAge: s}},
		{"RFC 9111 §5.2.3: unknown directives", []string{"x=y, z, max-age=1, a=\"b\"c"}, control{hasMaxAge: true, maxAge: s}},
		{"RFC 9111 §4.2.1: same twice", []string{"max-age=5, max-age=5"}, control{hasMaxAge: true, maxAge: 5 * s}},
		{"RFC 9111 §4.2.1: two values", []string{"max-age=1, max-age=2"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: two values, two lines", []string{"max-age=2", "max-age=1"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: negative", []string{"max-age=-1"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: words", []string{"max-age=one"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: empty", []string{"max-age="}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: no argument", []string{"max-age"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: decimal", []string{"max-age=1.5"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: single quotes", []string{"max-age='60'"}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: behind the quotes", []string{`max-age="1"0`}, control{hasMaxAge: true}},
		{"RFC 9111 §4.2.1: sign", []string{"max-age=+1"}, control{hasMaxAge: true}},
		{"RFC 9111 §1.2.2: overflow", []string{"max-age=999999999999999999999999"}, control{hasMaxAge: true, maxAge: maxDelta * s}},
		{"RFC 9111 §1.2.2: leading zeros", []string{"max-age=0060"}, control{hasMaxAge: true, maxAge: 60 * s}},
		{"RFC 9111 §5.2.2.4: no-cache with fields is no-cache", []string{`no-cache="set-cookie"`}, control{noCache: true}},
		{"RFC 9111 §5.2.2.10: s-maxage is not for us", []string{"s-maxage=60"}, control{}},
		{"RFC 5861 §4", []string{"stale-if-error=7"}, control{hasStaleIfError: true, staleIfError: 7 * s}},
		{"RFC 8246", []string{"immutable, must-revalidate, must-understand"}, control{immutable: true, mustRevalidate: true, mustUnderstand: true}},
	}
	for _, tt := range tests {
		got := parseResponse(tt.lines)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(control{})); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", tt.rule, tt.lines, diff)
		}
	}
}

func TestParseRequest(t *testing.T) {
	const s = time.Second
	tests := []struct {
		rule          string
		lines, pragma []string
		want          demands
	}{
		{"RFC 9111 §5.2.1: none", nil, nil, demands{maxAge: -1, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.2.1.1", []string{"max-age=3"}, nil, demands{maxAge: 3 * s, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.2.1.1: shortest", []string{"max-age=3, max-age=2"}, nil, demands{maxAge: 2 * s, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.2.1.1: nonsense is zero", []string{"max-age=x"}, nil, demands{maxAge: 0, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.2.1.2: any", []string{"max-stale"}, nil, demands{maxAge: -1, minFresh: -1, maxStale: maxDelta * s}},
		{"RFC 9111 §5.2.1.2: limited", []string{"max-stale=4"}, nil, demands{maxAge: -1, minFresh: -1, maxStale: 4 * s}},
		{"RFC 9111 §5.2.1.2: nonsense is none", []string{"max-stale=x"}, nil, demands{maxAge: -1, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.2.1.3", []string{"min-fresh=5"}, nil, demands{maxAge: -1, minFresh: 5 * s, maxStale: -1}},
		{"RFC 9111 §5.2.1.4-7", []string{"no-cache, NO-STORE", "only-if-cached"}, nil, demands{noCache: true, noStore: true, onlyIfCached: true, maxAge: -1, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.4: Pragma alone", nil, []string{"no-cache"}, demands{noCache: true, maxAge: -1, minFresh: -1, maxStale: -1}},
		{"RFC 9111 §5.4: Pragma beside", []string{"min-fresh=1"}, []string{"no-cache"}, demands{maxAge: -1, minFresh: s, maxStale: -1}},
	}
	for _, tt := range tests {
		got := parseRequest(tt.lines, tt.pragma)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(demands{})); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", tt.rule, tt.lines, diff)
		}
	}
}

// Laws: lifetimes are within their range; a line more never makes a response
// less restrictive; case does not matter.
func FuzzParseResponse(f *testing.F) {
	for _, s := range []string{
		"", "max-age=60", `no-cache="a, b", max-age="1"`, `private="`, `a="\`, "=,=,", "max-age=1, max-age=2",
		"max-age=999999999999999999999", "no-store, must-understand", `x="y"z, no-store`,
	} {
		f.Add(s, "no-store")
		f.Add(s, "max-age=5")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		one, both := parseResponse([]string{a}), parseResponse([]string{a, b})
		for _, d := range []time.Duration{one.maxAge, both.maxAge, one.staleIfError, both.staleIfError} {
			if d < 0 || d > maxDelta*time.Second {
				t.Fatalf("%q, %q: %v", a, b, d)
			}
		}
		if one.noStore && !both.noStore || one.noCache && !both.noCache || one.mustRevalidate && !both.mustRevalidate ||
			one.hasMaxAge && both.maxAge > one.maxAge {
			t.Fatalf("%q with %q is less restrictive than alone:\n%+v\n%+v", a, b, both, one)
		}
		if isASCII(a) {
			if got := parseResponse([]string{strings.ToUpper(a)}); got != one {
				t.Fatalf("%q in upper case: %+v, want %+v", a, got, one)
			}
		}
	})
}
