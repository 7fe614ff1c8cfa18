package nats

import (
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// The server knows the rate of the last results and the next target that is due: the first
// target of those that workers report which was not due before.
func TestThePaceOfACrawlIsTheSameForAllWhoAsk(t *testing.T) {
	s := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(s) })
	q, other := open(t, s.ClientURL(), "pace").(crawl.Timed), open(t, s.ClientURL(), "pace").(crawl.Timed)
	t.Cleanup(func() { _ = q.Close() })
	t.Cleanup(func() { _ = other.Close() })
	if p, err := other.Pace(t.Context()); err != nil || p != (crawl.Pace{}) {
		t.Errorf("nothing was done: %+v, %v", p, err)
	}
	for _, target := range []string{"a.example", "b.example", "c.example"} {
		if _, err := q.Offer(t.Context(), target); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		l, err := q.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Done(t.Context(), crawl.Result{Target: l.Task().Target, Cause: crawl.Found, Attempt: 1}); err != nil {
			t.Fatal(err)
		}
	}
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	for worker, at := range map[string]time.Time{"one": soon.Add(time.Hour), "two": soon, "three": soon.Add(-2 * time.Hour)} {
		if err := q.Due(t.Context(), worker, worker+".example", at); err != nil {
			t.Fatal(err)
		}
	}
	p, err := other.Pace(t.Context())
	if err != nil || p.Rate <= 0 || p.Rate > 2 || p.Next != "two.example" || !p.Due.Equal(soon) {
		t.Errorf("%+v, %v", p, err)
	}
	if err := q.Due(t.Context(), "two", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if p, err := other.Pace(t.Context()); err != nil || p.Next != "one.example" {
		t.Errorf("when the second worker has ended: %+v, %v", p, err)
	}
	if c, err := other.Count(t.Context()); err != nil || c != (crawl.Counts{Waiting: 1, Finished: 2}) {
		t.Errorf("%+v, %v", c, err)
	}
}
