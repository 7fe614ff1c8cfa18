package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// serversElsewhere starts desk.example, whose card names the MCP server at
// mcp.vendor.example/mcp, which wants the token "s3cret-ann", and the one at /login, which
// wants a token of login.vendor.example. It returns the flags that lead there.
func serversElsewhere(t *testing.T) []string {
	t.Helper()
	hosts := []string{"desk.example", "mcp.vendor.example", "login.vendor.example"}
	oauth := &clienttest.OAuth{Issuer: "https://login.vendor.example"}
	mux := http.NewServeMux()
	mux.Handle("login.vendor.example/", oauth)
	mux.HandleFunc("desk.example/.well-known/mcp/server-card.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"name": "example.desk/all", "version": "1.0.0", "description": "All of it.", "remotes": [{"type": "streamable-http", "url": "https://mcp.vendor.example/mcp"}]}`)
	})
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "ring", InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{DestructiveHint: new(bool)}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "It rang."}}}, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true, Stateless: true})
	mux.HandleFunc("mcp.vendor.example/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret-ann" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	protected := oauth.Protect("https://mcp.vendor.example/login", func(*http.Request) []string { return []string{"tools"} }, handler)
	mux.Handle("mcp.vendor.example/login", protected)
	mux.Handle("mcp.vendor.example/.well-known/oauth-protected-resource", protected)
	cert, key, err := selfIssued(&x509.Certificate{Subject: pkix.Name{CommonName: "desks"}, DNSNames: hosts, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(mux)
	srv.TLS, srv.Config.ErrorLog = &tls.Config{Certificates: []tls.Certificate{pair}}, log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	flags := []string{"--live", "--allow-cidr", "127.0.0.0/8", "--cacert", ca}
	for _, host := range hosts {
		flags = append(flags, "--connect-to", host+":443:"+srv.Listener.Addr().String())
	}
	return flags
}

// A server on another site that wants a token, and one behind a login, are reached by tools,
// call and mcp with the same flags.
func TestCommandsReachAServerThatWantsAToken(t *testing.T) {
	flags := serversElsewhere(t)
	t.Setenv("ANN", "s3cret-ann")
	t.Setenv("SECRET", "s3cret-client")
	key := append([]string{"--approve", "mcp.vendor.example:mcp", "--approve", "mcp.vendor.example:call", "--credential", "bearer@mcp.vendor.example=env:ANN"}, flags...)
	login := append([]string{"--client-id", "robot", "--client-secret", "env:SECRET", "--issuer", "https://login.vendor.example"}, flags...)
	for _, row := range []struct {
		domain string
		flags  []string
	}{{"desk.example", key}, {"https://mcp.vendor.example/login", login}} {
		if code, out, errs := exec(t, "", append([]string{"tools", row.domain}, flags...)...); strings.Contains(out, "ring") || code == ui.ExitFound {
			t.Errorf("%s without a credential: %d, %s, %s", row.domain, code, out, errs)
		}
		code, out, errs := exec(t, "", append([]string{"tools", row.domain}, row.flags...)...)
		if code != ui.ExitFound || !strings.Contains(out, "ring") || strings.Contains(out+errs, "s3cret") {
			t.Fatalf("tools %s: %d, %s, %s", row.domain, code, out, errs)
		}
		id := "mcp:mcp-vendor-example-mcp/ring"
		if strings.HasPrefix(row.domain, "https:") {
			id = "mcp:login/ring"
		}
		code, out, errs = exec(t, "", append([]string{"call", row.domain, id, "--yes-destructive", id}, row.flags...)...)
		if code != ui.ExitFound || !strings.Contains(out, "It rang.") {
			t.Errorf("call %s: %d, %s, %s", row.domain, code, out, errs)
		}
		code, out, errs = exec(t, "", append([]string{"call", row.domain, id, "--dry-run"}, row.flags...)...)
		if code != ui.ExitFound || strings.Contains(out+errs, "s3cret") {
			t.Errorf("call --dry-run %s: %d, %s, %s", row.domain, code, out, errs)
		}
		found(t, append([]string{"--domain", row.domain}, row.flags...))
	}
}

// found lets a host of "wayfind mcp" look for the tool.
func found(t *testing.T, args []string) {
	t.Helper()
	in, out, errs := mcpRun(t, args...)
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "wayfind_search", Arguments: json.RawMessage(`{"query": "ring"}`)})
	if err != nil || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "ring") {
		t.Errorf("mcp %q: %v, %+v", args[:2], err, res)
	}
}
