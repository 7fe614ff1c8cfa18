package nats

import (
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// If a worker has stored a result and not yet acknowledged the target, both are in the server.
func TestATargetWithAResultThatIsNotAcknowledgedIsCountedOnce(t *testing.T) {
	s := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(s) })
	q := open(t, s.ClientURL(), "count")
	t.Cleanup(func() { _ = q.Close() })
	for _, target := range []string{"a.example", "b.example", "c.example"} {
		if _, err := q.Offer(t.Context(), target); err != nil {
			t.Fatal(err)
		}
	}
	done, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Done(t.Context(), crawl.Result{Target: done.Task().Target, Cause: crawl.Found, Attempt: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := natsgo.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "crawl.count.results.unacknowledged", nil); err != nil {
		t.Fatal(err)
	}
	got, err := q.Count(t.Context())
	if want := (crawl.Counts{Waiting: 1, Leased: 1, Finished: 1}); err != nil || got != want {
		t.Errorf("three targets are counted as %+v, want %+v (%v)", got, want, err)
	}
}
