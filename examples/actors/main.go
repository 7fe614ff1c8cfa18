// Actors finds the agents of a site, sends a message to one of them and prints the answer as it
// arrives.
//
//	go run ./examples/actors
//
// The site is in memory, so the program runs offline.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("crew.example", crew())
	c := internet.Client()

	site, err := c.Resolve(ctx, "crew.example")
	if err != nil {
		return err
	}
	agent, found := firstActor(site)
	if !found {
		return errors.New("the site has no agent to talk to")
	}
	conversation, err := actors.New(c, agent, "", nil)
	if err != nil {
		return err
	}
	sent, err := conversation.Send(ctx, actors.Text("hey matey!"))
	if err != nil {
		return err
	}
	for event, err := range conversation.Stream(ctx, sent.MessageID, "") {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %s\n", event.Reply.Status, event.Reply.Data)
	}

	// This message is then no longer needed. The agent has answered before it can be stopped,
	// and the result shows it.
	if sent, err = conversation.Send(ctx, actors.Text("never mind")); err != nil {
		return err
	}
	var problem *actors.Problem
	if err := conversation.Cancel(ctx, sent.MessageID); errors.As(err, &problem) {
		fmt.Fprintln(out, problem)
	}
	return nil
}

// firstActor returns the first interface of a Site that package actors supports.
func firstActor(site *wayfind.Site) (wayfind.Interface, bool) {
	for i := range site.Services {
		for _, f := range site.Services[i].Interfaces {
			if f.Protocol == actors.Protocol {
				return f, true
			}
		}
	}
	return wayfind.Interface{}, false
}

// crew is a site with one agent, which uses the dialect of the prototype.
func crew() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /agents/v1", clienttest.Page{Body: `{"agents": [{"name": "pirate", "description": "Talks like a pirate"}]}`})
	mux.HandleFunc("POST /actors/v1/pirate/{key}/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.PathValue("id"), ":cancel") {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `"The request has already completed and cannot be cancelled."`)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("GET /actors/v1/pirate/{key}/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"status\": \"pending\", \"data\": {\"text\": \"Arr\"}}\n\n"+
			"data: {\"status\": \"completed\", \"data\": {\"text\": \"Arr, what be ye wanting?\"}}\n\n")
	})
	return mux
}
