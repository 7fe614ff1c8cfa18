package suites

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"
)

// Ways to ask a host for every place. All open their resources and keep none.

// atOnce is what one writes first: every URL in a goroutine of its own.
func (n *network) atOnce(host string, paths []string) error {
	t := n.transport()
	defer t.CloseIdleConnections()
	var g errgroup.Group
	for _, path := range paths {
		g.Go(func() error { return get(t, host, path) })
	}
	return g.Wait()
}

// inSequence asks one place after the other.
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

// oneConn is the least that net/http can do: one connection, all at once, and
// nothing is judged, read or kept.
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

// single is one GET by a new transport.
func (n *network) single(host, path string) error {
	t := n.transport()
	defer t.CloseIdleConnections()
	return get(t, host, path)
}

var _ http.RoundTripper = (*http.ClientConn)(nil)
