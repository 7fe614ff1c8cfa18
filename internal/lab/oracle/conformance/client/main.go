// Command client plays the client of a scenario of the MCP conformance suite. Its last argument is the
// URL of the server. MCP_CONFORMANCE_SCENARIO names the scenario, and MCP_CONFORMANCE_CONTEXT has its
// data.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	if err := run(ctx, os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

// scenario is what the suite tells a client.
type scenario struct {
	name string

	ToolCalls []struct {
		Name      string
		Arguments json.RawMessage
	}
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

func run(ctx context.Context, server string) error {
	s := scenario{name: os.Getenv("MCP_CONFORMANCE_SCENARIO")}
	if data := os.Getenv("MCP_CONFORMANCE_CONTEXT"); data != "" {
		if err := json.Unmarshal([]byte(data), &s); err != nil {
			return err
		}
	}
	dev, err := developed(server)
	if err != nil {
		return err
	}
	only, err := formats.Select("mcp") // the suite counts the requests for metadata
	if err != nil {
		return err
	}
	agreed := func(context.Context, security.ApprovalRequest) error { return nil }
	c, err := client.New(&client.Options{
		Formats: only, Policy: security.Guard{AllowDev: dev}, Approve: agreed,
		Live: []client.LiveProber{livemcp.New(&livemcp.Options{Name: "wayfind-conformance", Version: "1"})},
	})
	if err != nil {
		return err
	}
	defer c.Close()
	caller, err := call.New(c, &call.Options{
		Timeout: 20 * time.Second, Approve: agreed,
		Credentials: func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			to := call.Binding{Origin: q.Origin, Proof: call.ProofPerson}
			if len(q.Proofs) > 0 {
				to.Proof = q.Proofs[0]
			}
			config, err := s.config(ctx, dev)
			if err != nil {
				return nil, err
			}
			return call.OAuth(config, to), nil
		},
		Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil
		},
		Input: func(_ context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
			content := `{}`
			if strings.Contains(string(q.Schema), `"confirmed"`) {
				content = `{"confirmed": true}`
			}
			return &call.InputAnswer{Action: "accept", Content: json.RawMessage(content)}, nil
		},
	})
	if err != nil {
		return err
	}
	defer caller.Close()
	box, err := tools.Load(caller.WithCredentials(ctx), c, []string{server}, nil)
	if err != nil {
		return err
	}
	for _, no := range box.Skipped() {
		fmt.Fprintf(os.Stderr, "skipped: %s %s: %s\n", no.Domain, no.Key, no.Reason)
	}
	return s.play(ctx, caller, box)
}

// play makes the calls of a scenario.
func (s *scenario) play(ctx context.Context, caller *call.Caller, box *tools.Box) (failure error) {
	made := func(name string, args any) {
		raw, err := json.Marshal(args)
		if err == nil {
			_, err = caller.Call(ctx, box, name, raw)
		}
		if err != nil {
			failure = errors.Join(failure, fmt.Errorf("%s: %w", name, err))
		}
	}
	switch s.name {
	case "initialize", "json-schema-ref-no-deref", "request-metadata":
		return nil
	case "json-schema-2020-12-preservation": // the schema goes back as it was received
		other, err := box.Tool("json_schema_2020_12_tool")
		if err != nil {
			return err
		}
		made("json_schema_echo", map[string]any{"schema": other.Capability.Input})
		return failure
	}
	for _, one := range s.ToolCalls {
		made(one.Name, one.Arguments)
	}
	if len(s.ToolCalls) > 0 {
		return failure
	}
	for _, t := range box.Tools() {
		switch s.name {
		case "tools_call":
			made(t.Name, map[string]any{"a": 5, "b": 3})
		case "http-invalid-tool-headers":
			made(t.Name, map[string]any{"region": "us-west1"})
		default:
			made(t.Name, map[string]any{})
		}
	}
	if box.Len() == 0 {
		return errors.New("no tool to call")
	}
	return failure
}

// config is the configuration that a program would have for its user.
func (s *scenario) config(ctx context.Context, dev []string) (*call.OAuthConfig, error) {
	config := &call.OAuthConfig{Grant: call.AuthorizationCode, Register: s.ClientID == "", ClientID: s.ClientID, ClientSecret: s.ClientSecret, Open: browse}
	switch {
	case s.name == "auth/basic-cimd":
		config.ClientID, config.Register = "https://conformance-test.local/client-metadata.json", false
	case strings.HasPrefix(s.name, "auth/client-credentials"):
		config.Grant = call.ClientCredentials
	}
	if config.ClientSecret == "" {
		return config, nil
	}
	for _, origin := range dev { // the user of a secret knows who issued it
		var metadata struct{ Issuer string }
		resp, err := get(ctx, origin+"/.well-known/oauth-authorization-server")
		if err != nil {
			continue
		}
		err = json.NewDecoder(resp.Body).Decode(&metadata)
		resp.Body.Close()
		if err == nil && metadata.Issuer != "" {
			config.Issuer = metadata.Issuer
			return config, nil
		}
	}
	return nil, errors.New("the suite has no issuer")
}

// browse is a browser whose user agrees: it follows the redirects.
func browse(ctx context.Context, page string) error {
	for range 5 {
		resp, err := get(ctx, page)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		next, err := resp.Location()
		if err != nil {
			return nil //nolint:nilerr // the page stays
		}
		page = next.String()
	}
	return errors.New("the browser is redirected in a circle")
}

func get(ctx context.Context, page string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	return (&http.Client{Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
}

// developed returns the origins of the servers of the suite. Only the metadata of the server name the port
// of an authorization server, so all ports on which the suite listens are found, without a request.
func developed(server string) (list []string, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	list = []string{security.Origin(u)}
	ports, err := portsOfAncestors()
	for _, port := range ports {
		if origin := fmt.Sprintf("http://localhost:%d", port); origin != list[0] {
			list = append(list, origin)
		}
	}
	return list, err
}
