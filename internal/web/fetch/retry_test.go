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

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
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

func (s *script) Do(context.Context, *Ask) (*http.Response, error) {
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
		StatusCode: at.status, Header: header,
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

func TestPassingStatusesAreRetried(t *testing.T) {
	for _, tt := range []struct {
		codes  []int
		asked  int
		status int
	}{
		{[]int{500, 502, 503, 200}, 4, 200},
		{[]int{504, 504, 504, 200}, 4, 200},
		{[]int{429, 200}, 1, 429}, // without Retry-After
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

// TestWaitsAreRandomUpToABoundThatDoubles: the waits are random, from a floor up to a bound that
// doubles.
func TestWaitsAreRandomUpToABoundThatDoubles(t *testing.T) {
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
			if longest[i] >= bound || longest[i] < bound*3/4 || shortest[i] < retryFloor || shortest[i] > retryFloor+bound/4 {
				t.Errorf("waits before retry %d are %v to %v, want %v to %v", i+1, shortest[i], longest[i], retryFloor, bound)
			}
		}
	})
}

// TestNoWaitEndsPastTheDeadline: no wait begins that would end past the caller's deadline. The
// result is then the last answer, not the end of the time.
func TestNoWaitEndsPastTheDeadline(t *testing.T) {
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

func TestLastingStatusesAreNotRetried(t *testing.T) {
	for _, code := range []int{200, 301, 404, 410, 401, 403, 405, 406, 418, 451} {
		s := &script{steps: statuses(code, 200)}
		sameAnswer(t, answer{Status: code, Body: "body 1"}, get(t, t.Context(), NewRetry(s), site))
		if s.asked != 1 {
			t.Errorf("%d: asked %d times", code, s.asked)
		}
	}
}

func TestRetriedErrors(t *testing.T) {
	network := fail(opHeaders, wayfind.CodeNetwork, errors.New("reset"))
	tests := []struct {
		err   error
		asked int
	}{
		{network, 2},
		{fail(opHeaders, wayfind.CodeTruncated, io.EOF), 2},
		{fail(opDNS, wayfind.CodeDNS, errors.New("server misbehaving")), 2},
		{fail(opHeaders, wayfind.CodeNetwork, answeredError{errors.New("reset")}), 1},
		{fail(opDNS, wayfind.CodeDNSNotFound, errors.New("no such host")), 1},
		{fail(opTLS, wayfind.CodeTLS, errors.New("expired")), 1},
		{fail(opHeaders, wayfind.CodeTimeout, errRequestTimeout), 1},
		{fail(opDial, wayfind.CodeBlockedAddress, nil), 1},
		{leftError(opDial), 1},
		{closedError(opDial), 1},
		{errors.New("untyped"), 1},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := &script{steps: []step{{err: tt.err}}}
			_, err := NewRetry(s).Do(t.Context(), asking(t, site))
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
	post, once := asking(t, site), asking(t, site)
	post.Method, once.Once = http.MethodPost, true
	for name, a := range map[string]*Ask{"POST": post, "Once": once} {
		s := &script{steps: statuses(503, 200)}
		resp, err := NewRetry(s).Do(t.Context(), a)
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
		resp, err := NewRetry(s).Do(t.Context(), asking(t, site))
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
		var wg sync.WaitGroup
		for range 15 {
			wg.Go(func() { sameAnswerStatus(t, 503, get(t, t.Context(), NewRetry(s), site, Ask{Budget: b})) })
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

// Connections that fail before an answer are tried once more if that may help, for GET alone.
func TestFailedConnectionsAreTriedOnceMoreForGET(t *testing.T) {
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
		{"refused", func(w *world) { w.name("shop.example.com", ip1); w.refuse(ip1) }, failed("dial", wayfind.CodeNetwork), 2, 0},
		{"refused by two", func(w *world) { w.name("shop.example.com", ip1, ip2); w.refuse(ip1, ip2) }, failed("dial", wayfind.CodeNetwork), 4, 0},
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
					like, dials := Ask{}, tt.dials
					if once && tt.took == 0 && dials > 1 {
						like.Once, dials = true, dials/2
					}
					got, took, err := w.attempt(t, t.Context(), nil, like)
					sameAnswer(t, tt.want, got)
					if w.dialCount() != dials || tt.took > 0 && took != tt.took || took > max(tt.took, retryBase) {
						t.Errorf("once %v: %d dials, took %v: %v", once, w.dialCount(), took, err)
					}
				})
			}
		})
	}
}

// hangs is a body that does not come before it is closed.
type hangs struct{ context.Context }

func (h hangs) Read([]byte) (int, error) { <-h.Done(); return 0, io.ErrClosedPipe }

// A failure whose body hangs is left after a second, and asked for again.
func TestRetryDoesNotWaitForABodyThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: statuses(503, 200)}
		next := stepFunc(func(ctx context.Context, a *Ask) (*http.Response, error) {
			resp, err := s.Do(ctx, a)
			if resp.StatusCode == 503 {
				open, end := context.WithCancel(context.Background())
				resp.Body = struct {
					io.Reader
					io.Closer
				}{hangs{open}, closer(end)}
			}
			return resp, err
		})
		sameAnswerStatus(t, 200, get(t, t.Context(), NewRetry(next), site, Ask{}))
		if waited := s.times[1].Sub(s.times[0]); waited < time.Second || waited > time.Second+retryBase {
			t.Errorf("asked again after %v", waited)
		}
	})
}

type closer func()

func (c closer) Close() error { c(); return nil }
