package livemcp_test

import (
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// A server that a card names is one service, whatever it answers, and the Probe contains the
// status of a refusal. Capabilities that are missing because of that are not a change.
func TestAServerOfACardIsOneService(t *testing.T) {
	verdicts := map[int]wayfind.Verdict{
		200: wayfind.VerdictFound, 401: wayfind.VerdictProtected, 403: wayfind.VerdictProtected, 404: wayfind.VerdictAbsent,
		405: wayfind.VerdictEndpointLike, 429: wayfind.VerdictThrottled, 500: wayfind.VerdictUnreachable,
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": serverCard(endpoint)})
		answering := func(status int) *wayfind.Site {
			var h http.Handler = failing(status)
			if status == 200 {
				h = legacy(says(oneTool))
			}
			host.Handle("/mcp", h)
			c := speaking(internet)
			defer c.Close()
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			return site
		}
		live := answering(200)
		for status, verdict := range verdicts {
			site := answering(status)
			if len(site.Services) != 1 || site.Services[0].ID != "mcp:mcp-server-card" || len(site.Services[0].Interfaces) != 1 {
				t.Errorf("%d: services %+v", status, site.Services)
				continue
			}
			for _, p := range site.Probes {
				if p.URL == endpoint && (p.Verdict != verdict || status != 200 && p.Status != status) {
					t.Errorf("%d: %s with status %d", status, p.Verdict, p.Status)
				}
			}
			if s := site.Service("mcp:mcp"); status == 200 && (s == nil || s.Name != "shop" || len(s.Capabilities) != 1 || s.Capabilities[0].Key != "mcp:mcp/find") {
				t.Errorf("by the ID of what the server says: %+v", s)
			}
			if d := diff.Sites(live, site); status == 429 || status == 500 {
				if len(d.Added)+len(d.Removed)+len(d.Changed) != 0 {
					t.Errorf("%d: %+v", status, d)
				}
			}
		}
	})
}
