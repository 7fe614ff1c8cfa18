package livemcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

const endpoint = "https://shop.example/mcp"

// inBubble runs a test in virtual time with its own Internet. A goroutine that is left running
// fails the test.
func inBubble(t *testing.T, test func(t *testing.T, internet *clienttest.Internet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, clienttest.New(t)) })
}

// probe asks an endpoint whose transport a document names.
func probe(ctx context.Context, t *testing.T, internet *clienttest.Internet, transport string, opts *livemcp.Options) (*client.LiveAnswer, error) {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return livemcp.New(opts).Probe(ctx, &client.LiveRequest{
		URL:       u,
		Interface: wayfind.Interface{Protocol: "mcp", URL: endpoint, Transport: transport},
		HTTP:      internet.Client().HTTP("https://shop.example"),
	})
}

// asked returns the HTTP methods of the requests to a host.
func asked(h *clienttest.Host) []string {
	var list []string
	for _, r := range h.Requests() {
		list = append(list, r.Method)
	}
	return list
}

// message is a message of JSON-RPC.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor          *string         `json:"cursor"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ProtocolVersion string          `json:"protocolVersion"`
		Meta            map[string]any  `json:"_meta"`
	} `json:"params"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
	Result json.RawMessage `json:"result"`
}

func read(r *http.Request) (m message) {
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &m)
	return m
}

// script is a server that answers methods with results, as JSON. An unknown method is an
// error. Other messages are accepted.
type script map[string]func(m message) string

func says(result string) func(message) string { return func(message) string { return result } }

func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	m := read(r)
	if m.ID == nil || m.Method == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if f := s[m.Method]; f != nil {
		_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, f(m))
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "error": {"code": -32601, "message": "no such method"}}`, m.ID)
}

// The first answers of servers of both eras, with tools only.
const (
	hello    = `{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "shop", "version": "1"}}`
	discover = `{"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 60000, "cacheScope": "public",
		"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "1"}}}`
	oneTool = `{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}`
)

// legacy and modern return servers with the pages of their tools.
func legacy(tools func(message) string) script {
	return script{"initialize": says(hello), "tools/list": tools}
}

func modern(tools func(message) string) script {
	return script{"server/discover": says(discover), "tools/list": tools}
}

// server returns a server of the SDK with something of each kind, in pages of two.
func server(versions ...string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Title: "The Shop", Version: "1.2", WebsiteURL: "https://shop.example/about"},
		&mcp.ServerOptions{Instructions: "Be polite.", PageSize: 2, SupportedProtocolVersions: versions,
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs, c.CacheScope = 90_000, "public" }})
	schema := map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"type": "string"}}}
	for _, name := range []string{"delete", "find", "list"} {
		tool := &mcp.Tool{Name: name, Title: "To " + name, Description: "Tool to " + name, InputSchema: schema}
		if name == "find" {
			tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true}
		}
		s.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, fmt.Errorf("called")
		})
	}
	s.AddResource(&mcp.Resource{Name: "terms", URI: "shop://terms", MIMEType: "text/plain"}, nil)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "order", URITemplate: "shop://orders/{id}"}, nil)
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "whom", Required: true}}}, nil)
	return s
}

// served serves streamable HTTP.
func served(s *mcp.Server, opts *mcp.StreamableHTTPOptions) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, opts)
}

// streamed serves the event stream of 2024-11-05.
func streamed(s *mcp.Server) http.Handler {
	return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

// refused checks that an error is of a kind and a code.
func refused(t *testing.T, err, kind error, code wayfind.Code) {
	t.Helper()
	e, ok := err.(*wayfind.Error)
	if !ok || e.Kind != kind || e.Code != code {
		t.Errorf("error %v, want one of kind %v with code %q", err, kind, code)
	}
}

// contextOf returns a context for servers that may not answer a call.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), time.Minute)
}
