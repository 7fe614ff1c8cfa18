package suites

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

const (
	oneGet  = "one GET, new connection"
	manyGet = "http.Transport, all places at once"
)

// site answers with a manifest and a card, and otherwise with 404.
func site(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/agent":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = fmt.Fprint(w, manifest(r.Host, 20))
	case "/.well-known/agent-card.json":
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"protocolVersion": "0.3.0", "name": "Agent", "description": "An agent for benchmarks", "url": "https://%s/a2a", "version": "1",
			"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
			"skills": [{"id": "find", "name": "Find", "description": "Finds", "tags": ["x"]}]}`, r.Host)
	default:
		http.NotFound(w, r)
	}
}

// cold compares first Resolves, each of another domain, with requests.
func cold(c measure.Config) ([]*measure.Table, error) {
	server, loopback := startServer(http.HandlerFunc(site))
	defer server.Close()
	wayfind, err := client.New(loopback.options())
	if err != nil {
		return nil, err
	}
	defer wayfind.Close()
	var domains atomic.Int64
	next := func() string { return fmt.Sprintf("d%d.example.com", domains.Add(1)) }
	all := paths()
	every := func(f func(host string) error) func(int) {
		return func(n int) {
			for range n {
				if err := f(next()); err != nil {
					panic(err)
				}
			}
		}
	}
	cards := server.Client()
	title := fmt.Sprintf("A cold Resolve over loopback, HTTP/2, %d places", len(all))
	table, err := measure.Compare(title, c,
		measure.Case{Name: oneGet, Run: every(func(host string) error { return loopback.single(host, all[0]) }), MaxAllocs: -1},
		measure.Case{Name: manyGet, Run: every(func(host string) error { return loopback.atOnce(host, all) }), Reference: oneGet, MaxAllocs: -1},
		measure.Case{Name: "http.Transport, in sequence", Run: every(func(host string) error { return loopback.inSequence(host, all) }), Reference: oneGet, MaxAllocs: -1},
		measure.Case{Name: "NewClientConn, all places at once", Run: every(func(host string) error { return loopback.oneConn(host, all) }), Reference: oneGet, MaxAllocs: -1},
		measure.Case{Name: "TLS handshake alone", Run: every(loopback.handshake), Reference: oneGet, MaxAllocs: -1},
		measure.Case{Name: "a2a-go resolver, one place, warm connection", Run: every(func(string) error {
			_, err := agentcard.NewResolver(cards).Resolve(context.Background(), "https://example.com")
			return err
		}), Reference: oneGet, MaxAllocs: -1},
		measure.Case{Name: "Resolve", Run: every(func(host string) error {
			_, err := wayfind.Resolve(context.Background(), host)
			return err
		}), Reference: oneGet, Goal: 2, MaxAllocs: -1},
		measure.Case{Name: "Resolve, beside it", Run: every(func(host string) error {
			_, err := wayfind.Resolve(context.Background(), host)
			return err
		}), Reference: manyGet, Goal: 0.3, MaxAllocs: -1},
	)
	if err != nil {
		return nil, err
	}
	return []*measure.Table{table}, nil
}
