package disk

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// numbered answers with the number of the request, fresh for some time.
type numbered struct {
	n   atomic.Int64
	age string
}

func (o *numbered) RoundTrip(req *http.Request) (*http.Response, error) {
	body := fmt.Sprint("v", o.n.Add(1))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Cache-Control": {"max-age=" + o.age}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// get returns the body of a page, and whether it was stored.
func get(t *testing.T, tr *cache.Transport, control string) (body string, hit bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if control != "" {
		req.Header.Set("Cache-Control", control)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), strings.Contains(resp.Header.Get("Cache-Status"), "; hit")
}

// If an answer cannot be stored, the answer before it is not used any more: it is deleted or, if
// that fails as well, ignored in this process.
func TestTheAnswerBeforeDoesNotComeBack(t *testing.T) {
	for name, fails := range map[string]map[string]error{
		"a full disk":           {"create": syscall.ENOSPC, "write": syscall.ENOSPC},
		"a disk that is broken": {"sync": syscall.EIO},
		"a read-only disk":      {"create": syscall.EROFS, "mkdir": syscall.EROFS, "rename": syscall.EROFS, "remove": syscall.EROFS},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), nil)
			tr := cache.NewTransport(patient{s}, &numbered{age: "600"}, nil)
			defer tr.Close()
			if body, hit := get(t, tr, ""); body != "v1" || hit {
				t.Fatal(body, hit)
			}
			s.files.fault = func(op, _ string) error { return fails[op] }
			if body, _ := get(t, tr, "no-cache"); body != "v2" {
				t.Fatal(body)
			}
			if body, _ := get(t, tr, ""); body == "v1" {
				t.Error("the first answer is back after the second")
			}
			s.settle()
			s.files.fault = nil
			if body, _ := get(t, tr, ""); body == "v1" {
				t.Error("the first answer is back when the disk is well again")
			}
		})
	}
}

// patient is a store that a busy machine does not make late.
type patient struct{ *Store }

func (patient) Budget() time.Duration { return time.Minute }

// An answer that is stale by the monotonic clock is not fresh by another one.
func TestAnAnswerStaysStaleWhenTheClockIsSetBack(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	// Writes of the store read the clocks in goroutines of their own.
	var passed, set atomic.Int64
	began := time.Now()
	monotonic := func() time.Duration { return time.Duration(passed.Load()) }
	now := func() time.Time { return began.Add(monotonic() + time.Duration(set.Load())).Round(0) }
	s.clock = clock.New(now, monotonic)
	tr := cache.NewTransport(patient{s}, &numbered{age: "4"}, &cache.Options{Now: now})
	defer tr.Close()
	get(t, tr, "")
	passed.Store(int64(3 * time.Second))
	if body, hit := get(t, tr, ""); body != "v1" || !hit {
		t.Errorf("while it is fresh: %s, %t", body, hit)
	}
	passed.Store(int64(5 * time.Second))
	set.Store(int64(-2400 * time.Millisecond))
	if body, hit := get(t, tr, ""); body != "v2" || hit {
		t.Errorf("five seconds later: %s, %t", body, hit)
	}
}
