package crawltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/crawl"
)

func offerOnce(_ *testing.T, l *lab) {
	l.offer("a.example")
	l.wantNotAdded("a.example", "it waits")
	lease := l.take()
	l.wantNotAdded("a.example", "it is leased")
	l.finish(lease, crawl.Found)
	l.wantNotAdded("a.example", "it is finished")
	l.wantEmpty()
	l.wantResults(map[string]string{"a.example": crawl.Found})
}

func offerSpelling(_ *testing.T, l *lab) {
	l.offer("https://A.Example./")
	for _, same := range []string{"a.example", "A.EXAMPLE", "https://a.example:443"} {
		l.wantNotAdded(same, "the same target")
	}
	l.offer("a.example/base", "b.a.example", "xn--bcher-kva.example")
	l.wantNotAdded("bücher.example", "the same target")
}

func offerNonsense(t *testing.T, l *lab) {
	for _, nonsense := range []string{"", "no host", "http://a.example", "*", ">", "a.example\x00", "127.0.0.1", strings.Repeat("a", 5000)} {
		if added, err := l.Offer(l.Context(), nonsense); err == nil || added {
			t.Errorf("Offer(%q) = %t, %v, want an error", nonsense, added, err)
		}
	}
	long := "a.example/" + strings.Repeat("%C3%A4/", 200)
	l.offer("a-b.example/*/%3E/x.y_z", long)
	got := map[string]bool{}
	for range 2 {
		lease := l.take()
		got[lease.Task().Target] = true
		l.finish(lease, crawl.Found)
	}
	for _, target := range []string{"a-b.example/*/%3E/x.y_z", long} {
		key, err := crawl.Key(target)
		if err != nil || !got[key] {
			t.Errorf("%q was not taken as %q (%v): %v", target, key, err, got)
		}
	}
}

func takeOnce(_ *testing.T, l *lab) {
	want := map[string]string{}
	for i := range 20 {
		target := fmt.Sprintf("d%02d.example", i)
		l.offer(target)
		want[target] = crawl.Found
	}
	var leases []crawl.Lease
	for range want {
		leases = append(leases, l.take())
	}
	for _, lease := range leases {
		if task := lease.Task(); task.Attempt != 1 {
			l.Errorf("%+v, want attempt 1", task)
		}
		l.finish(lease, crawl.Found)
	}
	l.wantEmpty()
	l.wantResults(want)
}

// takeWaits checks that Take waits while a target is leased, because the target may be
// returned.
func takeWaits(_ *testing.T, l *lab) {
	l.offer("a.example")
	lease := l.take()
	ctx, cancel := context.WithTimeout(l.Context(), l.m.Lease/4)
	defer cancel()
	if other, err := l.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		l.Fatalf("Take = %v, %v, want the end of its context", other, err)
	}
	l.finish(lease, crawl.Found)
	l.wantEmpty()
}

func empty(_ *testing.T, l *lab) {
	l.wantEmpty()
	l.wantCounts(0, 0, 0)
	l.wantResults(map[string]string{})
	if n, err := l.Retry(l.Context(), ""); n != 0 || err != nil {
		l.Errorf("Retry = %d, %v", n, err)
	}
}
