package cache_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// jumping is a clock whose wall is ahead of the bubble's and whose monotonic
// time may lag behind it.
type jumping struct{ ahead, lag atomic.Int64 } // nanoseconds; work in the background reads the clock too

func (j *jumping) clock() *clock.Clock {
	began := time.Now()
	return clock.New(
		func() time.Time { return time.Now().Add(time.Duration(j.ahead.Load())) },
		func() time.Duration { return time.Since(began) - time.Duration(j.lag.Load()) },
	)
}

// profiles runs a test in the product's profile and in Strict, each in a
// bubble of its own.
func profiles(t *testing.T, f func(t *testing.T, strict bool)) {
	t.Helper()
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprintf("strict=%t", strict), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, strict) })
		})
	}
}

// A jump of the wall clock never makes an entry younger, nor keeps
// it from ever being fresh again.
func TestAJumpOfTheWallClockMakesNoEntryYounger(t *testing.T) {
	fresh, asked := result{200, "x", cache.FromMemory, ""}, result{200, "x", cache.FromValidated, ""}
	tests := []struct {
		name string
		jump time.Duration
		want result // half a lifetime after the jump
	}{
		{"a day back", -day, fresh},
		{"ten years back", -10 * year, fresh},
		{"end of summer time", -time.Hour, fresh},
		{"a leap second", -time.Second, fresh},
		{"a second forward", time.Second, fresh},
		{"a day forward", day, asked},
		{"ten years forward", 10 * year, asked},
		{"290 years forward", 290 * year, asked},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			profiles(t, func(t *testing.T, strict bool) {
				j := &jumping{}
				o := script(say(200, "x", "Cache-Control", "max-age=60", "Etag", `"1"`), say(304, ""))
				tr := newTransport(t, o, &cache.Options{Strict: strict})
				tr.SetClock(j.clock())
				get(t, tr, home)
				j.ahead.Store(int64(tt.jump))
				time.Sleep(30 * time.Second)
				want(t, "after the jump", get(t, tr, home), tt.want)
				time.Sleep(31 * time.Second)
				want(t, "a lifetime after the first answer", get(t, tr, home), map[bool]result{true: asked, false: fresh}[tt.want == fresh])
				j.ahead.Store(0)
				get(t, tr, home)
				n := o.count()
				time.Sleep(28 * time.Second)
				want(t, "set right again", get(t, tr, home), fresh)
				wantCount(t, "set right again", o, n)
			})
		})
	}
}

// A machine that slept has not kept its entries fresh.
func TestEntriesAgeWhileTheMachineSleeps(t *testing.T) {
	profiles(t, func(t *testing.T, strict bool) {
		j := &jumping{}
		tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=60"), &cache.Options{Strict: strict})
		tr.SetClock(j.clock())
		get(t, tr, home)
		time.Sleep(time.Hour)
		j.lag.Store(int64(time.Hour))
		want(t, "after an hour's sleep", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
	})
}

// An entry of another process is stale if its time is in the future of our clock; otherwise our
// clock determines its age.
func TestEntriesOfAnotherProcessAgeByTheWallClock(t *testing.T) {
	const fresh, asked = "disk", cache.FromValidated
	for _, tt := range []struct {
		ahead, age time.Duration
		want       string
	}{
		{0, 0, fresh}, {-60 * time.Second, 0, fresh}, {-61 * time.Second, 0, asked}, {-day, 0, asked}, {-290 * year, 0, asked},
		{59 * time.Second, 59 * time.Second, fresh}, {60 * time.Second, 0, asked}, {10 * year, 0, asked}, {290 * year, 0, asked},
	} {
		t.Run(fmt.Sprint(tt.ahead), func(t *testing.T) {
			profiles(t, func(t *testing.T, strict bool) {
				store := newWritten()
				o := script(say(200, "x", "Cache-Control", "max-age=60", "Etag", `"1"`), say(304, ""))
				first := cache.NewTransport(store, o, &cache.Options{Strict: strict})
				defer first.Close()
				get(t, first, home)
				j := &jumping{}
				j.ahead.Store(int64(tt.ahead))
				second := cache.NewTransport(store, o, &cache.Options{Strict: strict})
				second.SetClock(j.clock())
				defer second.Close()
				resp, err := second.RoundTrip(newRequest(t.Context(), home))
				if err != nil {
					t.Fatal(err)
				}
				if _, facts, _ := cache.Of(resp); facts.From != tt.want || facts.Age != tt.age {
					t.Errorf("from %s at age %v, want %s at %v", facts.From, facts.Age, tt.want, tt.age)
				}
			})
		})
	}
}

// Setting the clock back does not open a floor, and setting it
// forward does not close it for ever.
func TestMovingTheClockOpensNoFloorAndHoldsNoneForEver(t *testing.T) {
	for _, jump := range []time.Duration{-day, -10 * year, day, 10 * year} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := &jumping{}
				g := newGate(nil, always(200, "x"), &gateOptions{Floor: hourly, Clock: j.clock()})
				if err := ask(t, g, home); err != nil {
					t.Fatal(err)
				}
				j.ahead.Store(int64(jump))
				time.Sleep(59 * time.Minute)
				var held *cache.HeldError
				if err := ask(t, g, home); jump < 0 && !errors.As(err, &held) {
					t.Errorf("inside the hour: %v, want a refusal", err)
				}
				j.ahead.Store(0)
				time.Sleep(61 * time.Minute)
				if err := ask(t, g, home); err != nil {
					t.Errorf("after the hour: %v", err)
				}
			})
		})
	}
}

// Skewed and senseless Date and Age never make a response younger
// than its stay here, nor eternal.
func TestSkewedDatesAndAgesMakeNothingYoungerOrEternal(t *testing.T) {
	tests := []struct {
		name, fields string
		left         time.Duration // of a lifetime of a minute, at arrival
	}{
		{"ten years ahead", "Date: {+87600h}", time.Minute},
		{"ten years behind", "Date: {-87600h}", 0},
		{"Date of 2999", "Date: Tue, 01 Jan 2999 00:00:00 GMT", time.Minute},
		{"Date of 1970", "Date: Thu, 01 Jan 1970 00:00:00 GMT", 0},
		{"Date of 9999", "Date: Fri, 31 Dec 9999 23:59:59 GMT", time.Minute},
		{"a little behind", "Date: {-20s}", 40 * time.Second},
		{"Age negative", "Age: -9223372036854775808", time.Minute},
		{"Age beyond 2^63", "Age: 9223372036854775808", 0},
		{"Age beyond 2^64", "Age: 18446744073709551626", 0},
		{"Age of nonsense", "Age: NaN", time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			profiles(t, func(t *testing.T, strict bool) {
				o := &origin{}
				tr := newTransport(t, o, &cache.Options{Strict: strict})
				u := turn{say: `200 x | Cache-Control: max-age=60 | Etag: "1" | ` + tt.fields}
				u.take(t, tr, o)
				if tt.left > 0 {
					time.Sleep(tt.left - time.Nanosecond)
					if got := (turn{}).take(t, tr, o); got.From != cache.FromMemory {
						t.Errorf("just before the end: %+v", got)
					}
					time.Sleep(time.Nanosecond)
				}
				got := turn{say: "304 | Date: {+0s} | Age: 0"}.take(t, tr, o)
				if diff := cmp.Diff(sawValidated("x", `If-None-Match: "1"`), got); diff != "" {
					t.Errorf("at the end (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A response without any caching field is not fresh because its Date lies in
// the future: lifetime 0 is greater than a negative age.
func TestADateInTheFutureIsNoFreshness(t *testing.T) {
	profiles(t, func(t *testing.T, strict bool) {
		o := &origin{}
		tr := newTransport(t, o, &cache.Options{Strict: strict})
		u := turn{say: "200 x | Date: {+87600h}"}
		for range 2 {
			if diff := cmp.Diff(sawFetch("x"), u.take(t, tr, o)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

// An origin sends unusual values about freshness.
func TestUnusualFreshnessIsReadWithCaution(t *testing.T) {
	tests := []struct {
		name, fields    string
		product, strict time.Duration // how long the response is fresh
	}{
		{"a max-age of ages", "Cache-Control: max-age=999999999999", cache.MaxLifetime, maxDelta},
		{"a negative max-age", "Cache-Control: max-age=-1", 0, 0},
		{"two of them", "Cache-Control: max-age=1, max-age=2", 0, 0},
		{"an Expires of garbage", "Expires: garbage | Last-Modified: {-100h}", 0, 0},
		{"an Expires of 9999", "Expires: Fri, 31 Dec 9999 23:59:59 GMT", cache.MaxLifetime, maxDelta},
		{"a huge Age", "Cache-Control: max-age=60 | Age: 99999999999999999999", 0, 0},
		{"a Date of 1970", "Cache-Control: max-age=60 | Date: Thu, 01 Jan 1970 00:00:00 GMT", 0, 0},
		{"a Date of 2999", "Cache-Control: max-age=60 | Date: Tue, 01 Jan 2999 00:00:00 GMT", time.Minute, time.Minute},
		{"an Expires before a Date of 2999", "Expires: {+1h} | Date: Tue, 01 Jan 2999 00:00:00 GMT", 0, 0},
		{"immutable for a year", "Cache-Control: max-age=31536000, immutable", cache.MaxLifetime, year},
		{"immutable alone", "Cache-Control: immutable", 0, 0},
		{"Vary: *", "Cache-Control: max-age=60 | Vary: *", 0, 0},
		{"Vary: User-Agent", "Cache-Control: max-age=60 | Vary: User-Agent", time.Minute, time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			profiles(t, func(t *testing.T, strict bool) {
				fresh := tt.product
				if strict {
					fresh = tt.strict
				}
				o := &origin{}
				tr := newTransport(t, o, &cache.Options{Strict: strict})
				u := turn{say: "200 x | " + tt.fields}
				u.take(t, tr, o)
				if fresh > 0 {
					time.Sleep(min(fresh, 8*day) - time.Nanosecond)
					if got := (turn{}).take(t, tr, o); got.From != cache.FromMemory {
						t.Errorf("just before the end: %+v", got)
					}
					time.Sleep(time.Nanosecond)
				}
				if fresh > 8*day {
					return // the test cannot wait for years
				}
				if got := u.take(t, tr, o); got.From != cache.FromNetwork {
					t.Errorf("at the end: %+v", got)
				}
			})
		})
	}
}
