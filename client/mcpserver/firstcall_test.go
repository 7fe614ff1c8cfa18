package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// searchTokens is the part of a search result, in tokens, that a model is assumed to read.
const searchTokens = 2000

// ranked returns the tools of a set for ranking. Each server is a site with a card. ids maps the
// domain and name of a tool to "server/name".
func ranked(t *testing.T, set string) (cards map[string]string, ids map[string]string) {
	t.Helper()
	servers := make(map[string][]json.RawMessage)
	hosts := make(map[string]string)
	ids = make(map[string]string)
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "ranking", set+".tools.jsonl"))) {
		var tool struct {
			ID, Name, Server, Description string
			Schema                        json.RawMessage
		}
		if err := json.Unmarshal(line, &tool); err != nil {
			t.Fatal(err)
		}
		if hosts[tool.Server] == "" {
			hosts[tool.Server] = fmt.Sprintf("s%d.example", len(hosts))
		}
		host := hosts[tool.Server]
		if n := len(servers[host]); n >= 60 { // a document has a size that it may have
			host = fmt.Sprintf("%s-%d.example", strings.TrimSuffix(host, ".example"), len(servers))
			hosts[tool.Server] = host
		}
		if len(tool.Schema) == 0 {
			tool.Schema = json.RawMessage(`{"type": "object"}`)
		}
		raw, err := json.Marshal(map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": tool.Schema})
		if err != nil {
			t.Fatal(err)
		}
		servers[host] = append(servers[host], raw)
		ids[host+" "+tool.Name] = tool.ID
	}
	cards = make(map[string]string)
	for host, list := range servers {
		cards[host] = fmt.Sprintf(`{"name": "example.%[1]s/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "url": "https://%[1]s/mcp"}], "tools": [%[2]s]}`,
			host, bytes.Join(slices.Collect(func(yield func([]byte) bool) {
				for _, raw := range list {
					if !yield(raw) {
						return
					}
				}
			}), []byte(",")))
	}
	return cards, ids
}

// TestFirstCall: the share of tasks whose right tool is among those that a search shows
// within 2,000 tokens, so that the first call can be the right one.
func TestFirstCall(t *testing.T) {
	for _, set := range []struct {
		tools, queries string
		least          float64
	}{{"livemcp", "livemcp", .695}, {"bfcl", "bfcl", .950}, {"metatool", "metatool", .668}, {"metatool", "metatool-multi", .911}} {
		internet, stop := clienttest.Start()
		cards, ids := ranked(t, set.tools)
		var domains []string
		for host, card := range cards {
			internet.Host(host, clienttest.Pages{"/.well-known/mcp/server-card.json": card})
			domains = append(domains, host)
		}
		slices.Sort(domains)
		c, err := client.New(internet.Options())
		if err != nil {
			t.Fatal(err)
		}
		box, err := tools.Load(t.Context(), c, domains, &tools.Options{Sites: true, MaxName: tools.MaxPrefixed})
		if err != nil {
			t.Fatal(err)
		}
		tool := make(map[string]string) // ids by the names of the Box
		for _, b := range box.Tools() {
			tool[b.Name] = ids[strings.TrimPrefix(b.Origin, "https://")+" "+b.Capability.ID]
		}
		tasks, first := 0, 0
		for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "ranking", set.queries+".queries.jsonl"))) {
			var q struct {
				Query    string
				Relevant []string
			}
			if err := json.Unmarshal(line, &q); err != nil {
				t.Fatal(err)
			}
			tasks++
			if slices.ContainsFunc(shown(t, box, q.Query), func(name string) bool { return slices.Contains(q.Relevant, tool[name]) }) {
				first++
			}
		}
		share := float64(first) / float64(tasks)
		t.Logf("%s: the right tool is among the first %d tokens of a search for %.3f of %d tasks; %d tools of %d", set.queries, searchTokens, share, tasks, box.Len(), len(ids))
		if !golden.Published(t, golden.EnvVectors) {
			set.least = 1
		}
		if share < set.least {
			t.Errorf("%s: %.3f, want %.3f", set.queries, share, set.least)
		}
		_ = c.Close()
		stop()
	}
}

// shown are the names that a search shows before its answer is too long.
func shown(t *testing.T, box *tools.Box, query string) (names []string) {
	t.Helper()
	asked, err := json.Marshal(map[string]any{"query": query, "limit": 10})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := box.Find(asked)
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(raw, &found); err != nil {
		t.Fatal(err)
	}
	left := searchTokens
	for _, row := range found.Tools {
		var r struct{ Name string }
		if err := json.Unmarshal(row, &r); err != nil {
			t.Fatal(err)
		}
		if left -= tools.EstimateTokens(string(row)); left < 0 {
			break
		}
		names = append(names, r.Name)
	}
	return names
}
