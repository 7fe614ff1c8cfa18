package nats

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/crawltest"
	"github.com/wayfindhq/wayfind/client/crawl/nats"
)

// serve starts a server with JetStream in a directory. Port -1 means a free port.
func serve(t testing.TB, dir string, port int) *server.Server {
	t.Helper()
	return serveWithin(t, dir, port, 0)
}

// serveWithin is serve with a limited size of the disk; 0 means no limit.
func serveWithin(t testing.TB, dir string, port int, disk int64) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, JetStreamMaxStore: disk, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// testLease is the lease of the tests.
const testLease = 2 * time.Second

func TestLaws(t *testing.T) {
	s := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(s) })
	crawltest.TestQueue(t, crawltest.Maker{Lease: testLease, Apart: true, Open: func(t *testing.T, name string) crawl.Queue {
		return open(t, s.ClientURL(), name[len("TestLaws-"):])
	}})
}

func open(t *testing.T, url, name string) crawl.Queue {
	t.Helper()
	q, err := nats.Open(context.Background(), url, &nats.Options{Name: name, Lease: testLease})
	if err != nil {
		t.Fatal(err)
	}
	return q
}
