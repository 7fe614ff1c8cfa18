package nats

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	natsclient "github.com/nats-io/nats.go"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/nats"
)

// mortal dials the server until its process dies, which is after the first message with a
// certain beginning.
type mortal struct {
	until string
	dead  atomic.Bool
}

var errDead = errors.New("the process is dead")

// Dial implements nats.CustomDialer.
func (m *mortal) Dial(network, address string) (net.Conn, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &mortalConn{conn, m}, nil
}

type mortalConn struct {
	net.Conn
	*mortal
}

func (c *mortalConn) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return 0, errDead
	}
	n, err := c.Conn.Write(b)
	if bytes.Contains(b, []byte(c.until)) {
		c.dead.Store(true)
	}
	return n, err
}

// If a worker dies after the server has received its result and before it acknowledges the
// target, the target is finished, and no other worker gets it.
func TestKilledBeforeTheAcknowledgement(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	other := open(t, server.ClientURL(), "killed")
	t.Cleanup(func() { _ = other.Close() })
	process := &mortal{until: "HPUB crawl.killed.results."}
	quiet := natsclient.ErrorHandler(func(*natsclient.Conn, *natsclient.Subscription, error) {})
	worker, err := nats.Open(t.Context(), server.ClientURL(), &nats.Options{Name: "killed", Lease: testLease, Connect: []natsclient.Option{natsclient.SetCustomDialer(process), quiet}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = worker.Close() })
	if _, err := other.Offer(t.Context(), "a.example"); err != nil {
		t.Fatal(err)
	}
	first, err := worker.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testLease/2)
	defer cancel()
	if err := first.Done(ctx, crawl.Result{Target: "a.example", Cause: crawl.Found, Attempt: 1, Data: []byte("{}")}); err == nil || !process.dead.Load() {
		t.Fatalf("Done = %v: the worker has not died in time", err)
	}
	if c, err := other.Count(t.Context()); err != nil || c != (crawl.Counts{Leased: 1}) {
		t.Fatalf("%+v, %v, want a target that is leased, and not finished as well", c, err)
	}
	stored := 0
	for r, err := range other.Results(t.Context(), "") {
		if err != nil || r.Target != "a.example" {
			t.Fatalf("%+v, %v", r, err)
		}
		stored++
	}
	if stored != 1 {
		t.Fatalf("%d results are stored, want that of the worker that died", stored)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 10*testLease)
	defer cancel()
	if second, err := other.Take(ctx); !errors.Is(err, crawl.ErrEmpty) {
		t.Errorf("Take = %v, %v of a target that has a result, want ErrEmpty", second, err)
	}
	if c, err := other.Count(t.Context()); err != nil || c != (crawl.Counts{Finished: 1}) {
		t.Errorf("%+v, %v", c, err)
	}
}
