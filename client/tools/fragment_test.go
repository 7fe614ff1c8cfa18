package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A variable in the fragment of an address never reaches the server, so an operation with one is no
// tool in any document, and its entry has the reason. A fragment without variables only
// distinguishes operations.
func TestAnAddressWithAVariableFragmentIsNoTool(t *testing.T) {
	const awp = `{"awp_version": "0.2", "domain": "shop.example", "intent": "x", "actions": [{"id": "book", "description": "x", "inputs": {"y": {"type": "string"}}, "outputs": {}, "endpoint": %q, "method": "GET"}]}`
	const discovery = `{"ai_discovery_version": "1.0", "service": {"name": "Shop"}, "capabilities": [{"id": "book", "name": "Book", "description": "x", "method": "GET", "endpoint": %q, "params": {"y": "string"}}]}`
	const api = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {%q: {"get": {"operationId": "book", "responses": {}, "parameters": [{"name": "y", "in": "path", "required": true, "schema": {"type": "string"}}]}}}}`
	for path, called := range map[string]bool{"/x#{y}": false, "/x{#y}": false, "/x/{y}#z": true} {
		for name, pages := range map[string]clienttest.Pages{
			"openapi": {"/.well-known/ai-plugin.json": plugin, "/openapi.json": fmt.Sprintf(api, path)},
			"awp":     {"/agent.json": fmt.Sprintf(awp, path)},
			"ai":      {"/.well-known/ai": fmt.Sprintf(discovery, path)},
		} {
			synctest.Test(t, func(t *testing.T) {
				n := clienttest.New(t)
				n.Host("shop.example", pages)
				box := load(t, n.Client(), []string{"shop.example"}, nil)
				if (box.Len() == 1) != called {
					t.Errorf("%s: %s: %d tools, %+v", name, path, box.Len(), box.Skipped())
				}
				if called {
					return
				}
				for _, s := range box.Skipped() {
					if s.Code == tools.CodeContract && strings.Contains(s.Reason, "fragment") && s.Err != nil {
						return
					}
				}
				t.Errorf("%s: %s: %+v", name, path, box.Skipped())
			})
		}
	}
}
