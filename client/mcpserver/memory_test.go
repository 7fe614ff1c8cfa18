//go:build !race

package mcpserver_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// TestMemory: a server holds a bounded amount of memory for each domain behind it.
func TestMemory(t *testing.T) {
	many := testkit.Sizes(60, 200, 1000)
	mostMemory := int64(many) * (256 << 10)
	internet, stop := clienttest.Start()
	defer stop()
	var domains []string
	for i := range many {
		host := fmt.Sprintf("d%d.example", i)
		w := &shop{world: &world{T: t}, name: host}
		var ops []string
		for j := range 10 {
			ops = append(ops, fmt.Sprintf("GET /api/o%d op%d", j, j))
		}
		w.document = operations(ops...)
		internet.Host(host, w)
		domains = append(domains, host)
	}
	for _, n := range []int{10, many} {
		before := heap()
		c, err := client.New(internet.Options())
		if err != nil {
			t.Fatal(err)
		}
		caller, err := call.New(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := mcpserver.New(c, caller, &mcpserver.Options{Domains: domains[:n]})
		if err != nil {
			t.Fatal(err)
		}
		here, there := mcp.NewInMemoryTransports()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = s.Serve(ctx, there) }()
		host, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{T: t}
		for strings.Contains(w.ask(host, "wayfind_search", `{"query": "op7"}`), "Not read yet") { // it waits a while
			runtime.Gosched()
		}
		w.wants(w.ask(host, "wayfind_search", `{"query": "op7"}`), "op7")
		held := heap() - before
		for range 20 { // connections that were used end after some seconds
			if held <= mostMemory {
				break
			}
			time.Sleep(time.Second)
			held = heap() - before
		}
		t.Logf("%d domains, %d tools: %.1f MiB", n, s.Box().Len(), float64(held)/(1<<20))
		if s.Box().Len() < n*9 || held > mostMemory { // a busy machine may lose some to a time-out
			t.Errorf("%d domains: %d tools in %d bytes", n, s.Box().Len(), held)
		}
		_ = host.Close()
		cancel()
		<-done
		_ = s.Close()
		_ = c.Close()
	}
}

// heap is the memory that is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
