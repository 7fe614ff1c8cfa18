package nats

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/nats"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A worker is cut off from the queue for three times its lease and then connected again. No
// target is lost, no target is asked twice within a lease, and each target has one result.
func TestPartition(t *testing.T) {
	names := domains(testkit.Size(100, 300))
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	f := newFleet(t, server.ClientURL(), names)
	f.load(names)
	w := newWire(t, server.Addr().String())
	var fleet sync.WaitGroup
	said := make([]string, workers)
	fleet.Go(func() { said[0] = f.worker(0, place{queue: w.url()}) })
	for f.status().Leased == 0 { // only this worker takes targets so far
		time.Sleep(100 * time.Millisecond)
	}
	w.cut(true, true)
	for i := 1; i < workers; i++ {
		fleet.Go(func() { said[i] = f.worker(i, place{queue: f.queue}) })
	}
	time.Sleep(3 * fleetLease)
	w.cut(false, false)
	f.wait()
	fleet.Wait()
	ended := 0
	for i, text := range said {
		t.Logf("worker %d: %s", i, text)
		ended += endedBy(text)
	}
	if ended <= len(names) {
		t.Errorf("%d leases ended with a result or were lost: the worker that was cut off had none", ended)
	}
	f.wantOneResultEach(names)
	f.wantPolite()
}

// endedBy returns the number of leases that ended with a result, the first or a later one, or
// that were lost, from the last line of a worker's output. Warnings may precede it.
func endedBy(report string) (n int) {
	report = strings.TrimSpace(report)
	results, rest, _ := strings.Cut(report[strings.LastIndex(report, "\n")+1:], ";")
	_, lost, _ := strings.Cut(rest, "lost to other workers")
	for _, number := range regexp.MustCompile(`: (\d+)`).FindAllStringSubmatch(results+lost, -1) {
		one, _ := strconv.Atoi(number[1]) // it is a number
		n += one
	}
	return n
}

// A worker that gets no confirmation of its result sends it again, but only one is stored.
func TestResultTwice(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	w := newWire(t, server.Addr().String())
	const lease = time.Minute
	q, err := nats.Open(t.Context(), w.url(), &nats.Options{Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Offer(t.Context(), "a.example"); err != nil {
		t.Fatal(err)
	}
	l, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.cut(false, true)
	done := make(chan error, 1)
	go func() {
		done <- l.Done(t.Context(), crawl.Result{Target: "a.example", Cause: crawl.Found, Attempt: 1, Data: []byte(`{"target":"a.example"}`)})
	}()
	time.Sleep(7 * time.Second) // the first try ends without an answer after five seconds
	w.cut(false, false)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	counts, err := q.Count(t.Context())
	if want := (crawl.Counts{Finished: 1}); err != nil || counts != want {
		t.Errorf("counts %+v, %v, want %+v", counts, err, want)
	}
	f := &fleet{TB: t, program: build(t), queue: server.ClientURL()}
	if out := f.run("", "crawl", "results"); out != `{"target":"a.example"}`+"\n" {
		t.Errorf("results: %q", out)
	}
}

// A full queue accepts nothing and reports it, and continues when there is room.
func TestFull(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	f := &fleet{TB: t, program: build(t), queue: server.ClientURL()}
	names := domains(400)
	list := strings.Join(names, "\n")
	out, errs := f.fails(3, list, "crawl", "load", "--queue-bytes", "20000", "-")
	if !strings.Contains(errs, "the queue is full") || !strings.Contains(errs, "--queue-bytes") || strings.Count(errs, "\n") > 3 {
		t.Errorf("load said %s", errs)
	}
	first := waiting(t, f)
	if want := fmt.Sprintf("offered: %d, there already: 0, lines without a domain: 0\n", first); out != want || first == 0 || first == len(names) {
		t.Errorf("load printed %q, and %d wait", out, first)
	}
	q, err := nats.Open(t.Context(), f.queue, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	const finished = 20
	for range finished {
		l, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Done(t.Context(), crawl.Result{Target: l.Task().Target, Cause: crawl.Found, Attempt: 1}); err != nil {
			t.Fatal(err)
		}
	}
	f.fails(3, list, "crawl", "load", "-") // another command does not change the limit
	if now := waiting(t, f); now <= first-finished || now > first+finished {
		t.Errorf("%d wait after %d were finished, before %d", now, finished, first)
	}
	f.run(list, "crawl", "load", "--queue-bytes", "-1", "-")
	if now := waiting(t, f); now != len(names)-finished {
		t.Errorf("%d wait in a queue without a bound, want %d", now, len(names)-finished)
	}
}

// The same applies to a server whose disk is full.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	server := serveWithin(t, dir, -1, 64<<10)
	f := &fleet{TB: t, program: build(t), queue: server.ClientURL()}
	names := domains(2000)
	list := strings.Join(names, "\n")
	_, errs := f.fails(3, list, "crawl", "load", "-")
	if !strings.Contains(errs, "the queue is full") {
		t.Errorf("load said %s", errs)
	}
	first := waiting(t, f)
	if first == 0 || first == len(names) {
		t.Errorf("%d of %d wait", first, len(names))
	}
	stop(server)
	server = serve(t, dir, -1)
	defer func() { stop(server) }()
	f.queue = server.ClientURL()
	if want, got := fmt.Sprintf("offered: %d, there already: %d, lines without a domain: 0\n", len(names)-first, first), f.run(list, "crawl", "load", "-"); got != want {
		t.Errorf("load printed %q, want %q", got, want)
	}
}

// A worker whose results have no room ends, loses no result and prints the reason.
func TestFullOfResults(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	q, err := nats.Open(t.Context(), server.ClientURL(), &nats.Options{MaxBytes: 4000, Lease: testLease})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for i := range 8 {
		if _, err := q.Offer(t.Context(), fmt.Sprintf("d%d.example", i)); err != nil {
			t.Fatal(err)
		}
	}
	data := make([]byte, 3000)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	stored := 0
	for {
		l, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = l.Done(t.Context(), crawl.Result{Target: l.Task().Target, Cause: crawl.Found, Attempt: 1, Data: data})
		if err != nil {
			if !strings.Contains(err.Error(), crawl.ErrFull.Error()) {
				t.Fatal(err)
			}
			break
		}
		stored++
	}
	counts, err := q.Count(t.Context())
	if err != nil || int(counts.Finished) != stored || int(counts.Open()) != 8-stored {
		t.Errorf("counts %+v, %v with %d results", counts, err, stored)
	}
}

// waiting returns the number of waiting domains.
func waiting(t *testing.T, f *fleet) int {
	t.Helper()
	var s status
	if err := json.Unmarshal([]byte(f.run("", "crawl", "status", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	return s.Waiting
}

// The first command sets the lease of a queue. Another lease is refused, because workers rely
// on it.
func TestLeaseOfTheQueue(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	open := func(lease time.Duration) error {
		q, err := nats.Open(t.Context(), server.ClientURL(), &nats.Options{Lease: lease})
		if err == nil {
			err = q.Close()
		}
		return err
	}
	for i, lease := range []time.Duration{5 * time.Second, 0, 5 * time.Second} {
		if err := open(lease); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	if err := open(6 * time.Second); err == nil || !strings.Contains(err.Error(), "5s and not 6s") {
		t.Errorf("another lease: %v", err)
	}
}
