package crawl_test

import (
	"errors"
	"fmt"
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
		q, err := crawl.OpenFile(filepath.Join(dir, name), &crawl.FileOptions{Lease: lease})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}})
}

// A file that is cut at any byte is a queue with the complete lines. Other files are not
// changed.
func TestFileCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "queue")
	q, err := crawl.OpenFile(name, nil)
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
	if err := lease.Done(t.Context(), crawl.Result{Target: "a.example", Cause: crawl.Found, Attempt: 1, Data: []byte(`{"target":"a.example","cause":"found"}`)}); err != nil {
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
		q, err := crawl.OpenFile(name, nil)
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
		if q, err := crawl.OpenFile(name, nil); err == nil {
			t.Errorf("%.40q was opened: %v", other, q.Close())
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != other {
			t.Errorf("%.40q became %.40q, %v", other, b, err)
		}
	}
}

// reopen closes a queue and opens its file again.
func reopen(t *testing.T, q *crawl.File, name string, o *crawl.FileOptions) *crawl.File {
	t.Helper()
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q, err := crawl.OpenFile(name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func result(target, cause string, attempt int) crawl.Result {
	return crawl.Result{Target: target, Cause: cause, Attempt: attempt, Data: fmt.Appendf(nil, `{"target":%q,"cause":%q}`, target, cause)}
}

// A result that arrives twice is in the file once, the last of two rounds is kept, and a result
// that could not be read again is refused.
func TestFileResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "queue")
	q, err := crawl.OpenFile(name, &crawl.FileOptions{Lease: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Offer(t.Context(), "a.example"); err != nil {
		t.Fatal(err)
	}
	take := func() crawl.Lease {
		t.Helper()
		lease, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	done := func(l crawl.Lease, cause string) {
		t.Helper()
		if err := l.Done(t.Context(), result("a.example", cause, l.Task().Attempt)); err != nil {
			t.Fatal(err)
		}
	}
	slow := take()
	lease := take() // the lease of slow has expired
	for _, data := range []string{"", "{}", "[1]", `{"target":"b.example","cause":"found"}`, "{\"target\":\"a.example\",\n\"cause\":\"found\"}"} {
		if err := lease.Done(t.Context(), crawl.Result{Target: "a.example", Data: []byte(data)}); err == nil {
			t.Errorf("%q was stored", data)
		}
	}
	lease = take()
	if err := lease.Fail(t.Context(), 0, true); err != nil {
		t.Fatal(err)
	}
	done(take(), "timeout")
	for range 2 {
		done(slow, crawl.Found) // too late
	}
	want := func(cause string, attempt, lines int) {
		t.Helper()
		for range 2 {
			n := 0
			for r, err := range q.Results(t.Context(), "") {
				if n++; err != nil || r.Target != "a.example" || r.Cause != cause || r.Attempt != attempt {
					t.Errorf("%+v, %v, want %s at attempt %d", r, err, cause, attempt)
				}
			}
			text, err := os.ReadFile(name)
			if err != nil || n != 1 || strings.Count(string(text), `"cause"`) != lines {
				t.Errorf("%d results, %v in\n%s", n, err, text)
			}
			if c, err := q.Count(t.Context()); err != nil || c.Finished != 1 {
				t.Errorf("%+v, %v", c, err)
			}
			q = reopen(t, q, name, &crawl.FileOptions{Lease: 50 * time.Millisecond})
		}
	}
	want("timeout", 2, 1)
	if n, err := q.Retry(t.Context(), "timeout"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	q = reopen(t, q, name, nil) // the file contains the offer
	lease = take()
	done(slow, "timeout") // a result of the first round
	done(lease, crawl.Found)
	want(crawl.Found, 1, 2)
}

// In a file that is opened again, targets keep the number of their attempts, and postponed
// targets come again.
func TestFileKeepsAttempts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "queue")
	q, err := crawl.OpenFile(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := q.Offer(t.Context(), "a.example"); err != nil {
			t.Fatal(err)
		}
		lease, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Fail(t.Context(), time.Hour, true); err != nil {
			t.Fatal(err)
		}
		q = reopen(t, q, name, nil)
	}
	lease, err := q.Take(t.Context())
	if err != nil || lease.Task().Attempt != 4 {
		t.Errorf("%+v, %v", lease.Task(), err)
	}
}

// A file with only results has no targets, and results that are not kept are created again.
func TestFileOfResultsOnly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	o := &crawl.FileOptions{ResultsOnly: true, Head: func(data []byte) (target, cause string, err error) {
		target, cause, _ = strings.Cut(strings.Trim(string(data), `"`), " ")
		if cause == "later" {
			target = ""
		}
		return target, cause, nil
	}}
	q, err := crawl.OpenFile(name, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"a.example", "b.example", "c.example"} {
		if added, err := q.Offer(t.Context(), target); !added || err != nil {
			t.Fatal(added, err)
		}
	}
	for _, cause := range []string{"found", "later"} {
		lease, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		target := lease.Task().Target
		if err := lease.Done(t.Context(), crawl.Result{Target: target, Cause: cause, Data: []byte(`"` + target + " " + cause + `"`)}); err != nil {
			t.Fatal(err)
		}
	}
	if added, err := q.Put(t.Context(), crawl.Result{Target: "no domain", Data: []byte(`"no domain"`)}); err == nil {
		t.Error(added, "a result that names another target was stored")
	}
	if text, err := os.ReadFile(name); string(text) != "\"a.example found\"\n\"b.example later\"\n" {
		t.Errorf("%q, %v", text, err)
	}
	q = reopen(t, q, name, o)
	for target, open := range map[string]bool{"a.example": false, "b.example": true, "c.example": true} {
		if had := q.HadResult(target); had == open {
			t.Errorf("%s had a result: %t", target, had)
		}
		if added, err := q.Offer(t.Context(), target); added != open || err != nil {
			t.Errorf("%s: %t, %v", target, added, err)
		}
	}
}

// A stream has no results to read.
func TestStream(t *testing.T) {
	var out strings.Builder
	q := crawl.NewStream(&out, nil)
	for range 2 {
		if _, err := q.Put(t.Context(), result("no domain", "host_syntax", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != "{\"target\":\"no domain\",\"cause\":\"host_syntax\"}\n" {
		t.Errorf("%q", out.String())
	}
	if n, err := q.Retry(t.Context(), ""); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(n, err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}
