package vendors

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
)

// startEverything runs the npm package server-everything and returns its address.
func startEverything(t *testing.T) *url.URL {
	t.Helper()
	script := filepath.Join(npmFolder(t), "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), "node", script, "streamableHttp")
	cmd.Env = []string{"PORT=" + strconv.Itoa(port), "PATH=" + os.Getenv("PATH")} // a tool returns the environment
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening") {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return &url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
		}
	}
	t.Fatal("server-everything ended")
	return nil
}

// freePort returns a port without a listener.
func freePort(t *testing.T) int {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = free.Close() }()
	return free.Addr().(*net.TCPAddr).Port
}

// TestCallsOfServerEverything lists and calls the tools of the MCP project's test server over
// TLS.
func TestCallsOfServerEverything(t *testing.T) {
	target := startEverything(t)
	mux := http.NewServeMux()
	mux.Handle("/mcp", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, FlushInterval: -1})
	mux.HandleFunc("/.well-known/mcp/server-card.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "example.com/everything",
			"version": "1", "description": "Everything.", "remotes": [{"type": "streamable-http", "url": "https://example.com/mcp"}],
			"tools": [{"name": "trigger-elicitation-request", "inputSchema": {"type": "object"}}]}`) // the server lists it for clients that answer questions
	})
	srv := httptest.NewUnstartedServer(mux)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	opts := clienttest.FromServer(t, srv)
	opts.Live = []client.LiveProber{livemcp.New(nil)}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); srv.CloseClientConnections() })
	box, err := tools.Load(t.Context(), c, []string{"example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools, %d skipped: %+v", box.Len(), len(box.Skipped()), box.Skipped())
	var asked []string
	caller, err := call.New(c, &call.Options{
		Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil
		},
		Input: func(_ context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
			asked = append(asked, q.Message+string(q.Schema))
			return &call.InputAnswer{Action: "accept", Content: json.RawMessage(`{"name":"Ann"}`)}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	called := make(map[string]bool)
	for _, tt := range everythingCalls() {
		res, err := caller.Call(t.Context(), box, tt.tool, []byte(tt.args))
		called[tt.tool] = true
		e, _ := errors.AsType[*call.Error](err)
		if got := codeOf(e); got != tt.code || !strings.Contains(res.Model.Text+string(res.Model.JSON), tt.want) {
			t.Errorf("%s: %v, %+v", tt.tool, err, res.Model)
		}
	}
	for _, tool := range box.Tools() {
		if !called[tool.Name] && !strings.HasSuffix(tool.Name, "_md") {
			t.Errorf("%s is not called", tool.Name)
		}
	}
	if len(asked) != 1 || !strings.Contains(asked[0], `"name"`) {
		t.Errorf("asked %q", asked)
	}
}

// made is the Code of a call that was made, which is empty.
var made call.Code

func codeOf(e *call.Error) call.Code {
	if e == nil {
		return made
	}
	return e.Code
}

// everythingCalls returns calls of all capabilities of the server, with a part of each answer.
func everythingCalls() []everythingCall {
	return []everythingCall{
		{"echo", `{"message":"Grüße 🌍"}`, made, "Echo: Grüße 🌍"},
		{"echo", `{}`, call.InvalidArguments, "message"},
		{"get-sum", `{"a":0.5,"b":2}`, made, "2.5"},
		{"get-env", `{}`, made, "PORT"},
		{"get-structured-content", `{"location":"Chicago"}`, made, `"temperature"`},
		{"get-annotated-message", `{"messageType":"error","includeImage":true}`, made, "(image, image/png, "},
		{"get-tiny-image", `{}`, made, "sha256"},
		{"get-resource-links", `{}`, made, "(a link to the resource Text Resource 2, demo://resource/dynamic/text/2, text/plain)"},
		{"get-resource-reference", `{"resourceType":"Text","resourceId":1}`, made, "Resource 1: This is a plaintext resource"},
		{"get-resource-reference", `{"resourceType":"Text","resourceId":-1}`, call.UpstreamError, "Invalid resourceId"},
		{"gzip-file-as-resource", `{"name":"a.gz","data":"data:text/plain,hello"}`, made, "application/gzip"},
		{"toggle-simulated-logging", `{}`, made, "simulated"},
		{"toggle-subscriber-updates", `{}`, made, "simulated"},
		{"trigger-long-running-operation", `{"duration":1,"steps":3}`, made, "completed"},
		{"trigger-elicitation-request", `{}`, made, "Ann"},
		{"simulate-research-query", `{"topic":"tides"}`, call.UpstreamError, "task"},
		{"Dynamic_Text_Resource", `{"resourceId":"7"}`, made, "Resource 7"},
		{"Dynamic_Blob_Resource", `{"resourceId":"7"}`, made, "sha256"},
		{"Dynamic_Text_Resource", `{"resourceId":"../7"}`, call.InvalidArguments, "climbs"},
		{"architecture_md", `{}`, made, "Architecture"},
		{"simple-prompt", `{}`, made, "user: "},
		{"args-prompt", `{"city":"Oslo"}`, made, "Oslo"},
		{"completable-prompt", `{"department":"Sales","name":"David"}`, made, "David"},
		{"resource-prompt", `{"resourceType":"Text","resourceId":"1"}`, made, "Resource 1"},
	}
}

// everythingCall is a call with its result.
type everythingCall struct {
	tool, args string
	code       call.Code
	want       string
}
