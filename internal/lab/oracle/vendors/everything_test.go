package vendors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// perSite is the number of tools in one document.
const perSite = 60

// cards returns MCP server cards with all schemas of the shared vectors: the difficult ones,
// and the schemas in the sets for ranking.
func cards(t *testing.T) (list []string) {
	t.Helper()
	var tools []json.RawMessage
	for _, file := range []string{"schemas.jsonl", "ranking/livemcp.tools.jsonl", "ranking/bfcl.tools.jsonl"} {
		for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", file))) {
			var row struct {
				Description string
				Schema      json.RawMessage
			}
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(row.Description)
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, fmt.Appendf(nil, `{"name": "tool %d", "description": %s, "inputSchema": %s}`, len(tools), text, row.Schema))
		}
	}
	for len(tools) > 0 {
		n := min(perSite, len(tools))
		host := fmt.Sprintf("s%d.example", len(list))
		list = append(list, fmt.Sprintf(`{"name": "example.%[1]s/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "url": "https://%[1]s/mcp"}], "tools": [%[2]s]}`,
			host, bytes.Join(rawOf(tools[:n]), []byte(","))))
		tools = tools[n:]
	}
	return list
}

func rawOf(list []json.RawMessage) (out [][]byte) {
	for _, raw := range list {
		out = append(out, raw)
	}
	return out
}

// everything returns a Box of these cards.
func everything(t *testing.T) (box *tools.Box) {
	t.Helper()
	list := cards(t)
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		var domains []string
		for i, card := range list {
			host := fmt.Sprintf("s%d.example", i)
			n.Host(host, clienttest.Pages{"/.well-known/mcp/server-card.json": card})
			domains = append(domains, host)
		}
		var err error
		if box, err = tools.Load(t.Context(), n.Client(), domains, nil); err != nil {
			t.Fatal(err)
		}
	})
	if box.Len() < 700 {
		t.Fatalf("%d tools", box.Len())
	}
	return box
}

// definitions returns the definitions of every every-th tool for a vendor, one by one,
// regardless of the maximum number in a request. strict omits definitions that are not strict.
func definitions(t *testing.T, box *tools.Box, every int, v tools.Vendor, strict bool) (list []json.RawMessage) {
	t.Helper()
	for i, tool := range box.Tools() {
		if i%every > 0 {
			continue
		}
		raw, p, err := box.Define(v, tool.Name, strict)
		if err == nil && (!strict || p.Strict) {
			list = append(list, raw)
		}
	}
	return list
}

// TestEverything reads all definitions into the types of the SDKs and writes them again.
func TestEverything(t *testing.T) {
	box := everything(t)
	for v, judge := range judges(t) {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprint(v, strict), func(t *testing.T) {
				for _, raw := range definitions(t, box, 1, v, strict) {
					judge.definition(t, raw)
				}
			})
		}
	}
}

// TestDeferred reads the replacements of deferred definitions, and the answers to a search.
func TestDeferred(t *testing.T) {
	box := shop(t)
	for v, judge := range judges(t) {
		meta, err := box.MetaTools(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range append(elements(t, meta), elements(t, box.Deferred(v, true).Tools)...) {
			judge.element(t, raw)
		}
		answer, err := box.Answer(v, "call_1", []byte(`{"query":"one order"}`), true)
		if err != nil || !json.Valid(answer) {
			t.Fatalf("%s: %v: %s", v, err, answer)
		}
		if judge.answer != nil {
			judge.answer(t, answer)
		}
	}
}
