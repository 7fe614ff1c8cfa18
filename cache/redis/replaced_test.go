package redis_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// growing answers with the number of the request, and from the second on with a body
// of some size.
type growing struct {
	n    atomic.Int64
	size int
}

func (o *growing) RoundTrip(req *http.Request) (*http.Response, error) {
	n := o.n.Add(1)
	body := fmt.Sprint("v", n)
	if n > 1 {
		body += strings.Repeat("x", o.size)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Cache-Control": {"max-age=600"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// If an answer cannot be stored, the answer before it is not used any more: it is deleted or, if
// that fails as well, ignored in this process.
func TestTheAnswerBeforeDoesNotComeBack(t *testing.T) {
	for name, row := range map[string]struct {
		size int
		fail func(server *testkit.Redis)
	}{
		"too large":     {70 << 10, func(*testkit.Redis) {}},
		"out of memory": {0, func(s *testkit.Redis) { s.Do("CONFIG", "SET", "maxmemory", "1") }},
		"read-only":     {0, func(s *testkit.Redis) { s.Do("REPLICAOF", "127.0.0.1", "1") }},
		"down":          {0, func(s *testkit.Redis) { s.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") }},
	} {
		t.Run(name, func(t *testing.T) {
			server := testkit.StartRedis(t)
			s := open(t, server.URL(), func(o *redis.Options) { o.MaxBytes, o.Budget = 64<<10, patience })
			tr := cache.NewTransport(s, &growing{size: row.size}, nil)
			defer tr.Close()
			get := func(control string) string {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Cache-Control", control)
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				if err := errors.Join(err, resp.Body.Close()); err != nil {
					t.Fatal(err)
				}
				return string(body[:2])
			}
			if first, again := get("max-age=100"), get("max-age=100"); first != "v1" || again != "v1" {
				t.Fatalf("%s, then %s", first, again)
			}
			row.fail(server)
			if got := get("no-cache"); got != "v2" {
				t.Fatalf("%s", got)
			}
			for range 3 {
				if got := get("max-age=100"); got == "v1" {
					t.Error("the first answer is back after the second")
				}
				time.Sleep(50 * time.Millisecond) // a connection that was lost is made anew
			}
		})
	}
}
