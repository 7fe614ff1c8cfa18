package suites

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"
)

// These are ways to request all places of a host. All open their resources and keep none.

// atOnce requests each URL in a separate goroutine, which is the obvious way.
func (n *network) atOnce(host string, paths []string) error {
	t := n.transport()
	defer t.CloseIdleConnections()
	var g errgroup.Group
	for _, path := range paths {
		g.Go(func() error { return get(t, host, path) })
	}
	return g.Wait()
}

// inSequence requests one place after another.
func (n *network) inSequence(host string, paths []string) error {
	t := n.transport()
	defer t.CloseIdleConnections()
	for _, path := range paths {
		if err := get(t, host, path); err != nil {
			return err
		}
	}
	return nil
}

// oneConn is the minimum with net/http: one connection and all requests at once. Nothing is
// judged, read or kept.
func (n *network) oneConn(host string, paths []string) error {
	t := n.transport()
	conn, err := t.NewClientConn(context.Background(), "https", host+":443")
	if err != nil {
		return err
	}
	defer conn.Close()
	var g errgroup.Group
	for _, path := range paths {
		g.Go(func() error { return get(conn, host, path) })
	}
	return g.Wait()
}

// single sends one GET with a new transport.
func (n *network) single(host, path string) error {
	t := n.transport()
	defer t.CloseIdleConnections()
	return get(t, host, path)
}

var _ http.RoundTripper = (*http.ClientConn)(nil)
