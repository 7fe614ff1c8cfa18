package crawl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/crawltest"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	const lease = 500 * time.Millisecond
	crawltest.TestQueue(t, crawltest.Maker{Lease: lease, Open: func(t *testing.T, name string) crawl.Queue {
		q, err := crawl.OpenFile(filepath.Join(dir, name), lease)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}})
}

// Cut at any byte, a file is a queue with the lines that are whole; a file of
// anything else stays as it is.
func TestFileCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "queue")
	q, err := crawl.OpenFile(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"a.example", "b.example"} {
		if _, err := q.Offer(t.Context(), target); err != nil {
			t.Fatal(err)
		}
	}
	lease, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Done(t.Context(), crawl.Result{Target: "a.example", Cause: crawl.Found, Attempt: 1, Data: []byte(`{"a": 1}`)}); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := strings.IndexByte(string(whole), '\n') + 1; cut <= len(whole); cut++ {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		q, err := crawl.OpenFile(name, 0)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		c, err := q.Count(t.Context())
		if lines := uint64(strings.Count(string(whole[:cut]), "\n")); err != nil || c.Open()+2*c.Finished != lines-1 {
			t.Errorf("cut at %d: %+v of %d lines, %v", cut, c, lines, err)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"no queue\n", "no queue", "{\"schema\":\"wayfind/result/1\"}\n", string(whole) + "{}\n"} {
		if err := os.WriteFile(name, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if q, err := crawl.OpenFile(name, 0); err == nil {
			t.Errorf("%.40q was opened: %v", other, q.Close())
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != other {
			t.Errorf("%.40q became %.40q, %v", other, b, err)
		}
	}
}
