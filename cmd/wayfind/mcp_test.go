package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/hosts"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// mcpRun runs "wayfind mcp" with a host at its standard input and output.
func mcpRun(t *testing.T, args ...string) (in *io.PipeWriter, out *io.PipeReader, errs *io.PipeReader) {
	t.Helper()
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	errs, errW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx, append([]string{"mcp"}, args...), inR, outW, errW)
		_, _ = outW.Close(), errW.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		cancel()
		_, _ = io.Copy(io.Discard, out)
		<-done
	})
	return in, out, errs
}

// texts of an answer.
func texts(t *testing.T, s *mcp.ClientSession, tool, arguments string) string {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range res.Content {
		all = append(all, c.(*mcp.TextContent).Text)
	}
	return strings.Join(all, "\n")
}

// A host starts the command, and finds and calls the tool of an MCP server behind it.
func TestMCPStdio(t *testing.T) {
	url := devServer(t) + "/mcp"
	for _, version := range []string{"", "2025-11-25"} {
		in, out, errs := mcpRun(t, "--dev", "--domain", url)
		go func() { _, _ = io.Copy(io.Discard, errs) }()
		agree := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}, nil
		}}
		s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, agree).Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(t, s, "wayfind_search", `{"query": "bell"}`); !strings.Contains(got, `"ring"`) {
			t.Errorf("found %s", got)
		}
		name := regexp.MustCompile(`"name":"([\w-]*ring)"`).FindStringSubmatch(texts(t, s, "wayfind_search", `{"query": "bell"}`))[1]
		if got := texts(t, s, "wayfind_call", `{"name": "`+name+`", "arguments": {"times": 1}}`); !strings.Contains(got, "It rang.") {
			t.Errorf("called: %s", got)
		}
		_ = s.Close()
	}
}

// A host without elicitation calls read-only tools of a server that the command line names. With
// --confirm host, it also calls tools about which it asks a person itself. A refusal names the
// flag.
func TestMCPConfirm(t *testing.T) {
	url := devServer(t) + "/mcp"
	for mode, want := range map[string]string{"auto": "--confirm host", "host": "It rang."} {
		in, out, errs := mcpRun(t, "--dev", "--domain", strings.TrimPrefix(url, "http://"), "--confirm", mode)
		go func() { _, _ = io.Copy(io.Discard, errs) }()
		s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(t, s, "wayfind_search", `{"query": "bell"}`); !strings.Contains(got, `"ring"`) {
			t.Errorf("found %s", got)
		}
		if got := texts(t, s, "_127_0_0_1__ring", `{"times": 1}`); !strings.Contains(got, want) {
			t.Errorf("--confirm %s: %s", mode, got)
		}
		if got := texts(t, s, "wayfind_call", `{"name": "_127_0_0_1__ring", "arguments": {}}`); !strings.Contains(got, "--allow ring") {
			t.Errorf("--confirm %s: %s", mode, got)
		}
		_ = s.Close()
	}
}

// Over HTTP a host shows the token that was printed.
func TestMCPHTTP(t *testing.T) {
	_, _, errs := mcpRun(t, "--dev", "--domain", devServer(t)+"/mcp", "--http", "127.0.0.1:0")
	lines := bufio.NewScanner(errs)
	var url, token string
	for token == "" && lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "listening at "); ok {
			url = at
		}
		if _, text, ok := strings.Cut(lines.Text(), "Authorization: Bearer "); ok {
			token = text
		}
	}
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	asked := httptest.NewServer(http.NotFoundHandler())
	defer asked.Close()
	plain := asked.Client().Transport
	show := roundTrip(func(r *http.Request) (*http.Response, error) {
		own := r.Clone(r.Context())
		own.Header.Set("Authorization", "Bearer "+token)
		return plain.RoundTrip(own)
	})
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: show}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := texts(t, s, "wayfind_search", `{"query": "bell"}`); !strings.Contains(got, `"ring"`) {
		t.Errorf("found %s", got)
	}
	if lost, err := asked.Client().Get(strings.TrimSuffix(url, "mcp")); err != nil || lost.StatusCode != http.StatusNotFound {
		t.Errorf("/ answers %v, %v", lost, err)
	} else if text, err := io.ReadAll(lost.Body); err != nil || !strings.Contains(string(text), url) || lost.Body.Close() != nil {
		t.Errorf("/ says %s, %v", text, err)
	}
	if _, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: plain}}, nil); err == nil {
		t.Error("without the token the server speaks")
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The configuration of hosts starts this command with the flags of the line.
func TestMCPConfig(t *testing.T) {
	for _, host := range hosts.Names() {
		status, out, errs := ran(t, "mcp", "--domain", "shop.example", "--allow", "shop_example__a b", "--read-only", "--live=false", "--print-config", host)
		for _, part := range []string{"shop.example", "--read-only", "--live=false", "mcp"} {
			if status != ui.ExitFound || !strings.Contains(out, part) {
				t.Errorf("%s: %d, %s", host, status, out)
			}
		}
		if strings.Contains(out, "print-config") || errs == "" {
			t.Errorf("%s: %s\n%s", host, out, errs)
		}
		if !slices.Contains([]string{"claude-code", "codex", "continue", "goose"}, host) && !json.Valid([]byte(out)) {
			t.Errorf("%s: no JSON: %s", host, out)
		}
	}
}

// What cannot be meant is refused before a host is spoken with.
func TestMCPUsage(t *testing.T) {
	for _, row := range [][]string{
		{"write auto or host", "--confirm", "never"}, {"is no pattern", "--domain", "shop.example", "--allow", "*["}, {"is no pattern", "--open", "["},
		{"no host", "--print-config", "emacs"}, {"needs the port", "--print-config", "cursor", "--http", "127.0.0.1:0"}, {"needs the token", "--print-config", "cursor", "--http", "127.0.0.1:1"}, {"starts its servers itself", "--print-config", "claude-desktop", "--http", "127.0.0.1:1", "--token", "none"}, {"no host", "--install", "emacs"}, {"address of this machine", "--http", "0.0.0.0:80"}, {"address of this machine", "--http", "192.0.2.1:80"},
		{"address of this machine", "--http", "8765"}, {"--token is for --http", "--token", "none"}, {"write env:NAME", "--http", "127.0.0.1:0", "--token", "s3cret"},
		{"cannot be asked", "--domain", "http://localhost:3000"}, {"write SCHEME=env:NAME", "--credential", "key=s3cret"}, {"did you mean --domain shop.example?", "shop.example"}, {"no pattern of a path", "--path", "orders"}, {"no such file", "--names", "missing.json"},
	} {
		if status, _, errs := ran(t, append([]string{"mcp"}, row[1:]...)...); status != ui.ExitUsage || !strings.Contains(errs, row[0]) || strings.Contains(errs, "s3cret") {
			t.Errorf("%q: %d, %s", row, status, errs)
		}
	}
}
