package bulk

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// On a terminal, a bar shows the tally.
func TestBar(t *testing.T) {
	var b bytes.Buffer
	s := newTally(newBar(&b, 10))
	s.twice()
	s.add(nil, errors.New("x"))
	if state := s.bar.State(); state.CurrentNum != 2 || state.Max != 10 || state.Description != "0 found, 1 failed" {
		t.Errorf("the bar is at %+v", state)
	}
	s.print(&b)
	for _, want := range []string{"/10", "lines without a domain: 1, named again: 1"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

// TestProgressMovesByTime: the bar is drawn at once and while no domain ends, and shows how many
// are under way.
func TestProgressMovesByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b drawn
		s := newTally(newBar(&b, 40))
		s.most = 4
		if !strings.Contains(b.String(), "0/40") {
			t.Errorf("nothing is drawn at first: %q", b.String())
		}
		for range 8 { // more than are asked at a time
			s.begin()
		}
		ctx, cancel := context.WithCancel(t.Context())
		go s.draw(ctx)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		first := b.String()
		if !strings.Contains(first, "0 found, 0 failed, 4 under way") || strings.Count(first, "0/40") < 5 {
			t.Errorf("after two seconds: %q", first)
		}
		s.add(nil, nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if now := b.String()[len(first):]; !strings.Contains(now, "1/40") || !strings.Contains(now, "0 found, 1 failed") {
			t.Errorf("after a result: %q", now)
		}
		if all := b.String(); strings.Contains(all, "/hr") || strings.Contains(all, "/h") {
			t.Errorf("a rate before it is known: %q", all)
		}
		time.Sleep(7 * time.Second)
		synctest.Wait()
		if !strings.Contains(b.String(), ", 6/min, about ") {
			t.Errorf("no rate after ten seconds: %q", b.String())
		}
		cancel()
	})
}

// drawn takes the output of a bar, while a test reads it.
type drawn struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (d *drawn) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.Write(p)
}

func (d *drawn) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.String()
}

func TestRate(t *testing.T) {
	for second, want := range map[float64]string{250.4: "250/s", 1: "1/s", 0.5: "30/min", 0.01: "36/h"} {
		if got := rate(second); got != want {
			t.Errorf("%v a second: %q, want %q", second, got, want)
		}
	}
}
