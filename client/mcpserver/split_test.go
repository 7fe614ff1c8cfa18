package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// A server that repeats a credential with an invisible character in it does not get it to the host,
// in any kind of content.
func TestASplitCredentialDoesNotReachTheHost(t *testing.T) {
	const own = "vQ9zKx7LmP2wRvYb"
	for _, split := range []string{own[:9] + "\u200b" + own[9:], own[:9] + "\u00ad" + own[9:], own[:9] + "\U000e0041" + own[9:]} {
		inWorld(t, plain, nil, func(w *world) {
			mill := mcp.NewServer(&mcp.Implementation{Name: "mill", Version: "1"}, nil)
			for name, result := range map[string]*mcp.CallToolResult{
				"text":       {Content: []mcp.Content{&mcp.TextContent{Text: "key " + split}}},
				"structured": {StructuredContent: map[string]any{"k": split, split: 1}, Content: []mcp.Content{&mcp.TextContent{Text: split}}},
				"failing":    {IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "key " + split}}},
				"resource": {Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "art://" + split, Text: "key " + split, MIMEType: "text/plain"}},
					&mcp.ResourceLink{URI: "art://x/" + split, Name: split}}},
			} {
				mill.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil })
			}
			mill.AddPrompt(&mcp.Prompt{Name: "tour"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "key " + split}}}}, nil
			})
			lists := w.over(mill, false)
			w.build(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+own {
					rw.Header().Set("WWW-Authenticate", "Bearer")
					rw.WriteHeader(http.StatusUnauthorized)
					return
				}
				lists.ServeHTTP(rw, r)
			}))
			credentials := func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer(own, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
			w.client = w.internet.Client(func(o *client.Options) { o.Live = []client.LiveProber{livemcp.New(nil)} })
			names := []string{"text", "structured", "failing", "resource", "tour"}
			w.serve(&mcpserver.Options{Domains: []string{"mill.example"}, Allow: names}, &call.Options{Credentials: credentials})
			s := w.connect(true, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}, nil
			}})
			w.listed(s)
			for _, name := range names[:4] {
				res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(`{}`)})
				if raw, _ := json.Marshal(res); err != nil || !strings.Contains(string(raw), call.Hidden) || strings.Contains(string(raw), own) {
					t.Errorf("%s: %s, %v", name, raw, err)
				}
			}
			prompt, err := s.GetPrompt(w.Context(), &mcp.GetPromptParams{Name: "tour"})
			if raw, _ := json.Marshal(prompt); err != nil || !strings.Contains(string(raw), call.Hidden) || strings.Contains(string(raw), own) {
				t.Errorf("prompt: %s, %v", raw, err)
			}
		})
	}
}
