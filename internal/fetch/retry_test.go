package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/allocs"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/internal/memconn"
)

// script answers with one step after the other; the last repeats.
type script struct {
	mu    sync.Mutex
	steps []step
	asked int
	times []time.Time
}

type step struct {
	status     int
	retryAfter string
	location   string
	err        error

	retryAfterAll []string // all values of several
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.steps[min(s.asked, len(s.steps)-1)]
	s.asked++
	s.times = append(s.times, time.Now())
	if at.err != nil {
		return nil, at.err
	}
	header := http.Header{}
	if at.retryAfter != "" {
		header.Set("Retry-After", at.retryAfter)
	}
	if at.retryAfterAll != nil {
		header["Retry-After"] = at.retryAfterAll
	}
	if at.location != "" {
		header.Set("Location", at.location)
	}
	return &http.Response{
		StatusCode: at.status, Header: header, Request: req,
		Body: io.NopCloser(strings.NewReader("body " + strconv.Itoa(s.asked))),
	}, nil
}

func statuses(codes ...int) []step {
	var steps []step
	for _, c := range codes {
		steps = append(steps, step{status: c})
	}
	return steps
}

func TestR14_RetriedStatuses(t *testing.T) {
	for _, tt := range []struct {
		codes  []int
		asked  int
		status int
	}{
		{[]int{500, 502, 503, 200}, 4, 200},
		{[]int{504, 504, 504, 200}, 4, 200},
		{[]int{429, 200}, 2, 200},
		{[]int{520, 200}, 2, 200},
		{[]int{503}, 4, 503},
		{[]int{501, 200}, 1, 501},
		{[]int{511, 200}, 1, 511},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{steps: statuses(tt.codes...)}
			start := time.Now()
			got := get(t, t.Context(), NewRetry(s), site)
			// The last answer arrives as it came, with its body.
			sameAnswer(t, answer{Status: tt.status, Body: "body " + strconv.Itoa(tt.asked)}, got)
			if d := time.Since(start); s.asked != tt.asked || d > 1400*time.Millisecond {
				t.Errorf("%v: asked %d times in %v, want %d", tt.codes, s.asked, d, tt.asked)
			}
		})
	}
}

// TestR14_Backoff: the waits are random, up to a bound that doubles.
func TestR14_Backoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var longest, shortest [maxRetries]time.Duration
		const runs = 200
		for run := range runs {
			s := &script{steps: statuses(503)}
			sameAnswerStatus(t, 503, get(t, t.Context(), NewRetry(s), site))
			for i := range maxRetries {
				d := s.times[i+1].Sub(s.times[i])
				longest[i] = max(longest[i], d)
				if run == 0 || d < shortest[i] {
					shortest[i] = d
				}
			}
		}
		for i, bound := 0, retryBase; i < maxRetries; i, bound = i+1, 2*bound {
			if longest[i] >= bound || longest[i] < bound*3/4 || shortest[i] > bound/4 {
				t.Errorf("waits before retry %d are %v to %v, want up to %v", i+1, shortest[i], longest[i], bound)
			}
		}
	})
}

// TestR14_InsideTheDeadline: no wait is begun that would end past the caller's
// deadline, and then the last answer counts and not the end of the time.
func TestR14_InsideTheDeadline(t *testing.T) {
	fewer := 0
	for _, limit := range []time.Duration{0, 50 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond} {
		for range 20 {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: statuses(503)}
				ctx, cancel := context.WithTimeout(t.Context(), limit+time.Nanosecond)
				defer cancel()
				start := time.Now()
				sameAnswerStatus(t, 503, get(t, ctx, NewRetry(s), site))
				if d := time.Since(start); d > limit || s.asked > 1+maxRetries {
					t.Errorf("limit %v: asked %d times in %v", limit, s.asked, d)
				}
				if s.asked <= maxRetries {
					fewer++
				}
			})
		}
	}
	if fewer < 20 {
		t.Errorf("a deadline stopped retries %d times", fewer)
	}
}

func TestR15_NeverRetried(t *testing.T) {
	for _, code := range []int{200, 301, 404, 410, 401, 403, 405, 406, 418, 451} {
		s := &script{steps: statuses(code, 200)}
		sameAnswer(t, answer{Status: code, Body: "body 1"}, get(t, t.Context(), NewRetry(s), site))
		if s.asked != 1 {
			t.Errorf("%d: asked %d times", code, s.asked)
		}
	}
}

func TestRetriedErrors(t *testing.T) {
	network := unreachable(opHeaders, wayfind.CodeNetwork, errors.New("reset"))
	tests := []struct {
		err   error
		asked int
	}{
		{network, 2},
		{unreachable(opHeaders, wayfind.CodeTruncated, io.EOF), 2},
		{unreachable(opDNS, wayfind.CodeDNS, errors.New("server misbehaving")), 2},
		{unreachable(opHeaders, wayfind.CodeNetwork, answeredError{errors.New("reset")}), 1},
		{unreachable(opDNS, wayfind.CodeDNSNotFound, errors.New("no such host")), 1},
		{unreachable(opTLS, wayfind.CodeTLS, errors.New("expired")), 1},
		{unreachable(opHeaders, wayfind.CodeTimeout, errRequestTimeout), 1},
		{fail(opDial, wayfind.ErrRefused, wayfind.CodeBlockedAddress, nil), 1},
		{leftError(opDial), 1},
		{closedError(opDial), 1},
		{errors.New("untyped"), 1},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := &script{steps: []step{{err: tt.err}}}
			_, err := NewRetry(s).RoundTrip(request(t, t.Context(), site))
			if err != tt.err {
				t.Errorf("%v became %v", tt.err, err)
			}
			if s.asked != tt.asked {
				t.Errorf("%v: asked %d times, want %d", tt.err, s.asked, tt.asked)
			}
		})
	}
}

func TestRetryLeavesTheRestAlone(t *testing.T) {
	post := request(t, t.Context(), site)
	post.Method = http.MethodPost
	for name, req := range map[string]*http.Request{"POST": post, "NoRetry": request(t, NoRetry(t.Context()), site)} {
		s := &script{steps: statuses(503, 200)}
		resp, err := NewRetry(s).RoundTrip(req)
		if err != nil || resp.StatusCode != 503 || s.asked != 1 {
			t.Errorf("%s: %v, %v, asked %d times", name, resp, err, s.asked)
		}
	}
}

// TestRetryHidesNoLocation: the inner client reads Location, and makes an
// error of one that it cannot parse.
func TestRetryHidesNoLocation(t *testing.T) {
	for _, location := range []string{"/next", "https://%zz/", "http://[::1", "https://u:p@evil.example.net/"} {
		s := &script{steps: []step{{status: 302, location: location}}}
		resp, err := NewRetry(s).RoundTrip(request(t, t.Context(), site))
		if err != nil || resp.Header.Get("Location") != location || s.asked != 1 {
			t.Errorf("%q: %+v, %v, asked %d times", location, resp, err, s.asked)
		}
	}
}

// TestRetryBudget: fifteen paths of a site that is down do not make sixty
// requests.
func TestRetryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: statuses(503)}
		b := NewBudget(5)
		ctx := WithBudget(t.Context(), b)
		var wg sync.WaitGroup
		for range 15 {
			wg.Go(func() { sameAnswerStatus(t, 503, get(t, ctx, NewRetry(s), site)) })
		}
		wg.Wait()
		if s.asked != 20 || b.Left() != 0 {
			t.Errorf("asked %d times, %d retries left", s.asked, b.Left())
		}
	})
}

func sameAnswerStatus(t *testing.T, want int, got answer) {
	t.Helper()
	if got.Status != want {
		t.Errorf("%+v, want status %d", got, want)
	}
}

// TestR13_Vectors: each value of the vectors, on its day, with an answer that
// may pass: waited for, within the budget of one call, or returned at once.
func TestR13_Vectors(t *testing.T) {
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
				case c.want == 0: // ignored: our own waits
					asked, most = 1+maxRetries, 7*retryBase
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

// TestR13_OnTheWire: a value that no header may hold is an error of net/http.
func TestR13_OnTheWire(t *testing.T) {
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
		cases = append(cases, retryAfterCase{values, wantRetryAfter(t, c.Want), c.Want})
	}
	if len(cases) == 0 {
		t.Fatal("no vectors")
	}
	return file.Now, cases
}

func TestR13_RetryAfter(t *testing.T) {
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

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{{status: 503, retryAfter: "2"}}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		got, err := getErr(t, ctx, NewRetry(s), site)
		sameAnswer(t, answer{Op: "headers", Code: wayfind.CodeCanceled}, got)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v does not wrap context.Canceled", err)
		}
	})
}

// TestR05_Connecting: connections that fail before an answer are tried once
// more where that may help, for GET alone.
func TestR05_Connecting(t *testing.T) {
	below := func(end func(net.Conn)) func(*world) {
		return func(w *world) {
			s := w.script("http/1.1")
			s.below = func(c net.Conn) net.Conn { end(c); return c }
			w.name("shop.example.com", ip1)
			go s.accept(w.listen(ip1))
		}
	}
	after := func(proto string, e ending, sent string) func(*world) {
		return func(w *world) {
			var s *wire
			s = w.wire(proto, func(c *tls.Conn) { s.upTo(c, sent); e.apply(c) })
		}
	}
	truncated, network := failed("headers", wayfind.CodeTruncated), failed("headers", wayfind.CodeNetwork)
	for _, tt := range []struct {
		name    string
		prepare func(*world)
		want    answer
		dials   int
		took    time.Duration // 0: only the wait before a retry
	}{
		{"black hole", func(w *world) { w.name("shop.example.com", ip1); w.blackhole(ip1) }, failed("dial", wayfind.CodeTimeout), 1, dialTimeout},
		{"four black holes", func(w *world) {
			addrs := []string{ip1, ip2, "93.184.216.36", "93.184.216.37", "93.184.216.38"}
			w.name("shop.example.com", addrs...)
			for _, a := range addrs {
				w.blackhole(a)
			}
		}, failed("dial", wayfind.CodeTimeout), 4, dialTimeout},
		{"refused", func(w *world) { w.name("shop.example.com", ip1) }, failed("dial", wayfind.CodeNetwork), 2, 0},
		{"refused by two", func(w *world) { w.name("shop.example.com", ip1, ip2) }, failed("dial", wayfind.CodeNetwork), 4, 0},
		{"accepted, closed", below(func(c net.Conn) { _ = c.Close() }), failed("tls", wayfind.CodeNetwork), 2, 0},
		{"accepted, reset", below(func(c net.Conn) { _ = c.(*memconn.Conn).Reset() }), failed("tls", wayfind.CodeNetwork), 2, 0},
		{"request, closed", after("http/1.1", fin, ""), truncated, 2, 0},
		{"request, TLS closed", after("http/1.1", bye, ""), truncated, 2, 0},
		{"request, reset", after("http/1.1", rst, ""), network, 2, 0},
		{"a byte, closed", after("http/1.1", fin, "H"), failed("headers", wayfind.CodeProtocol), 1, 0},
		{"a byte, reset", after("http/1.1", rst, "H"), network, 1, 0},
		{"HTTP/2 request, closed", after("h2", fin, ""), truncated, 2, 0},
		{"HTTP/2 request, reset", after("h2", rst, ""), network, 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, once := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					tt.prepare(w)
					ctx, dials := t.Context(), tt.dials
					if once && tt.took == 0 && dials > 1 {
						ctx, dials = NoRetry(ctx), dials/2
					}
					got, took, err := w.attempt(t, ctx, nil)
					sameAnswer(t, tt.want, got)
					if w.dialCount() != dials || tt.took > 0 && took != tt.took || took > max(tt.took, retryBase) {
						t.Errorf("once %v: %d dials, took %v: %v", once, w.dialCount(), took, err)
					}
				})
			}
		})
	}
}

func TestR13_ParseRetryAfter(t *testing.T) {
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
	case strings.HasPrefix(text, "cap"), strings.Contains(text, "capped"):
		return maxRetryAfter
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
		allocs.Bound(t, len(value), 50, 16<<10, func() { ParseRetryAfter([]string{value}, now) })
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
