// Command a2acard puts package cache below the agent-card resolver of a2a-go,
// which fetches a card anew each time it is asked: four resolves, one fetch.
//
//	go run .
//
// A2A §8.6 wants clients to honour HTTP caching of agent cards. The resolver
// takes any *http.Client, so one that caches is all it needs. The program is a
// module of its own, as yours would be, and asks nothing but a server that it
// starts on loopback.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

const (
	// resolves is how often the program wants the card.
	resolves = 4
	// cacheBytes bounds the memory of the cache; a card is a few kilobytes.
	cacheBytes = 16 << 20
	// timeout bounds one resolve.
	timeout = 30 * time.Second
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	agent, err := newAgent()
	if err != nil {
		return err
	}
	server := httptest.NewTLSServer(agent)
	defer server.Close()

	// These lines are what your program needs. Below the cache stands the
	// transport that you use today; here it trusts the server's certificate.
	store, err := memory.New(cacheBytes)
	if err != nil {
		return err
	}
	defer store.Close()
	client := cache.NewClient(store, server.Client().Transport)
	client.Timeout = timeout
	resolver := agentcard.NewResolver(client)

	client.Transport = reporter{client.Transport} // only to print what happens

	for range resolves {
		card, err := resolver.Resolve(ctx, server.URL)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s\n", card.Name, card.Version)
	}
	fmt.Printf("the agent was asked %d time(s)\n", agent.asked.Load())
	return nil
}

// reporter prints how the cache below it answered. You need it only if you
// want to know: the response itself says so in Cache-Status.
type reporter struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (r reporter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if entry, facts, ok := cache.Of(resp); ok {
		fmt.Printf("%s from %s, fresh for %v: ", req.URL.Path, facts.From, entry.Lifetime.For)
	}
	return resp, nil
}

// agent serves its card with the two fields that A2A §8.6 asks of servers: how
// long it is fresh, and a tag to revalidate it by afterwards.
type agent struct {
	card  []byte
	etag  string
	asked atomic.Int64
}

func newAgent() (*agent, error) {
	card, err := json.Marshal(&a2a.AgentCard{
		Name:        "Recipe agent",
		Description: "Finds recipes for the food in the fridge",
		Version:     "1.2.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface("https://recipes.example/a2a", a2a.TransportProtocolJSONRPC),
		},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{
			ID: "find", Name: "Find a recipe", Description: "Finds a recipe by its ingredients", Tags: []string{"cooking"},
		}},
	})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(card)
	return &agent{card: card, etag: fmt.Sprintf(`"%x"`, sum[:8])}, nil
}

// ServeHTTP answers every path with the card. http.ServeContent compares
// If-None-Match with the ETag and says 304 where they agree.
func (a *agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.asked.Add(1)
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Etag", a.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.card))
}
