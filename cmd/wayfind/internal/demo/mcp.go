package demo

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
)

// assistant is an MCP server of a sample site.
type assistant struct {
	host, name, title, version string
	tools                      []*mcp.Tool
	// answer returns the answer to a call.
	answer func(tool string, arguments map[string]any) any
}

// assistants are the MCP servers of the sample sites, each at /mcp.
func assistants() []assistant {
	return []assistant{
		{"assistant.example", "library", "Library assistant", "1.2.0", []*mcp.Tool{
			{Name: "find_books", Title: "Find books", Description: "Searches the catalogue by author, title and subject",
				InputSchema: takes("query"), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			{Name: "renew_loan", Title: "Renew a loan", Description: "Renews one loan of a member",
				InputSchema: takes("loan"), Annotations: &mcp.ToolAnnotations{IdempotentHint: true}},
		}, func(tool string, arguments map[string]any) any {
			if tool == "renew_loan" {
				return object{"loan": arguments["loan"], "due": "2026-04-01"}
			}
			query, _ := arguments["query"].(string)
			return object{"books": booksFor(query)}
		}},
		{"bookings.example", "bookings", "Bookings", "1.0.0", []*mcp.Tool{
			{Name: "cancel_booking", Description: "Cancels a booking", InputSchema: takes("booking_id")},
		}, func(_ string, arguments map[string]any) any { return object{"cancelled": arguments["booking_id"]} }},
		{"garden.example", "garden", "Garden Almanac", "1.0.0", []*mcp.Tool{
			{Name: "search_plants", Description: "Searches plants by name", InputSchema: takes("name"), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		}, func(_ string, arguments map[string]any) any {
			return object{"plant": arguments["name"], "sow": "April"}
		}},
		{"mcp.market.example.com", "stalls", "Stalls", "1.0.0", []*mcp.Tool{
			{Name: "find_stall", Description: "Finds stalls by their goods", InputSchema: takes("goods"), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		}, func(_ string, arguments map[string]any) any { return object{"goods": arguments["goods"], "stall": 12} }},
		{"everything.example", "everything", "Everything", "1.0.0", []*mcp.Tool{
			{Name: "find_products", Description: "Finds products", InputSchema: takes("q"), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		}, func(_ string, _ map[string]any) any { return object{"products": []any{"Green tea", "Black tea"}} }},
	}
}

// takes returns the schema of a tool with one text argument.
func takes(name string) map[string]any {
	return object{"type": "object", "properties": object{name: object{"type": "string"}}, "required": []string{name}}
}

// withAssistants returns a handler that serves the MCP servers, and passes other requests on to
// files.
func withAssistants(files http.Handler) http.Handler {
	endpoints := map[string]http.Handler{}
	for _, a := range assistants() {
		endpoints[a.host] = a.handler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if endpoint := endpoints[loopback.Hostname(r.Host)]; endpoint != nil && r.URL.Path == "/mcp" {
			endpoint.ServeHTTP(w, r)
			return
		}
		files.ServeHTTP(w, r)
	})
}

// handler returns the handler of the MCP server over Streamable HTTP.
func (a assistant) handler() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: a.name, Title: a.title, Version: a.version}, nil)
	for _, tool := range a.tools {
		server.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var arguments map[string]any
			if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
				return nil, err
			}
			text, err := json.Marshal(a.answer(req.Params.Name, arguments))
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, err
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{DisableLocalhostProtection: true}) // the host is a sample name on loopback
}
