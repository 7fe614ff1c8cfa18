package vendors

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// everythingOf returns the 26 capabilities of server-everything by their kinds.
func everythingOf() map[string]string {
	return map[string]string{
		"echo": `{"message":"hi"}`, "get-annotated-message": `{"messageType":"error","includeImage":true}`, "get-env": `{}`, "get-resource-links": `{"count":2}`,
		"get-resource-reference": `{"resourceType":"Text","resourceId":1}`, "get-structured-content": `{"location":"Chicago"}`, "get-sum": `{"a":2,"b":3}`, "get-tiny-image": `{}`,
		"gzip-file-as-resource": `{"name":"a.gz","data":"data:text/plain,hello"}`, "toggle-simulated-logging": `{}`, "toggle-subscriber-updates": `{}`,
		"trigger-long-running-operation": `{"duration":0.2,"steps":2}`, "simulate-research-query": `{"topic":"tides"}`,
	}
}

// TestAllOfServerEverythingBehindTheBridge uses all 26 capabilities of the MCP project's test
// server through "wayfind mcp". The host is the Go SDK. The server is given by its URL and by
// its command, with elicitation and without. A call with effects only runs after a person or
// the host was asked. Each refusal names its flag.
func TestAllOfServerEverythingBehindTheBridge(t *testing.T) {
	script := filepath.Join(npmFolder(t), "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	wayfind := command(t)
	host := []string{"--confirm", "host"}
	for _, name := range []string{"toggle-simulated-logging", "toggle-subscriber-updates", "simulate-research-query"} {
		host = append(host, "--allow", name) // according to the server a second call has a further effect, so the host's question is not sufficient
	}
	for kind, target := range map[string][]string{
		"url":     {"--dev", "--domain", startEverything(t).String() + "/mcp"},
		"command": {"--server", "everything=node " + script},
	} {
		for mode, flags := range map[string][]string{"elicitation": nil, "host": host, "auto": {"--confirm", "auto"}} {
			t.Run(kind+" "+mode, func(t *testing.T) {
				bridge(t, mode, exec.CommandContext(t.Context(), wayfind, append(append([]string{"mcp", "--cache", "none"}, target...), flags...)...))
			})
		}
	}
}

// bridge uses all capabilities through one bridge.
func bridge(t *testing.T, mode string, cmd *exec.Cmd) {
	asked := 0
	opts := &mcp.ClientOptions{}
	if mode == "elicitation" {
		opts.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked++
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}, nil
		}
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, opts).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: json.RawMessage(`{"message":"waits for the server"}`)}); err != nil {
		t.Fatal(err)
	}
	used, refused := 0, 0
	reads := make(map[string]bool)
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		reads[tool.Name] = tool.Annotations != nil && tool.Annotations.ReadOnlyHint
	}
	for name, arguments := range everythingOf() {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said, _ := res.Content[0].(*mcp.TextContent)
		switch is := said != nil && strings.Contains(said.Text, "A person must agree"); {
		case is && (mode != "auto" || reads[name] || !strings.Contains(said.Text, "--allow "+name)):
			t.Errorf("%s (reads: %t): %s", name, reads[name], said.Text)
		case is:
			refused++
		case res.IsError && name != "simulate-research-query": // it requires a task and reports that
			t.Errorf("%s: %+v", name, res.Content[0])
		case mode == "auto" && !reads[name]:
			t.Errorf("%s has run without a word of a person", name)
		default:
			used++
		}
	}
	for r, err := range s.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); err != nil {
			t.Errorf("%s: %v", r.URI, err)
		}
		used++
	}
	for r, err := range s.ResourceTemplates(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: strings.ReplaceAll(r.URITemplate, "{resourceId}", "7")}); err != nil {
			t.Errorf("%s: %v", r.URITemplate, err)
		}
		used++
	}
	arguments := map[string]map[string]string{
		"args-prompt": {"city": "Oslo"}, "completable-prompt": {"department": "Sales", "name": "David"}, "resource-prompt": {"resourceType": "Text", "resourceId": "1"},
	}
	for p, err := range s.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: arguments[p.Name]}); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		used++
	}
	done, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "completable-prompt"}, Argument: mcp.CompleteParamsArgument{Name: "department", Value: "S"}})
	if err != nil || len(done.Completion.Values) == 0 {
		t.Errorf("completion: %+v, %v", done, err)
	}
	t.Logf("%d of 26 used, %d refused with their flags, a person asked %d times", used, refused, asked)
	if used+refused != 26 || refused > 0 != (mode == "auto") || asked > 0 != (mode == "elicitation") {
		t.Errorf("%d of 26 used, %d refused, asked %d times", used, refused, asked)
	}
}
