package a2a_test

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/client"
)

// A card with the extension of the Agent Payments Protocol, in any version, has its tag.
func TestAnAgentThatTakesPaymentsHasATag(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://github.com/google-agentic-commerce/ap2/tree/v0.1": true, "https://github.com/google-agentic-commerce/ap2/v1": true,
		"https://shop.example/google-agentic-commerce/ap2/tree/v0.1": false,
	} {
		r, err := client.Parse(t.Context(), []byte(`{"name": "Shop", "description": "A shop", "version": "1", "protocolVersion": "0.3.0", "url": "https://shop.example/a2a",
			"preferredTransport": "JSONRPC", "capabilities": {"extensions": [{"uri": "`+uri+`", "params": {"roles": ["merchant"]}}]},
			"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": []}`), &client.ParseOptions{URL: "https://shop.example/.well-known/agent-card.json"})
		if err != nil {
			t.Fatal(err)
		}
		s := r.Site.Services[0]
		if slices.Contains(s.Tags, "ap2") != want || s.Extensions["capabilities"] == nil {
			t.Errorf("%s: tags %q, extensions %s", uri, s.Tags, s.Extensions)
		}
	}
}
