package cache_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// origin is a RoundTripper that answers with a function and records the requests.
type origin struct {
	mu     sync.Mutex
	asked  []*http.Request
	answer func(n int, req *http.Request) (*http.Response, error)
}

// RoundTrip implements http.RoundTripper.
func (o *origin) RoundTrip(req *http.Request) (*http.Response, error) {
	o.mu.Lock()
	o.asked = append(o.asked, req)
	n, answer := len(o.asked), o.answer
	o.mu.Unlock()
	return answer(n, req)
}

func (o *origin) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.asked)
}

func (o *origin) last() *http.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[len(o.asked)-1]
}

// always answers the same.
func always(status int, body string, pairs ...string) *origin {
	return &origin{answer: func(int, *http.Request) (*http.Response, error) {
		return response(status, body, pairs...), nil
	}}
}

// script answers one after the other, and the last one again and again.
func script(answers ...func(req *http.Request) (*http.Response, error)) *origin {
	return &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
		return answers[min(n, len(answers))-1](req)
	}}
}

func say(status int, body string, pairs ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return response(status, body, pairs...), nil }
}

func fail(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func response(status int, body string, pairs ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// newTransport puts a Transport with a memory store before next and closes
// both with the test.
func newTransport(t testing.TB, next http.RoundTripper, opts *cache.Options) *cache.Transport {
	t.Helper()
	return newTransportOver(t, newMemory(t), next, opts)
}

func newMemory(t testing.TB) *memory.Store {
	t.Helper()
	store, err := memory.New(8 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// newTransportOver closes the store as well.
func newTransportOver(t testing.TB, store cache.Store, next http.RoundTripper, opts *cache.Options) *cache.Transport {
	t.Helper()
	tr := cache.NewTransport(store, next, opts)
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Errorf("Transport.Close: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("Store.Close: %v", err)
		}
	})
	return tr
}

const home = "https://example.com/card.json"

func newRequest(ctx context.Context, url string, pairs ...string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Add(pairs[i], pairs[i+1])
	}
	return req
}

// result contains the facts about a response that tests compare.
type result struct {
	Status int
	Body   string
	From   string
	Reason string
}

// get asks and reads.
func get(t testing.TB, rt http.RoundTripper, url string, pairs ...string) result {
	t.Helper()
	return do(t, rt, newRequest(t.Context(), url, pairs...))
}

func do(t testing.TB, rt http.RoundTripper, req *http.Request) result {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatalf("RoundTrip: %v", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("body: %v", err)
	}
	_, facts, _ := cache.Of(resp)
	return result{resp.StatusCode, string(b), facts.From, facts.StaleReason}
}

func want(t testing.TB, what string, got, want result) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func wantCount(t testing.TB, what string, o *origin, n int) {
	t.Helper()
	if got := o.count(); got != n {
		t.Errorf("%s: %d requests reached the origin, want %d", what, got, n)
	}
}
