package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// assistantHost runs a live MCP server at /mcp.
const assistantHost = "assistant.example"

// withAssistant puts the live server of one sample site before the files of
// all.
func withAssistant(files http.Handler) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "library", Title: "Library assistant", Version: "1.2.0"}, nil)
	object := func(properties map[string]any, required ...string) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	text := map[string]any{"type": "string"}
	tools := []*mcp.Tool{
		{Name: "find_books", Title: "Find books", Description: "Searches the catalogue by author, title and subject",
			InputSchema: object(map[string]any{"query": text}, "query"), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		{Name: "renew_loan", Title: "Renew a loan", Description: "Renews one loan of a member",
			InputSchema: object(map[string]any{"loan": text}, "loan"), Annotations: &mcp.ToolAnnotations{IdempotentHint: true}},
	}
	sample := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "This library is a sample."}}}, nil
	}
	for _, tool := range tools {
		server.AddTool(tool, sample)
	}
	endpoint := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{DisableLocalhostProtection: true}) // the host is a sample name on loopback
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		if host == assistantHost && r.URL.Path == "/mcp" {
			endpoint.ServeHTTP(w, r)
			return
		}
		files.ServeHTTP(w, r)
	})
}
