package redis_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// turning answers until it is down.
type turning struct {
	control string
	down    atomic.Bool
}

func (o *turning) RoundTrip(req *http.Request) (*http.Response, error) {
	if o.down.Load() {
		return nil, errors.New("connection refused")
	}
	header := http.Header{"Cache-Control": {o.control}, "Date": {time.Now().UTC().Format(http.TimeFormat)}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader("x")), ContentLength: 1, Request: req}, nil
}

// TestATransportOverRedisAloneIsASharedCache: a Transport over Redis alone uses no stale response
// with s-maxage (RFC 9111 §5.2.2.10) or proxy-revalidate (§5.2.2.8), no matter which process stored
// it.
func TestATransportOverRedisAloneIsASharedCache(t *testing.T) {
	server := testkit.StartRedis(t)
	controls := []string{"s-maxage=2", "max-age=2, proxy-revalidate"}
	var transports []*cache.Transport
	var origins []*turning
	for _, control := range controls {
		o := &turning{control: control}
		tr := cache.NewTransport(open(t, server.URL()+"?budget=5s&prefix=p"+control[:1]+":"), o, &cache.Options{Strict: true})
		t.Cleanup(func() { _ = tr.Close() })
		transports, origins = append(transports, tr), append(origins, o)
		if got, err := ask(t.Context(), tr); err != nil {
			t.Fatal(got, err)
		}
		if got, err := ask(t.Context(), tr, "only-if-cached, max-stale=9"); err != nil || !strings.HasPrefix(got, "200") {
			t.Fatalf("%s is not stored: %s, %v", control, got, err)
		}
	}
	time.Sleep(3100 * time.Millisecond)
	for i, tr := range transports {
		origins[i].down.Store(true)
		for _, demand := range [][]string{nil, {"max-stale=100"}} {
			if got, err := ask(t.Context(), tr, demand...); err == nil {
				t.Errorf("%s, stale, asked with %q: %s", controls[i], demand, got)
			}
		}
	}
}

// ask returns the status and how the response came about.
func ask(ctx context.Context, tr *cache.Transport, control ...string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://example.com/", nil)
	if err != nil {
		return "", err
	}
	for _, c := range control {
		req.Header.Set("Cache-Control", c)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // it is stored at its end
		return "", err
	}
	return resp.Status + " " + resp.Header.Get("Cache-Status"), nil
}
