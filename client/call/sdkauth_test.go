package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// guardedServer is a server of the official SDK that demands tokens, with its authorization
// server.
type guardedServer struct {
	mu     sync.Mutex
	forms  []url.Values
	tokens map[string][]string // scopes by token
}

func (s *guardedServer) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scopes, known := s.tokens[token]
	if !known {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{Scopes: scopes, Expiration: time.Now().Add(time.Hour)}, nil
}

func (s *guardedServer) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forms = append(s.forms, r.PostForm)
	token := fmt.Sprintf("s3cret-token-%d", len(s.forms))
	s.tokens[token] = strings.Fields(r.PostForm.Get("scope"))
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"access_token": %q, "token_type": "Bearer", "expires_in": 3600}`, token)
}

// The official SDK's server with its own token check, with and without a session: the
// challenge begins the login, and a challenge for more scopes continues it.
func TestServersOfTheSDKWithTokens(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		s := &guardedServer{tokens: map[string][]string{}}
		server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "buy", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "bought"}}}, nil
		})
		mux := http.NewServeMux()
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true, Stateless: stateless})
		mux.Handle("/mcp", auth.RequireBearerToken(s.verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: "https://example.com/about-mcp", Scopes: []string{"shop"}})(handler))
		mux.Handle("/about-mcp", auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{Resource: "https://example.com/mcp", AuthorizationServers: []string{"https://example.com"}, ScopesSupported: []string{"shop"}}))
		mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"issuer": "https://example.com", "token_endpoint": "https://example.com/token"}`)
		})
		mux.HandleFunc("/token", s.token)
		card := strings.Replace(strings.ReplaceAll(serverCard, "shop.example/api/rpc", "example.com/mcp"), `"version": "1"`, `"version": "1", "tools": [{"name": "buy", "inputSchema": {"type": "object"}}]`, 1)
		mux.HandleFunc("/.well-known/mcp/server-card.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, card) })
		srv := httptest.NewTLSServer(mux)
		c, err := client.New(clienttest.FromServer(t, srv))
		if err != nil {
			t.Fatal(err)
		}
		box, err := tools.Load(t.Context(), c, []string{"example.com"}, nil)
		if err != nil || box.Len() != 1 {
			t.Fatalf("%v, %+v", err, box.Skipped())
		}
		y := &yes{verdict: call.AllowOnce}
		caller, err := call.New(c, &call.Options{Confirm: y.confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.OAuth(&call.OAuthConfig{Grant: call.ClientCredentials, Issuer: "https://example.com", ClientID: "robot", ClientSecret: "s3cret-client"}, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			res, err := caller.Call(t.Context(), box, "buy", nil)
			if wantCode(t, res, err, made); res.Model.Text != "bought" {
				t.Errorf("%+v", res)
			}
			leaks(t, "a result", mustJSON(t, res))
		}
		if len(s.forms) != 1 || s.forms[0].Get("resource") != "https://example.com/mcp" || s.forms[0].Get("scope") != "shop" || !slices.Equal(s.tokens["s3cret-token-1"], []string{"shop"}) {
			t.Errorf("stateless %v: %+v", stateless, s.forms)
		}
		_ = c.Close()
		srv.CloseClientConnections()
		srv.Close()
	}
}
