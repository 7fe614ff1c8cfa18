package a2a

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// translator repeats a message and names the tenant.
type translator struct{}

func (translator) Execute(_ context.Context, in *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := fmt.Sprintf("%s for tenant %q", in.Message.Parts[0].Text(), in.Tenant)
		yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(text)), nil)
	}
}

func (translator) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(func(a2a.Event, error) bool) {}
}

const (
	domain = "translate.example"
	at     = "https://" + domain + "/agent"
	// bearer and key are schemes of a card, with their requirements.
	bearer = `"securitySchemes": {"token": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}},
		"securityRequirements": [{"schemes": {"token": {"list": []}}}],`
	key = `"securitySchemes": {"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
		"securityRequirements": [{"schemes": {"key": {"list": []}}}],`
)

// card returns a card with the given interfaces, after interfaces that the adapter must omit.
func card(security, interfaces string) string {
	return `{"name": "Translator", "description": "Translates.", "version": "1", ` + security + `
		"supportedInterfaces": [{"url": "https://elsewhere.example/agent", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
			{"url": "` + domain + `:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"}, ` + interfaces + `],
		"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
		"skills": [{"id": "t", "name": "Translate", "description": "Translates.", "tags": ["t"]}]}`
}

const card03 = `{"name": "Translator", "description": "Translates.", "version": "1", "protocolVersion": "0.3.0",
	"url": "` + at + `", "preferredTransport": "JSONRPC", "security": [{"key": []}],
	"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
	"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
	"skills": [{"id": "t", "name": "Translate", "description": "Translates.", "tags": ["t"]}]}`

// world returns an agent in memory, which only accepts requests with a header field, and its
// service as discovery found it.
func world(t *testing.T, card string, agent http.Handler, field, value string) (*client.Client, *wayfind.Service) {
	t.Helper()
	internet := clienttest.New(t)
	pages := clienttest.Pages{"/.well-known/agent-card.json": card}
	internet.Host(domain, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasPrefix(r.URL.Path, "/agent"):
			if r.Header.Get(field) != "" {
				t.Errorf("%s carries %s", r.URL, field)
			}
			pages.ServeHTTP(w, r)
		case r.Header.Get(field) != value:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			http.StripPrefix("/agent", agent).ServeHTTP(w, r)
		}
	}))
	c := internet.Client()
	site, err := c.Resolve(t.Context(), domain)
	if err != nil || len(site.Services) != 1 {
		t.Fatal(err)
	}
	return c, &site.Services[0]
}

// secret returns the credential of the user for all schemes.
func secret(context.Context, string, wayfind.Scheme) (string, error) { return "s3cret", nil }

// A message reaches the servers of a2a-go over each binding, with the tenant and the credential
// that the card requires.
func TestSend(t *testing.T) {
	handler := a2asrv.NewHandler(translator{})
	face := func(binding string) string {
		return `{"url": "` + at + `", "protocolBinding": "` + binding + `", "protocolVersion": "1.0", "tenant": "acme"}`
	}
	for name, tt := range map[string]struct {
		card         string
		agent        http.Handler
		field, value string
		want         string
	}{
		"1.0 JSON-RPC":  {card(bearer, face("JSONRPC")), a2asrv.NewJSONRPCHandler(handler), "Authorization", "Bearer s3cret", `bonjour for tenant "acme"`},
		"1.0 HTTP+JSON": {card(key, face("HTTP+JSON")), a2asrv.NewTenantRESTHandler("/{*}", handler), "X-Key", "s3cret", `bonjour for tenant "acme"`},
		"0.3 JSON-RPC":  {card03, a2av0.NewJSONRPCHandler(handler), "X-Key", "s3cret", `bonjour for tenant ""`},
	} {
		t.Run(name, func(t *testing.T) {
			c, service := world(t, tt.card, tt.agent, tt.field, tt.value)
			agent, err := New(t.Context(), c, service, secret)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := agent.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("bonjour"))})
			if err != nil {
				t.Fatal(err)
			}
			if said := answer.(*a2a.Message).Parts[0].Text(); said != tt.want {
				t.Errorf("said %q, want %q", said, tt.want)
			}

			// Without a credential the agent refuses, which is an error of the call.
			stranger, err := New(t.Context(), c, service, nil)
			if err != nil {
				t.Fatal(err)
			}
			if answer, err := stranger.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("bonjour"))}); err == nil {
				t.Errorf("a stranger got %v", answer)
			}
		})
	}
}

// If all interfaces of an agent are on another site, it is not asked.
func TestElsewhere(t *testing.T) {
	c, service := world(t, card(bearer, `{"url": "https://other.example/a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}`), http.NotFoundHandler(), "Authorization", "")
	if agent, err := New(t.Context(), c, service, secret); err == nil {
		t.Errorf("%v for %v", agent, service.Interfaces)
	}
}
