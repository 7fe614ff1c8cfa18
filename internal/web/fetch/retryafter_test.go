package fetch

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// TestEachRetryAfterIsObeyedOrReturned: each value of the vectors, on its day, with an answer that
// may pass: waited for, within the budget of one call, or returned at once.
func TestEachRetryAfterIsObeyedOrReturned(t *testing.T) {
	now, cases := retryAfterVectors(t)
	for _, c := range cases {
		for _, status := range []int{429, 503} {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(now))
				s := &script{steps: []step{{status: status, retryAfterAll: c.values}}}
				start := time.Now()
				sameAnswerStatus(t, status, get(t, t.Context(), NewRetry(s), site))
				asked, least, most := 1, time.Duration(0), time.Duration(0)
				switch {
				case c.want == 0 && status == 503: // ignored: our own waits
					asked, least, most = 1+maxRetries, maxRetries*retryFloor, 7*retryBase
				case c.want == 0: // too many requests, and no time at which there are fewer
				case c.want <= retryAfterBudget:
					asked = 1 + int(retryAfterBudget/c.want)
					least = time.Duration(asked-1) * c.want
					most = least
				}
				if d := time.Since(start); s.asked != asked || d < least || d > most {
					t.Errorf("%q (%s): asked %d times in %v, want %d in %v to %v", c.values, c.text, s.asked, d, asked, least, most)
				}
			})
			synctest.Test(t, func(t *testing.T) { // never past the caller's deadline
				time.Sleep(time.Until(now))
				s := &script{steps: []step{{status: status, retryAfterAll: c.values}}}
				ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
				defer cancel()
				sameAnswerStatus(t, status, get(t, ctx, NewRetry(s), site))
				if ctx.Err() != nil || c.want > 0 && s.asked != 1 {
					t.Errorf("%q: asked %d times, %v", c.values, s.asked, ctx.Err())
				}
			})
		}
	}
}

// A value that no header may hold is an error of net/http.
func TestARetryAfterThatNoHeaderMayHoldIsAnError(t *testing.T) {
	w := newWorld(t)
	w.wire("http/1.1", says("HTTP/1.1 503 X\r\nRetry-After: 120\x00\r\nContent-Length: 0\r\n\r\n"))
	got, _, _ := w.attempt(t, t.Context(), nil)
	sameAnswer(t, failed("headers", wayfind.CodeProtocol), got)
}

// retryAfterCase is a row of the vectors; want 0 is "ignored".
type retryAfterCase struct {
	values []string
	want   time.Duration
	text   string
}

func retryAfterVectors(t testing.TB) (now time.Time, cases []retryAfterCase) {
	t.Helper()
	var file struct {
		Now   time.Time
		Cases []struct{ Value, Want string }
	}
	read(t, golden.Vectors(t, "http", "own_retry_after.json"), &file)
	for _, c := range file.Cases {
		values := []string{c.Value}
		if c.Value == "two headers: 10 and 3600" {
			values, c.Want = []string{"10", "3600"}, "3600s"
		}
		if strings.HasPrefix(c.Want, "cap") || strings.Contains(c.Want, "capped") { // the vectors had a day
			seconds, err := strconv.ParseInt(c.Value, 10, 64)
			c.Want = min(maxRetryAfter, time.Duration(seconds)*time.Second).String()
			if err != nil || seconds > int64(maxRetryAfter/time.Second) {
				c.Want = maxRetryAfter.String()
			}
		}
		cases = append(cases, retryAfterCase{values, wantRetryAfter(t, c.Want), c.Want})
	}
	if len(cases) == 0 {
		t.Fatal("no vectors")
	}
	return file.Now, cases
}

func TestARetryAfterIsWaitedForWithinItsBudget(t *testing.T) {
	tests := []struct {
		name       string
		retryAfter string
		limit      time.Duration // of the caller; 0: none
		asked      int
		elapsed    time.Duration
	}{
		{"slept", "1", 0, 3, 2 * time.Second}, // two of a second, then the budget of 2 s is used up
		{"beyond the budget", "3", 0, 1, 0},
		{"an hour", "3600", 0, 1, 0},
		{"overflow", "9223372037", 0, 1, 0},
		{"past the deadline", "1", 500 * time.Millisecond, 1, 0},
		{"inside the deadline", "2", 5 * time.Second, 2, 2 * time.Second},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := &script{steps: []step{{status: 503, retryAfter: tt.retryAfter}}}
			ctx := t.Context()
			if tt.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.limit)
				defer cancel()
			}
			start := time.Now()
			sameAnswerStatus(t, 503, get(t, ctx, NewRetry(s), site))
			if d := time.Since(start); s.asked != tt.asked || d != tt.elapsed {
				t.Errorf("%s: asked %d times in %v, want %d in %v", tt.name, s.asked, d, tt.asked, tt.elapsed)
			}
		})
	}
}

func TestValuesOfRetryAfterAreParsed(t *testing.T) {
	now, cases := retryAfterVectors(t)
	for _, c := range cases {
		got, ok := ParseRetryAfter(c.values, now)
		if got != c.want || ok != (c.want > 0) {
			t.Errorf("%q: %v, %v; want %v (%s)", c.values, got, ok, c.want, c.text)
		}
	}
}

// wantRetryAfter reads the vectors' word for it; 0 is "ignored".
func wantRetryAfter(t testing.TB, text string) time.Duration {
	switch {
	case strings.HasPrefix(text, "ignored"), strings.HasPrefix(text, "header rejected"):
		return 0
	case strings.Contains(text, "floor 1s"):
		return time.Second
	}
	word, _, _ := strings.Cut(text, " ")
	d, err := time.ParseDuration(word)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCentury(t *testing.T) {
	now := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
	for text, want := range map[string]int{
		"Wednesday, 21-Oct-26 07:30:00 GMT": 2026, "Friday, 21-Oct-75 07:30:00 GMT": 2075,
		"Friday, 21-Oct-94 07:30:00 GMT": 1994, "Friday, 21-Oct-77 07:30:00 GMT": 1977,
		"Wednesday, 21-Oct-76 07:28:00 GMT": 2076, "Thursday, 21-Oct-76 07:28:01 GMT": 1976,
	} {
		got, ok := httpDate(text, now)
		if !ok || got.Year() != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"120", "Wed, 21 Oct 2026 07:30:00 GMT", "Wed Oct 21 07:30:00 2026", "Friday, 31-Dec-99 23:59:59 GMT", "-1", "99999999999999999999", "\x00"} {
		f.Add(s, int64(1792000000))
	}
	f.Fuzz(func(t *testing.T, value string, unix int64) {
		now := time.Unix(unix%(1<<33), 0)
		testkit.BoundAllocs(t, len(value), 50, 16<<10, func() { ParseRetryAfter([]string{value}, now) })
		d, ok := ParseRetryAfter([]string{value}, now)
		if ok && (d < minRetryAfter || d > maxRetryAfter) || !ok && d != 0 {
			t.Errorf("%q: %v, %v", value, d, ok)
		}
		twice, _ := ParseRetryAfter([]string{value, "garbage", value}, now)
		if diff := cmp.Diff(d, twice); diff != "" {
			t.Errorf("%q twice (-once +twice):\n%s", value, diff)
		}
	})
}

// A date is relative to the Date of its answer, because the clocks may differ by any time.
func TestRetryAfterOfOtherClocks(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, skew := range []time.Duration{-24 * time.Hour, -time.Hour, 0, time.Hour, 24 * time.Hour} {
		site := now.Add(skew)
		h := http.Header{"Retry-After": {site.Add(2 * time.Minute).Format(http.TimeFormat)}, "Date": {site.Format(http.TimeFormat)}}
		if d, ok := RetryAfter(h, now); d != 2*time.Minute || !ok {
			t.Errorf("a clock that differs by %v: %v, %t", skew, d, ok)
		}
	}
	for _, date := range [][]string{nil, {"yesterday"}} {
		h := http.Header{"Retry-After": {now.Add(2 * time.Minute).Format(http.TimeFormat)}, "Date": date}
		if d, ok := RetryAfter(h, now); d != 2*time.Minute || !ok {
			t.Errorf("Date %q: %v, %t", date, d, ok)
		}
	}
}
