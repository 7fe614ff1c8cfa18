package crawl

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
)

// If a worker ends before the result of a domain is complete, there is no result, even if all
// places had been asked.
func TestCutShortIsNoResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	site := &wayfind.Site{Probes: []wayfind.Probe{{URL: "https://a.example/llms.txt", Verdict: wayfind.VerdictAbsent}}}
	err := wayfind.NewError("resolve", "https://a.example", wayfind.CodeCanceled, context.Canceled)
	for _, once := range []bool{false, true} {
		w := &worker{opts: (&Options{Once: once}).withDefaults()}
		if after, counted := w.again(ctx, Task{Target: "a.example", Attempt: w.opts.Attempts}, site, err); after <= 0 || counted {
			t.Errorf("once %t: after %v, counted %t, want it to be asked again", once, after, counted)
		}
	}
}

// A domain that is incomplete is asked again, found or not, but not endlessly.
func TestAnIncompleteDomainIsAskedAgain(t *testing.T) {
	site := &wayfind.Site{Incomplete: &wayfind.Incomplete{Missing: []wayfind.Missing{{Verdict: wayfind.VerdictThrottled, URLs: []string{"https://a.example/llms.txt"}}}, NotBefore: time.Now().Add(time.Hour)}}
	for name, test := range map[string]struct {
		opts    *Options
		attempt int
		again   bool
	}{
		"the first": {nil, 1, true}, "the last": {&Options{Attempts: 3}, 3, false}, "only one": {&Options{Once: true}, 1, false},
	} {
		w := &worker{opts: test.opts.withDefaults()}
		for _, err := range []error{nil, wayfind.NewError("resolve", "", "", nil).WithKind(wayfind.ErrNotFound)} {
			after, counted := w.again(t.Context(), Task{Target: "a.example", Attempt: test.attempt}, site, err)
			if after > 59*time.Minute != test.again || !counted {
				t.Errorf("%s, %v: after %v, counted %t", name, err, after, counted)
			}
		}
	}
}

// The time between two attempts doubles up to an hour and then remains an hour.
func TestBackoffStaysAnHour(t *testing.T) {
	for attempt, want := range map[int]time.Duration{
		math.MinInt: time.Minute, 0: time.Minute, 1: time.Minute, 2: 2 * time.Minute, 6: 32 * time.Minute, 7: time.Hour, 28: time.Hour, 29: time.Hour, 64: time.Hour, math.MaxInt: time.Hour,
	} {
		if got := backoff(time.Minute, attempt); got != want {
			t.Errorf("after attempt %d: %v, want %v", attempt, got, want)
		}
	}
	if got := backoff(2*time.Hour, 1); got != time.Hour {
		t.Errorf("a first backoff of two hours: %v", got)
	}
}
