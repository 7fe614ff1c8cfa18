package mcpserver

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
)

// The progress of a call that waits goes on from the progress of the service: it must increase
// (Model Context Protocol, Progress).
func TestProgressIncreasesWhileACallWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []float64
		ours, theirs := mcp.NewInMemoryTransports()
		session, err := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(), ours, nil)
		if err != nil {
			t.Fatal(err)
		}
		host, err := mcp.NewClient(&mcp.Implementation{Name: "y", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
				got = append(got, req.Params.Progress)
			},
		}).Connect(t.Context(), theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := &notices{session: session, domain: "x.example", token: "t"}
		h.pass(t.Context(), &call.Notice{Done: 70})
		stop := h.tick(t.Context())
		time.Sleep(2*waitPause + time.Second)
		h.pass(t.Context(), &call.Notice{Done: 75}) // less than the host knows
		h.pass(t.Context(), &call.Notice{Done: 90})
		time.Sleep(waitPause)
		stop()
		synctest.Wait()
		if !slices.Equal(got, []float64{70, 75, 80, 90, 95}) {
			t.Errorf("progress %v", got)
		}
		_ = host.Close()
	})
}
