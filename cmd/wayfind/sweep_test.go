package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

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

// manyTargets is the number of targets that may be asked without the address of an operator.
const manyTargets = 10_000

// TestSweepNeedsContact: a list of more than 10,000 targets needs the address of
// its operator, from a file before the first request.
func TestSweepNeedsContact(t *testing.T) {
	var list strings.Builder
	for i := range manyTargets + 1 {
		list.WriteString(strings.Repeat("a", 1+i%20) + ".example\n") // named again: not asked again
	}
	file := writeFile(t, list.String())
	code, out, errs := exec(t, "", "batch", "--cache", "none", file)
	if code != ui.ExitUsage || !strings.Contains(errs, "--contact ADDRESS tells the operators") || !strings.Contains(out, `"code":"usage"`) {
		t.Errorf("exit status %d\n%s%s", code, out, errs)
	}
}

// TestAPipeNeedsContactInTime: the length of a list from a pipe is known when that many targets were
// asked.
func TestAPipeNeedsContactInTime(t *testing.T) {
	b := &batch{sum: newTally(nil)}
	for range anonymousTargets {
		if !b.mayAsk() {
			t.Fatal("too early")
		}
	}
	if b.mayAsk() {
		t.Error("the next one is asked")
	}
	b.contact = true
	if !b.mayAsk() {
		t.Error("with an address it is not")
	}
}

// TestExcluded: a host that is excluded takes those below it along.
func TestExcluded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no")
	if err := os.WriteFile(file, []byte("# opted out\nshop.example\n https://a.b.example/x # one host\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts, err := readExcluded(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{excluded: hosts}
	for host, want := range map[string]bool{"shop.example": true, "www.shop.example": true, "b.example": false, "a.b.example": true, "myshop.example": false, "example": false} {
		if got := b.isExcluded(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
	if err := os.WriteFile(file, []byte("no such\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readExcluded(t.Context(), file); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
}
