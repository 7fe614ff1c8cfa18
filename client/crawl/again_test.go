package crawl

import (
	"context"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// A domain that the end of a worker cut short has no result, also when all of its places
// had been asked by then, and the findings had not been put together.
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
