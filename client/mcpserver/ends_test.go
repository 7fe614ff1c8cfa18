package mcpserver_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// A server that is stopped ends without waiting for a slow site or for a person. It also ends if
// its host leaves in the middle of a call.
func TestStops(t *testing.T) {
	hanging := &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	for name, row := range map[string]struct {
		tool  string
		leave bool
	}{"a call": {"listOrders", false}, "a question": {"dropAll", false}, "a call whose host leaves": {"listOrders", true}, "a question whose host leaves": {"dropAll", true}} {
		t.Run(name, func(t *testing.T) {
			eras(t, func(t *testing.T, legacy bool) {
				inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
					w.hosts["shop.example"].Fail("/api/orders", clienttest.Delay(40*time.Second))
					s, stop, done := w.begin(legacy, hanging)
					w.listed(s)
					calling, leave := context.WithCancel(w.Context())
					called := make(chan struct{})
					go func() {
						defer close(called)
						_, _ = s.CallTool(calling, callOf(nameOf(w, row.tool)[0]))
					}()
					time.Sleep(time.Second)
					began := time.Now()
					if row.leave {
						leave()
						_ = s.Close()
					} else {
						stop()
					}
					<-done
					if took := time.Since(began); took > 5*time.Second {
						w.Errorf("it took %v", took)
					}
					leave()
					stop()
					_ = s.Close()
					<-called
				})
			})
		})
	}
}

// A host gets no notice before it has sent its first message.
func TestNoNoticeBeforeTheFirstWord(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		w.hosts["shop.example"].Fail("/.well-known/ai-plugin.json", clienttest.Delay(3*time.Second))
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}}, nil)
		h := w.wired()
		if got := h.next(); got != "" {
			w.Errorf("told %s", got)
		}
		h.send(request(1, "tools/list", ""))
		w.wants(h.next(), "listOrders")
		_ = h.in.Close()
		<-h.done
	})
}
