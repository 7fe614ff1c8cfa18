// Command a2acard uses package cache with the agent-card resolver of a2a-go, which otherwise
// fetches the card on each call: four resolves, one fetch.
//
//	go run .
//
// A2A §8.6 requires clients to respect HTTP caching of agent cards. The resolver accepts any
// *http.Client, so it only needs a client with a cache. The program is a separate module, as
// yours would be, and only asks a server that it starts on loopback.
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
	// resolves is the number of times that the program needs the card.
	resolves = 4
	// cacheBytes is the maximum size of the cache. A card has a few kilobytes.
	cacheBytes = 16 << 20
	// timeout is the maximum time of one resolve.
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

	// Your program needs these lines. The cache uses the transport that you use today. Here the
	// transport trusts the server's certificate.
	store, err := memory.New(cacheBytes)
	if err != nil {
		return err
	}
	defer store.Close()
	client := cache.NewClient(store, server.Client().Transport)
	client.Timeout = timeout
	resolver := agentcard.NewResolver(client)

	client.Transport = reporter{client.Transport} // only to print the answers

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

// reporter prints how the cache answered. You only need it if you are interested: the field
// Cache-Status of the response contains this information.
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

// agent serves its card with the two fields that A2A §8.6 requires of servers: how long it is
// fresh, and an ETag to revalidate it later.
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

// ServeHTTP answers all paths with the card. http.ServeContent compares If-None-Match with the
// ETag and returns 304 if they match.
func (a *agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.asked.Add(1)
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Etag", a.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.card))
}
