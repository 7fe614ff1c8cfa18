package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Agents and actions have the rule of servers: a host without a scheme has the scheme of the document,
// http on its own host means https, and what no call may reach is passed over, with the reason if
// nothing is left.
func TestInterfacesAndActionsFollowTheRuleOfServers(t *testing.T) {
	for urls, want := range map[string]string{
		"http://localhost:3000/a https://shop.example/a": "",
		"http://shop.example/a":                          "",
		"//shop.example/a":                               "",
		"/a":                                             "",
		"http://10.0.0.1/a //shop.example/a":             "",
		"http://localhost:3000/a":                        "url http://localhost:3000/a: refused",
		"http://api.shop.example/a https://10.0.0.1/a":   "url https://10.0.0.1/a: refused",
	} {
		synctest.Test(t, func(t *testing.T) {
			n := clienttest.New(t)
			var faces, actions []string
			for i, u := range strings.Fields(urls) {
				faces = append(faces, fmt.Sprintf(`{"url": %q, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}`, u))
				actions = append(actions, fmt.Sprintf(`{"id": "act%d", "description": "x", "inputs": {}, "outputs": {}, "endpoint": %q, "method": "GET"}`, i, u))
			}
			n.Host("shop.example", clienttest.Pages{
				"/.well-known/agent-card.json": `{"name": "Shop", "description": "Sells.", "version": "1", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
					"skills": [{"id": "sell", "name": "Sell", "description": "Sells things", "tags": ["a"]}], "supportedInterfaces": [` + strings.Join(faces, ",") + `]}`,
				"/agent.json": `{"awp_version": "0.2", "domain": "shop.example", "intent": "Sells.", "actions": [` + strings.Join(actions, ",") + `]}`,
			})
			box := load(t, n.Client(), []string{"shop.example"}, nil)
			var agents, acts int
			for _, tool := range box.Tools() {
				switch {
				case tool.Capability == nil || tool.Capability.Invocation == nil || tool.Capability.Invocation.Protocol == "a2a":
					agents++
				case tool.Capability.Invocation.URL == "https://shop.example/a":
					acts++
				default:
					t.Errorf("%s: %+v", urls, tool.Capability.Invocation)
				}
			}
			if (agents == 1 && acts == 1) != (want == "") || agents+acts != 0 && want != "" {
				t.Errorf("%s: %d agents, %d actions; %+v", urls, agents, acts, box.Skipped())
			}
			if want != "" && !strings.Contains(reasons(box), want) {
				t.Errorf("%s: %s", urls, reasons(box))
			}
		})
	}
}

func reasons(box *tools.Box) string {
	var b strings.Builder
	for _, s := range box.Skipped() {
		fmt.Fprintf(&b, "%s %s: %s\n", s.Key, s.Code, s.Reason)
	}
	return b.String()
}
