package tools_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Load and Watch ask the status endpoint of a service: its answer is in the Box, and a change of
// it is an Update.
func TestAWatchAsksForThePresentState(t *testing.T) { synctest.Test(t, presentState) }

func presentState(t *testing.T) {
	net := clienttest.New(t)
	state := `{"operational": true}`
	h := net.Host("fly.example", clienttest.Pages{"/agent.json": stating(`, "agent_status": {"operational": true, "status_endpoint": "/status"}`)})
	h.Handle("/status", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = io.WriteString(w, state)
	}))
	const down = "The site states that the service is not operational."
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	updates := 0
	for update, err := range tools.Watch(ctx, net.Client(), []string{"fly.example"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		list := update.Box.Tools()
		if len(list) == 0 {
			t.Fatal("no tools")
		}
		told := strings.Contains(list[0].Description(), down)
		switch updates++; {
		case updates == 1 && told, updates == 2 && !told:
			t.Errorf("update %d: %q", updates, list[0].Description())
		}
		if updates == 2 {
			return
		}
		state = `{"operational": false}`
		time.AfterFunc(2*time.Hour, cancel) // the second Update comes before
	}
	t.Errorf("%d updates", updates)
}
