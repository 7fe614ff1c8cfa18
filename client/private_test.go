package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
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

// A network whose only exit is a proxy, or a dialer of the caller's, reaches its own names through it:
// exactly the names and ports that are allowed. A public site leads to none of them.
func TestNamesOfThePrivateNetworkGoThroughATunnel(t *testing.T) {
	for _, tunnel := range []string{"UnsafeProxy", "UnsafeDial"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("api.corp.internal", clienttest.Pages{"/.well-known/agent-card.json": `{"name":"S"}`, wellKnown: manifest("api.corp.internal", "/a")}).At(netip.MustParseAddr("10.1.2.3"))
			internet.Host("shop.example", clienttest.Redirect(http.StatusFound, "https://api.corp.internal:8443"+wellKnown))
			var asked []string
			p := &proxy{t: t, internet: internet, hosts: map[string]*clienttest.Host{"api.corp.internal": host, "api.corp.internal:8443": host}}
			c := newClient(t, internet, func(o *client.Options) {
				o.Policy.AllowNames, o.Policy.AllowPorts = []string{"api.corp.internal"}, []uint16{8443}
				if tunnel == "UnsafeProxy" {
					p.options(o)
					return
				}
				o.Policy.AllowCIDR = []netip.Prefix{netip.MustParsePrefix("192.168.0.0/16")} // compared with nothing
				o.Network.Dial, o.Network.Resolver = nil, nil
				o.Network.UnsafeDial = func(ctx context.Context, _, hostport string) (net.Conn, error) {
					asked = append(asked, "CONNECT "+hostport)
					return internet.Dial(ctx, netip.AddrPortFrom(host.Addrs()[0], 443))
				}
			})
			for _, target := range []string{"https://api.corp.internal:8443", "https://api.corp.internal"} {
				if site, err := c.Resolve(t.Context(), target); err != nil || len(site.Services) != 1 {
					t.Errorf("%s, %s: %v", tunnel, target, err)
				}
			}
			asked = append(asked, p.asked...)
			if !slices.Contains(asked, "CONNECT api.corp.internal:8443") || !slices.Contains(asked, "CONNECT api.corp.internal:443") || len(internet.Lookups()) != 0 {
				t.Errorf("%s: asked %q, look-ups %v", tunnel, asked, internet.Lookups())
			}
			for _, refused := range []string{"https://api.corp.internal:9443", "https://db.corp.internal:8443", "https://db.corp.internal"} {
				if _, err := c.Resolve(t.Context(), refused); err == nil || errors.Is(err, wayfind.ErrUnreachable) {
					t.Errorf("%s: %s: %v", tunnel, refused, err)
				}
			}
		})
	}
}
