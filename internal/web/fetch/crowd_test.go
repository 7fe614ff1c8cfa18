package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
)

// bearer is a server that bears so many requests at a time, and answers each after a second.
type bearer struct {
	bears  int // 0: it is down
	refuse func() (*http.Response, error)

	mu              sync.Mutex
	inFlight, most  int
	requests, again int
	asked           map[string]bool
}

func (b *bearer) Do(ctx context.Context, a *Ask) (*http.Response, error) {
	b.mu.Lock()
	b.requests++
	if b.asked == nil {
		b.asked = map[string]bool{}
	}
	if b.asked[a.URL.Path] {
		b.again++
	}
	b.asked[a.URL.Path] = true
	over := b.inFlight >= b.bears
	if !over {
		b.inFlight++
		b.most = max(b.most, b.inFlight)
	}
	b.mu.Unlock()
	if over {
		time.Sleep(time.Millisecond)
		return b.refuse()
	}
	time.Sleep(time.Second)
	b.mu.Lock()
	b.inFlight--
	b.mu.Unlock()
	return statusOnly(200, nil), nil
}

func statusOnly(status int, header http.Header) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, ProtoMajor: 2, Header: header, Body: http.NoBody}
}

func refusals() map[string]func() (*http.Response, error) {
	failed := func(text string) func() (*http.Response, error) {
		return func() (*http.Response, error) { return nil, fail(opHeaders, wayfind.CodeNetwork, errors.New(text)) }
	}
	return map[string]func() (*http.Response, error){
		"503":            func() (*http.Response, error) { return statusOnly(503, nil), nil },
		"REFUSED_STREAM": failed("stream error: stream ID 5; REFUSED_STREAM; received from peer"),
		"GOAWAY":         failed("http2: Transport received Server's graceful shutdown GOAWAY"),
		"reset":          failed("stream error: stream ID 5; INTERNAL_ERROR; received from peer"),
	}
}

// askAll sends so many requests to one origin at once, and returns the results that are no answer.
func askAll(t *testing.T, step Step, n int, change func(*Ask)) (lost []string) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			a := &Ask{URL: mustURL(t, fmt.Sprintf("https://shop.example/%d", i))}
			if change != nil {
				change(a)
			}
			resp, err := step.Do(t.Context(), a)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				lost = append(lost, err.Error())
			} else if resp.StatusCode != 200 {
				lost = append(lost, resp.Status)
			}
		})
	}
	all.Wait()
	return lost
}

// A server that bears few requests at a time loses none of thirty, however it refuses, and gets fewer
// at a time later.
func TestACrowdLosesNothing(t *testing.T) {
	for name, refuse := range refusals() {
		for _, bears := range []int{1, 5, 10} {
			t.Run(fmt.Sprint(name, " at ", bears), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &bearer{bears: bears, refuse: refuse}
					step := NewCrowd(b)
					if lost := askAll(t, step, 30, nil); len(lost) > 0 {
						t.Errorf("%d are lost: %v", len(lost), lost[0])
					}
					first := b.again
					if lost := askAll(t, step, 30, nil); len(lost) > 0 {
						t.Errorf("later, %d are lost: %v", len(lost), lost[0])
					}
					if later := b.requests - 30 - first - 30; later >= first && first > bears {
						t.Errorf("%d repeated at first, %d later", first, later)
					}
				})
			})
		}
	}
}

// A place that answers 503 beside others that are answered is not asked again at once.
func TestACrowdRepeatsNo503AtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var times []time.Time
		step := NewCrowd(stepFunc(func(_ context.Context, a *Ask) (*http.Response, error) {
			if a.URL.Path != "/0" {
				time.Sleep(map[string]time.Duration{"/1": 0, "/2": time.Second}[a.URL.Path])
				return statusOnly(200, nil), nil
			}
			mu.Lock()
			times = append(times, time.Now())
			mu.Unlock()
			time.Sleep(time.Millisecond)
			return statusOnly(503, nil), nil
		}))
		askAll(t, step, 3, nil)
		if len(times) != 2 || times[1].Sub(times[0]) < retryFloor {
			t.Errorf("asked at %v", times)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		other := make(chan error, 1)
		go func() {
			_, err := step.Do(t.Context(), &Ask{URL: mustURL(t, "https://shop.example/2")})
			other <- err
		}()
		synctest.Wait()
		if resp, err := step.Do(ctx, &Ask{URL: mustURL(t, "https://shop.example/0")}); err != nil || resp.StatusCode != 503 {
			t.Errorf("at the end of its time: %v, %v", resp, err)
		}
		if err := <-other; err != nil {
			t.Error(err)
		}
		for _, c := range step.(*crowds).of {
			if !c.isIdle() {
				t.Errorf("%d in flight", c.inFlight)
			}
		}
	})
}

// A server that is down gets no request again because of a crowd, except those that it has declared
// unprocessed.
func TestAServerThatIsDownHasNoCrowd(t *testing.T) {
	for name, refuse := range refusals() {
		synctest.Test(t, func(t *testing.T) {
			b := &bearer{refuse: refuse}
			if lost := askAll(t, NewCrowd(b), 20, nil); len(lost) != 20 {
				t.Errorf("%s: %d are lost", name, len(lost))
			}
			want := 20
			if name == "REFUSED_STREAM" || name == "GOAWAY" {
				want = 20 * (1 + maxUnprocessed)
			}
			if b.requests != want {
				t.Errorf("%s: %d requests, want %d", name, b.requests, want)
			}
		})
	}
}

// A request that may be sent once is not sent again after a refusal, and again if it was not
// processed.
func TestACrowdRepeatsNoRequestThatMayBeSentOnce(t *testing.T) {
	for name, refuse := range refusals() {
		synctest.Test(t, func(t *testing.T) {
			b := &bearer{bears: 5, refuse: refuse}
			lost := askAll(t, NewCrowd(b), 20, func(a *Ask) { a.Once = true })
			if unprocessed := name == "REFUSED_STREAM" || name == "GOAWAY"; unprocessed != (len(lost) == 0) || !unprocessed && b.again > 0 {
				t.Errorf("%s: %d are lost, %d sent again", name, len(lost), b.again)
			}
		})
	}
}

// A 429 is an answer, and lowers the limit.
func TestACrowdThatIsThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bearer{bears: 5, refuse: func() (*http.Response, error) { return statusOnly(429, nil), nil }}
		step := NewCrowd(b)
		if lost := askAll(t, step, 20, nil); len(lost) != 15 || b.again > 0 {
			t.Errorf("%d are lost, %d sent again", len(lost), b.again)
		}
		if c := step.(*crowds).of[server{"https", "shop.example"}]; c.limit == 0 || c.limit > 10 {
			t.Errorf("limit %d", c.limit)
		}
	})
}

// A caller that leaves takes its turn with it.
func TestACallerLeavesACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bearer{bears: 1, refuse: refusals()["503"]}
		step := NewCrowd(b)
		_ = askAll(t, step, 5, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := step.Do(ctx, &Ask{URL: mustURL(t, "https://shop.example/")}); err != nil && !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "503") {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if c := step.(*crowds).of[server{"https", "shop.example"}]; c.inFlight != 0 || len(c.line) != 0 {
			t.Errorf("%d in flight, %d wait", c.inFlight, len(c.line))
		}
		if lost := askAll(t, step, 5, nil); len(lost) > 0 {
			t.Errorf("afterwards %d are lost", len(lost))
		}
	})
}

// Limits of many origins are not kept without bound, and none for ever.
func TestCrowdsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := NewCrowd(&bearer{bears: 1, refuse: refusals()["503"]})
		_ = askAll(t, step, 3, nil)
		if c := step.(*crowds).of[server{"https", "shop.example"}]; c.limit == 0 {
			t.Error("no limit")
		}
		time.Sleep(crowdTime + time.Second)
		_ = askAll(t, step, 1, nil)
		if c := step.(*crowds).of[server{"https", "shop.example"}]; c.limit != 0 {
			t.Errorf("limit %d after ten minutes", c.limit)
		}
		for i := range 2 * maxCrowds {
			_, _ = step.Do(t.Context(), &Ask{URL: mustURL(t, fmt.Sprintf("https://a%d.example/", i))})
		}
		if n := len(step.(*crowds).of); n > maxCrowds {
			t.Errorf("%d origins", n)
		}
	})
}
