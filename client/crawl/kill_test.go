package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// mortal is a process that dies at one of its steps. Each call of the queue and the store, and
// each write to a connection, is a step. A dead process has no effect.
type mortal struct {
	left  atomic.Int64 // steps until it dies
	steps atomic.Int64 // steps that it has made
	die   context.CancelFunc
}

var errDead = errors.New("the process is dead")

func (m *mortal) step() error {
	m.steps.Add(1)
	if m.left.Add(-1) < 0 {
		m.die()
		return errDead
	}
	return nil
}

// mortalQueue is the queue for a mortal.
type mortalQueue struct {
	crawl.Queue
	*mortal
}

func (q mortalQueue) Take(ctx context.Context) (crawl.Lease, error) {
	if err := q.step(); err != nil {
		return nil, err
	}
	l, err := q.Queue.Take(ctx)
	if err != nil {
		return nil, err
	}
	return mortalLease{l, q.mortal}, nil
}

func (q mortalQueue) Results(context.Context, string) iter.Seq2[crawl.Result, error] { panic("unused") }

type mortalLease struct {
	crawl.Lease
	*mortal
}

func (l mortalLease) Renew(ctx context.Context) error {
	return errors.Join(l.step(), l.unless(func() error { return l.Lease.Renew(ctx) }))
}

func (l mortalLease) Done(ctx context.Context, r crawl.Result) error {
	return errors.Join(l.step(), l.unless(func() error { return l.Lease.Done(ctx, r) }))
}

func (l mortalLease) Fail(ctx context.Context, after time.Duration, counted bool) error {
	return errors.Join(l.step(), l.unless(func() error { return l.Lease.Fail(ctx, after, counted) }))
}

// unless calls do if the process is alive.
func (m *mortal) unless(do func() error) error {
	if m.left.Load() < 0 {
		return errDead
	}
	return do()
}

// mortalStore is the shared store for a mortal.
type mortalStore struct {
	cache.ObligationStore
	*mortal
}

func (s mortalStore) Acquire(ctx context.Context, key string, until time.Time) (bool, time.Time, func(), error) {
	if err := s.step(); err != nil {
		return false, time.Time{}, nil, err
	}
	ok, held, release, err := s.ObligationStore.Acquire(ctx, key, until)
	if release == nil {
		return ok, held, nil, err
	}
	return ok, held, func() {
		if s.step() == nil {
			release()
		}
	}, err
}

func (s mortalStore) Hold(ctx context.Context, key string, until time.Time) error {
	return errors.Join(s.step(), s.unless(func() error { return s.ObligationStore.Hold(ctx, key, until) }))
}

func (s mortalStore) Close() error { return nil } // the store is shared

// mortalConn is a connection that a dead process cannot use.
type mortalConn struct {
	net.Conn
	*mortal
}

func (c mortalConn) Write(b []byte) (int, error) {
	if err := c.step(); err != nil {
		_ = c.Close()
		return 0, err
	}
	return c.Conn.Write(b)
}

const (
	killLease = 3 * time.Second
	killRest  = 30 * time.Second
	killPause = 2 * time.Second
)

// lab is a queue, a shared store and sites, for the workers of one test.
type lab struct {
	*testing.T
	internet *clienttest.Internet
	queue    *crawl.File
	store    cache.ObligationStore
	targets  []string
	delay    time.Duration // of the sites, for each request
}

// newLab creates two sites with some domains each.
func newLab(t *testing.T, delay time.Duration, domains int) *lab {
	l := emptyLab(t, delay)
	for site := range 2 {
		for i := range domains {
			name := fmt.Sprintf("d%d.site%d.com", i, site)
			l.host(name, l.pages(name))
		}
	}
	return l
}

func emptyLab(t *testing.T, delay time.Duration) *lab {
	l := &lab{T: t, internet: clienttest.New(t), delay: delay}
	var err error
	if l.queue, err = crawl.OpenFile(filepath.Join(t.TempDir(), "queue"), &crawl.FileOptions{Lease: killLease}); err != nil {
		t.Fatal(err)
	}
	if l.store, err = memory.New(1 << 20); err != nil {
		t.Fatal(err)
	}
	return l
}

// host creates a domain and offers it.
func (l *lab) host(name string, pages http.Handler) {
	l.internet.Host(name, pages)
	l.targets = append(l.targets, name)
	if _, err := l.queue.Offer(l.Context(), name); err != nil {
		l.Fatal(err)
	}
}

// pages returns the pages of a domain whose site requires a delay.
func (l *lab) pages(name string) clienttest.Pages {
	return clienttest.Pages{
		"/robots.txt": fmt.Sprintf("User-agent: *\nCrawl-delay: %.0f\n", l.delay.Seconds()),
		"/llms.txt":   "# " + name + "\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n",
	}
}

// work runs a worker that dies at a step, and returns the number of its steps.
func (l *lab) work(diesAt int64) (int64, crawl.Report, error) {
	return l.workUntil(l.Context(), diesAt)
}

// workUntil is work with a worker that is stopped when ctx ends.
func (l *lab) workUntil(ctx context.Context, diesAt int64) (int64, crawl.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := &mortal{die: cancel}
	m.left.Store(diesAt)
	o := l.internet.Options()
	o.Formats = []*parse.Format{llmstxt.Format(), robots.Format()}
	o.Robots.Mode = client.RobotsEnforce
	o.Network.Dial = func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
		conn, err := l.internet.Dial(ctx, at)
		if err != nil {
			return nil, err
		}
		return mortalConn{conn, m}, nil
	}
	c, err := client.New(o)
	if err != nil {
		l.Fatal(err)
	}
	defer c.Close()
	report, err := crawl.Work(ctx, c, mortalQueue{l.queue, m}, &crawl.Options{
		InFlight: 2, Pause: killPause, Rest: killRest, Store: mortalStore{l.store, m}, Backoff: time.Second,
	})
	return m.steps.Load(), report, err
}

// wantDone checks that each target has one result, and that the sites had their pauses.
func (l *lab) wantDone(diedAt int64) {
	got := map[string]int{}
	for r, err := range l.queue.Results(l.Context(), "") {
		if err != nil {
			l.Fatal(err)
		}
		got[r.Target]++
		if r.Cause != crawl.Found {
			l.Errorf("killed at step %d: %s ended with %s: %s", diedAt, r.Target, r.Cause, r.Data)
		}
	}
	for _, target := range l.targets {
		if got[target] != 1 {
			l.Errorf("killed at step %d: %s has %d results", diedAt, target, got[target])
		}
	}
	sites := map[string][]clienttest.Request{}
	for _, r := range l.internet.Requests() {
		_, site, _ := strings.Cut(r.Host, ".")
		sites[site] = append(sites[site], r)
	}
	for site, requests := range sites {
		sort.SliceStable(requests, func(i, j int) bool { return requests[i].Time.Before(requests[j].Time) })
		visit := 1
		for i := 1; i < len(requests); i++ {
			before, now := requests[i-1], requests[i]
			gap := now.Time.Sub(before.Time)
			if now.Host == before.Host && gap < time.Second {
				visit++
				continue
			}
			want := max(killPause, time.Duration(visit)*l.delay)
			if visit == 1 {
				want = min(want, killRest-killPause) // it may have died before it read robots.txt
			}
			if gap < want {
				l.Errorf("killed at step %d: %s was asked for %s %v after %d requests to %s, want %v", diedAt, site, now.Host, gap, visit, before.Host, want)
			}
			visit = 1
		}
	}
}

// A worker is killed at each of its steps, and two others continue: each target has one result,
// and no site is asked during its pause.
func TestKilledAtEveryStep(t *testing.T) {
	killedAtEveryStep(t, 2*time.Second, 5)
}

// The same with sites whose own pause is longer than the pause after a death.
func TestKilledAtSlowSites(t *testing.T) {
	killedAtEveryStep(t, killRest, 2)
}

func killedAtEveryStep(t *testing.T, delay time.Duration, domains int) {
	steps := int64(1)
	for diesAt := int64(0); diesAt < steps; diesAt += int64(testkit.Stride()) {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, delay, domains)
			defer func() {
				if err := errors.Join(l.queue.Close(), l.store.Close()); err != nil {
					t.Error(err)
				}
			}()
			made, _, err := l.work(diesAt)
			if made <= diesAt && err != nil {
				t.Fatal(err)
			}
			steps = max(steps, made)
			var others sync.WaitGroup
			for range 2 {
				others.Go(func() {
					if _, _, err := l.work(1 << 40); err != nil {
						t.Error(err)
					}
				})
			}
			others.Wait()
			l.wantDone(diesAt)
		})
		if t.Failed() {
			break
		}
		if diesAt == 0 {
			synctest.Test(t, func(t *testing.T) { // counts the steps
				l := newLab(t, delay, domains)
				made, report, err := l.work(1 << 40)
				if err != nil || report.Results[crawl.Found] != len(l.targets) {
					t.Fatalf("%+v, %v", report, err)
				}
				steps = max(steps, made)
				l.wantDone(-1)
				if err := errors.Join(l.queue.Close(), l.store.Close()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Logf("%d steps", steps)
	if steps < int64(10*domains) {
		t.Errorf("%d steps: the worker did too little", steps)
	}
}
