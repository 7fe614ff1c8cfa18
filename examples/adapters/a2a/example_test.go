package a2a

import (
	"context"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// Example resolves a domain and sends a message to the agent that it found.
func Example() {
	ctx := context.Background()
	internet, stop := clienttest.Start() // replaces the Internet
	defer stop()
	internet.Host(domain, clienttest.Pages{"/.well-known/agent-card.json": card(bearer, `{"url": "`+at+`", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "acme"}`)}).
		Handle("/agent", http.StripPrefix("/agent", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(translator{}))))

	discovery, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer discovery.Close()
	site, err := discovery.Resolve(ctx, domain)
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := New(ctx, discovery, &site.Services[0], func(_ context.Context, name string, scheme wayfind.Scheme) (string, error) {
		return "t0ken", nil // a program would ask its user, or its store of secrets
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := agent.SendMessage(ctx, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("bonjour"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.(*a2a.Message).Parts[0].Text())
	// Output: bonjour for tenant "acme"
}
