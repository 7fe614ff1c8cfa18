package bulk

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/crawl"
)

// A worker shows its progress: the number of results, their rate, the remaining time, and the next
// domain that was put off.
func TestAWorkerShowsItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := crawl.NewStream(&bytes.Buffer{}, resultsOf(&batchFlags{}))
		w := newWatched(queue)
		for _, target := range []string{"a.example", "b.example", "c.example"} {
			if _, err := queue.Offer(t.Context(), target); err != nil {
				t.Fatal(err)
			}
		}
		first, err := w.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := w.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, line, err := encodeResult(result{Target: first.Task().Target}, nil)
		if err != nil {
			t.Fatal(err)
		}
		done := crawl.Result{Target: first.Task().Target, Cause: crawl.Found, Data: line}
		if err := first.Done(t.Context(), done); err != nil {
			t.Fatal(err)
		}
		w.told(done, nil, nil)
		time.Sleep(5 * time.Second)
		c, err := w.Count(t.Context())
		if line := w.line(c, time.Now()); err != nil || !strings.HasSuffix(line, "1 done (found: 1), 12/min, 2 open, about 10s left") {
			t.Errorf("%s, %v", line, err)
		}
		if err := second.Fail(t.Context(), time.Minute, true); err != nil {
			t.Fatal(err)
		}
		c, err = w.Count(t.Context())
		if line := w.line(c, time.Now()); err != nil || !strings.HasSuffix(line, ", 2 open, 1 of them put off: next b.example at "+time.Now().Add(time.Minute).UTC().Format("15:04:05Z")) {
			t.Errorf("%s, %v", line, err)
		}
		if err := queue.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A text of a stranger is no formula, and a failure has its cause and its words.
func TestTablesOfResultsHoldNoFormulas(t *testing.T) {
	for in, want := range map[string]string{"=cmd|'/c calc'!A0": "'=cmd|'/c calc'!A0", "+1": "'+1", "-1": "'-1", "@x": "'@x", "plain": "plain", "": "", "a\nb": `a\nb`} {
		if got := cellOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	_, line, err := encodeResult(result{Target: "a.example"}, wayfind.NewError("resolve", "https://a.example", wayfind.CodeTimeout, errors.New("late")))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	write, end, err := resultShape{csv: "domains"}.writer(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(crawl.Result{Target: "a.example", Data: line}), end()); err != nil {
		t.Fatal(err)
	}
	if want := "a.example,timeout,unreachable,0,0,,,resolve https://a.example: unreachable (timeout): late\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s, want %s", out.String(), want)
	}
}
