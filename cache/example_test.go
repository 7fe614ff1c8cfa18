package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// A Transport is anyone's RoundTripper: the second request does not reach the
// server.
func ExampleNewTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Println("asked")
		w.Header().Set("Cache-Control", "max-age=60")
		io.WriteString(w, "hello")
	}))
	defer server.Close()

	store, err := memory.New(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	transport := cache.NewTransport(store, &http.Transport{}, nil)
	defer transport.Close()

	client := &http.Client{Transport: transport}
	for range 2 {
		resp, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			fmt.Println(err)
			return
		}
		entry, facts, _ := cache.Of(resp)
		fmt.Printf("%s from %s, fresh for %v\n", body, facts.From, entry.Lifetime.For)
	}
	// Output:
	// asked
	// hello from network, fresh for 1m0s
	// hello from memory, fresh for 1m0s
}

// An http.Client that caches takes two lines, and a third asks.
func ExampleNewClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Println("asked")
		w.Header().Set("Cache-Control", "max-age=60")
		io.WriteString(w, "hello")
	}))
	defer server.Close()

	store, err := memory.New(0) // 64 MiB at most
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	client := cache.NewClient(store, &http.Transport{})
	for range 2 {
		resp, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body) // at its end it is stored
		resp.Body.Close()
		_, facts, _ := cache.Of(resp)
		fmt.Println(resp.Status, string(body), err, "from", facts.From)
	}
	// Output:
	// asked
	// 200 OK hello <nil> from network
	// 200 OK hello <nil> from memory
}

// A program with several users has a Transport for each, over one store. No user gets the answer of
// another, whatever field carries the credential.
func ExampleOptions_partition() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, max-age=60")
		io.WriteString(w, "orders of "+r.Header.Get("X-Shop-Token"))
	}))
	defer server.Close()

	store, err := memory.New(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	for _, user := range []string{"alice", "bob", "alice"} {
		transport := cache.NewTransport(store, &http.Transport{}, &cache.Options{Partition: user})
		req, err := http.NewRequest(http.MethodGet, server.URL, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		req.Header.Set("X-Shop-Token", user)
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body) // at its end it is stored
		resp.Body.Close()
		_, facts, _ := cache.Of(resp)
		fmt.Println(string(body), "from", facts.From)
		transport.Close()
	}
	// Output:
	// orders of alice from network
	// orders of bob from network
	// orders of alice from memory
}
