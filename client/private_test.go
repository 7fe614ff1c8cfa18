package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

func TestAPrivateNameWithAPortIsResolvedIfTheOperatorNamesIt(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		inside := netip.MustParseAddr("10.1.2.3")
		const body = `{"protocolVersion":"0.3.0","name":"S","description":"d","version":"1","url":"https://api.corp.internal:8443/a2a","preferredTransport":"JSONRPC",
			"capabilities":{},"defaultInputModes":["text"],"defaultOutputModes":["text"],"skills":[{"id":"pay","name":"pay","description":"pay","tags":[]}]}`
		internet.Host("api.corp.internal", clienttest.Pages{"/.well-known/agent-card.json": body}).At(inside)
		ports := map[uint16]bool{}
		private := func(o *client.Options) {
			o.Policy.AllowCIDR = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			o.Policy.AllowNames, o.Policy.AllowPorts = []string{"api.corp.internal"}, []uint16{8443}
			o.Network.Dial = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
				ports[addr.Port()] = true
				return internet.Dial(ctx, netip.AddrPortFrom(addr.Addr(), 443))
			}
		}
		site, err := newClient(t, internet, readA2A, private).Resolve(t.Context(), "https://api.corp.internal:8443")
		if err != nil || site.Origin != "https://api.corp.internal:8443" || len(site.Services) != 1 || !ports[8443] || ports[443] {
			t.Fatalf("error %v, site %+v, ports %v", err, site, ports)
		}
		if trust := site.Services[0].Interfaces[0].Trust; trust != wayfind.TrustSameOrigin {
			t.Errorf("its endpoint is %s", trust)
		}
		if _, err := newClient(t, internet).Resolve(t.Context(), "https://api.corp.internal:8443"); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("without the permission: %v", err)
		}
	})
}

func TestASiteCannotLeadToAPrivateNameByARedirect(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		asked := false
		internet.Host("evil.example.com", nil).Handle("/.well-known/agent-card.json", http.RedirectHandler("https://api.corp.internal:8443/secret", http.StatusFound))
		internet.Host("api.corp.internal", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true })).At(netip.MustParseAddr("10.1.2.3"))
		private := func(o *client.Options) {
			o.Policy.AllowCIDR = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			o.Policy.AllowNames, o.Policy.AllowPorts = []string{"api.corp.internal"}, []uint16{8443}
		}
		_, _ = newClient(t, internet, readA2A, private).Resolve(t.Context(), "evil.example.com")
		if asked {
			t.Error("a redirect of a stranger was followed to a private name")
		}
	})
}

// A name of a stranger that leads to the private network is not asked if the ranges are for names. If they
// are for every name, its error has no name of the certificate that is there.
func TestAStrangersNameThatLeadsInsideLearnsNothing(t *testing.T) {
	inside := netip.MustParseAddr("10.1.2.3")
	for name, row := range map[string]struct {
		names []string
		code  wayfind.Code
		dials bool
	}{
		"the ranges are for a name":     {[]string{"api.corp.internal"}, wayfind.CodeBlockedAddress, false},
		"the ranges are for every name": {nil, wayfind.CodeTLS, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("api.corp.internal", nil).At(inside)
				internet.DNS("evil.example", clienttest.Addrs(inside))
				dialled := false
				_, err := newClient(t, internet, func(o *client.Options) {
					o.Policy.AllowCIDR, o.Policy.AllowNames = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, row.names
					dial := o.Network.Dial
					o.Network.Dial = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
						dialled = true
						return dial(ctx, addr)
					}
				}).Resolve(t.Context(), "evil.example")
				e, _ := errors.AsType[*wayfind.Error](err)
				if e == nil || e.Code != row.code || dialled != row.dials || strings.Contains(err.Error(), "corp.internal") {
					t.Errorf("%v, dialled %t", err, dialled)
				}
			})
		})
	}
}
