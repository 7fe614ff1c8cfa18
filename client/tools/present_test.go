package tools_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
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

// The status endpoints of a site are asked all at once, and at most four of them: a site with many slow
// ones holds Load and a call up for three seconds.
func TestStatusEndpointsAreAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := clienttest.New(t)
		var asked atomic.Int64
		services := make([]*wayfind.Service, 20)
		h := net.Host("fly.example", clienttest.Pages{})
		for i := range services {
			path := fmt.Sprintf("/status/%d", i)
			services[i] = &wayfind.Service{Sources: []wayfind.Ref{{Source: "https://fly.example/agent.json"}}, Status: &wayfind.Status{URL: "https://fly.example" + path}}
			h.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				select {
				case <-time.After(time.Minute):
				case <-r.Context().Done():
				}
				_, _ = io.WriteString(w, `{"operational": false}`)
			}))
		}
		began := time.Now()
		now, _ := access.Of(net.Client()).Statuses(t.Context(), "https://fly.example", services)
		if took := time.Since(began); len(now) != len(services) || asked.Load() != 4 || took > 4*time.Second {
			t.Errorf("%d endpoints in %v", asked.Load(), took)
		}
	})
}
