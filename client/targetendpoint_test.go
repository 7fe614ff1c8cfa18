package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// rpcTalker is a talker of another protocol.
type rpcTalker struct{ *talker }

func (rpcTalker) Protocol() string { return "jsonrpc" }

// The URL of a target is tried with one protocol after another, until the server speaks one or no
// protocol can be determined.
func TestTypedProtocols(t *testing.T) {
	live := func(kind error) error { return wayfind.NewError("live", "", "", nil).WithKind(kind) }
	for name, row := range map[string]struct {
		mcp, rpc error // nil: it is spoken
		asked    int   // of rpc
		found    bool
	}{
		"the first is spoken":   {nil, nil, 0, true},
		"the second is spoken":  {live(wayfind.ErrInvalid), nil, 1, true},
		"nothing is there":      {live(wayfind.ErrNotFound), live(wayfind.ErrNotFound), 1, false},
		"who asks must be told": {live(wayfind.ErrBlocked), nil, 0, false},
		"it is down":            {live(wayfind.ErrUnreachable), nil, 0, false},
		"it wants a pause":      {live(wayfind.ErrThrottled), nil, 0, false},
		"it leads elsewhere":    {live(wayfind.ErrRefused), nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("example.com", nil).Handle("/mcp", aServer)
				talk := func(err error) *talker {
					return &talker{answer: func(_ context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
						if req.Redirects == 0 {
							t.Error("no redirect may be followed")
						}
						if err != nil {
							return nil, err
						}
						return offer(time.Hour, "find"), nil
					}}
				}
				mcp, rpc := talk(row.mcp), rpcTalker{talk(row.rpc)}
				c := newClient(t, internet, func(o *client.Options) { o.Live = []client.LiveProber{mcp, rpc} })
				site, err := c.Resolve(t.Context(), endpoint)
				if row.found != (err == nil) || row.found != (len(ids(site)) == 1) {
					t.Errorf("%v, capabilities %v", err, ids(site))
				}
				if row.mcp != nil && !row.found && !errors.Is(err, row.mcp.(*wayfind.Error).Kind) {
					t.Errorf("error %v, want that of the first: %v", err, row.mcp)
				}
				mcp.want(t, "in the first", map[string]int{endpoint: 1})
				if d := cmp.Diff(row.asked, rpc.asked[endpoint]); d != "" {
					t.Errorf("asked in the second (-want +got):\n%s", d)
				}
			})
		})
	}
}

// If the time of a call is up, the URL is marked as not asked to the end, and the next call asks
// again.
func TestTypedCutShort(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", nil).Handle("/mcp", aServer)
		slow := &talker{answer: func(ctx context.Context, _ *client.LiveRequest) (*client.LiveAnswer, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(10 * time.Second):
				return offer(time.Hour, "find"), nil
			}
		}}
		c := newClient(t, internet, func(o *client.Options) { o.Live = []client.LiveProber{slow} })
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(short, endpoint)
		if !errors.Is(err, context.DeadlineExceeded) || len(site.Probes) == 0 || site.Probes[0].Verdict != wayfind.VerdictSkipped {
			t.Errorf("%v, probes %+v", err, site.Probes)
		}
		if site, err = c.Resolve(t.Context(), endpoint); err != nil || len(ids(site)) != 1 {
			t.Errorf("again: %v, %v", err, ids(site))
		}
	})
}
