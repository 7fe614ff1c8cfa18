package actors_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A site in memory lists an agent and answers for it.
func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	site := http.NewServeMux()
	site.Handle("GET /agents/v1", clienttest.Page{Body: `{"agents": [{"name": "pirate", "description": "Talks like a pirate"}]}`})
	site.HandleFunc("POST /actors/v1/pirate/{key}/messages/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
	})
	site.HandleFunc("GET /actors/v1/pirate/{key}/messages/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status": "completed", "data": {"text": "Arr!"}}`)
	})
	internet.Host("crew.example", site)

	ctx, c := context.Background(), internet.Client()
	crew, err := c.Resolve(ctx, "crew.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	for service := range crew.Capabilities() {
		a, err := actors.New(c, service.Interfaces[0], "", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		sent, err := a.Send(ctx, actors.Text("hey matey!"))
		if err != nil {
			fmt.Println(err)
			return
		}
		reply, err := a.Wait(ctx, sent.MessageID)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(service.Name, reply.Status, string(reply.Data))
	}
	// Output: pirate completed {"text": "Arr!"}
}
