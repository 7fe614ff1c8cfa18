package nats

import (
	"context"
	"testing"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// TestUnstoredAnswersOfAllWorkers checks that the last number of each worker is included, also
// after the worker has ended, and that the counts of targets do not change.
func TestUnstoredAnswersOfAllWorkers(t *testing.T) {
	s := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(s) })
	first := open(t, s.ClientURL(), "unstored")
	if _, err := first.Offer(t.Context(), "a.example"); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		worker string
		n      uint64
	}{{"a", 3}, {"b", 4}, {"a", 5}} {
		if err := first.(crawl.Ledger).Unstored(context.Background(), row.worker, row.n); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, s.ClientURL(), "unstored")
	defer second.Close()
	if c, err := second.Count(t.Context()); err != nil || c != (crawl.Counts{Waiting: 1, Unstored: 9}) {
		t.Errorf("%+v, %v", c, err)
	}
}
