package call_test

import (
	"context"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// drySites returns sites whose tools are called by each protocol, and with tokens.
func drySites() map[string]clienttest.Pages {
	book := `"tools": [{"name": "book", "inputSchema": {"type": "object"}}]`
	return map[string]clienttest.Pages{
		"http":    {"/openapi.json": shopDocument, "/.well-known/ai-plugin.json": plugin},
		"oauth":   {"/openapi.json": strings.ReplaceAll(oauthDocument, "api.example.com", "shop.example"), "/.well-known/ai-plugin.json": plugin},
		"mcp":     {"/.well-known/mcp/server-card.json": strings.Replace(serverCard, `"version": "1"`, `"version": "1", `+book, 1)},
		"a2a":     {"/.well-known/agent-card.json": card03},
		"jsonrpc": {"/openrpc.json": openrpc, "/llms.txt": "# Shop\n\n## API\n\n- [Methods](https://shop.example/openrpc.json)\n"},
		"actors":  {"/agents/v1": `{"agents": [{"name": "pirate", "description": "Talks like a pirate"}]}`},
		"awp": {"/agent.json": `{"awp_version": "0.2", "domain": "shop.example", "intent": "x", "auth": {"type": "none"}, "actions": [
			{"id": "book", "description": "x", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/book", "method": "POST"}]}`},
	}
}

// A dry run looks up no name and opens no connection, whatever the protocol, neither for the
// call nor for a handshake or a token.
func TestADryRunTouchesNoNetwork(t *testing.T) {
	for name, pages := range drySites() {
		bubble(t, func(t *testing.T) {
			net := clienttest.New(t)
			host := net.Host("shop.example", pages)
			c := net.Client()
			box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
			if err != nil || box.Len() == 0 {
				t.Fatal(name, err, box.Skipped())
			}
			caller, err := call.New(c, &call.Options{Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error {
					t.Errorf("%s: a user was asked to log in", name)
					return nil
				}}
				return call.OAuth(cfg, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			lookups, dials, requests := len(net.Lookups()), host.Dials(), len(net.Requests())
			previews := 0
			for _, tool := range box.Tools() {
				for _, arguments := range []string{`{}`, `{"reason":"x"}`, `{"message":"x"}`, `{"q":"x"}`} {
					if preview, err := caller.DryRun(t.Context(), box, tool.Name, []byte(arguments)); err == nil && preview.Request.Method != "" {
						previews++
					}
				}
			}
			if previews == 0 {
				t.Errorf("%s: no tool of %d has a preview", name, box.Len())
			}
			if n, d, r := len(net.Lookups())-lookups, host.Dials()-dials, len(net.Requests())-requests; n+d+r != 0 {
				t.Errorf("%s: %d look-ups, %d dials, %d requests", name, n, d, r)
			}
		})
	}
}
