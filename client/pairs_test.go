package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// paired is an option that is right by itself. widens has the targets that it makes possible.
type paired struct {
	set    func(*client.Options)
	widens string
}

const (
	publicTarget   = "shop.example"
	internalTarget = "https://api.corp.internal:8443"
)

// pairable returns the options by name. dev is a server under development.
func pairable(t *testing.T, internet *clienttest.Internet, p *proxy, dev string) map[string]paired {
	t.Helper()
	list := map[string]paired{
		"AllowNames": {func(o *client.Options) {
			o.Policy.AllowNames, o.Policy.AllowPorts = []string{"api.corp.internal"}, []uint16{8443}
			o.Policy.AllowCIDR = append(o.Policy.AllowCIDR, netip.MustParsePrefix("10.0.0.0/8"))
		}, internalTarget},
		"AllowDev":    {func(o *client.Options) { o.Policy.AllowDev = []string{dev} }, dev},
		"UnsafeProxy": {p.options, ""},
		"UnsafeDial": {func(o *client.Options) {
			o.Network.UnsafeDial = func(ctx context.Context, _, hostport string) (net.Conn, error) {
				return internet.Dial(ctx, netip.AddrPortFrom(p.hosts[hostport].Addrs()[0], 443))
			}
		}, ""},
		"ConnectTo": {func(o *client.Options) {
			o.Policy.ConnectTo = map[string]netip.AddrPort{"pinned.example:443": netip.AddrPortFrom(p.hosts["shop.example"].Addrs()[0], 443)}
		}, ""},
	}
	for name, set := range map[string]func(*client.Options){
		"AllowCIDR": func(o *client.Options) {
			o.Policy.AllowCIDR = append(o.Policy.AllowCIDR, netip.MustParsePrefix("192.168.0.0/16"))
		},
		"AllowNAT64":    func(o *client.Options) { o.Policy.AllowNAT64 = []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96")} },
		"AllowMixedDNS": func(o *client.Options) { o.Policy.AllowMixedDNS = true },
		"View":          func(o *client.Options) { o.Network.View = "own" },
		"UserAgent":     func(o *client.Options) { o.Network.UserAgent = "own/1" },
		"KeepAlive":     func(o *client.Options) { o.Network.KeepAlive = time.Second },
		"BeforeHost":    func(o *client.Options) { o.Network.BeforeHost = func(context.Context, string) error { return nil } },
		"UnsafeTLS":     func(o *client.Options) { o.Network.UnsafeTLS = &tls.Config{MinVersion: tls.VersionTLS12} },
		"Robots.Mode":   func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce },
		"Robots.Ignore": func(o *client.Options) { o.Robots.Mode = client.RobotsIgnore },
		"Mode":          func(o *client.Options) { o.Mode = client.FirstMatch },
		"Timeout":       func(o *client.Options) { o.Timeout = 20 * time.Second },
		"Trust.Pins":    func(o *client.Options) { o.Trust.Pins = new(pins.Set) },
		"Trust.Policy":  func(o *client.Options) { o.Trust.PinPolicy = client.PinStrict },
		"Strict":        func(o *client.Options) { o.Strict = true },
		"Logger":        func(o *client.Options) { o.Logger = slog.New(slog.DiscardHandler) },
		"Observe":       func(o *client.Options) { o.Observe = new(eventLog).observe },
		"Limits":        func(o *client.Options) { o.Limits.Budget = 50 },
		"DevCredentials": func(o *client.Options) {
			o.Policy.AllowDev = []string{dev}
			o.Network.DevCredentials = []security.Credential{{Origin: dev, Field: "X-Gate", Value: "open-sesame"}}
		},
		"Store": func(o *client.Options) {
			store, err := memory.New(0)
			if err != nil {
				t.Fatal(err)
			}
			o.Store = store
		},
	} {
		list[name] = paired{set: set}
	}
	both := list["DevCredentials"]
	both.widens = dev
	list["DevCredentials"] = both
	return list
}

// Two options that are each right work together: a public domain, a name of the private network and a
// server under development are found if one of the options names them, and not otherwise. A pair that cannot work
// is refused by New.
func TestOptionsWorkInPairs(t *testing.T) {
	card := func(host string) clienttest.Pages { return clienttest.Pages{wellKnown: manifest(host, "/a")} }
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		card("localhost").ServeHTTP(w, r)
	}))
	defer local.Close()
	internet, stop := clienttest.Start()
	defer stop()
	public := internet.Host("shop.example", card("shop.example"))
	inside := internet.Host("api.corp.internal", card("api.corp.internal")).At(netip.MustParseAddr("10.1.2.3"))
	p := &proxy{t: t, internet: internet, hosts: map[string]*clienttest.Host{
		"shop.example": public, "shop.example:443": public, "api.corp.internal:8443": inside}}
	options := pairable(t, internet, p, local.URL)
	names := slices.Sorted(maps.Keys(options))
	refused := 0
	for i, a := range names {
		for k, b := range names[i:] {
			if (i+k)%testkit.Size(7, 1) != 0 {
				continue
			}
			o := internet.Options()
			options[a].set(o)
			options[b].set(o)
			if dial := o.Network.Dial; dial != nil {
				o.Network.Dial = func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
					switch {
					case at.Addr().IsLoopback():
						return new(net.Dialer).DialContext(ctx, "tcp", at.String())
					case at.Port() == 8443:
						return dial(ctx, netip.AddrPortFrom(at.Addr(), 443))
					}
					return dial(ctx, at)
				}
			}
			c, err := client.New(o)
			if err != nil {
				if refused++; !errors.Is(err, wayfind.ErrInvalid) {
					t.Errorf("%s and %s: %v", a, b, err)
				}
				continue
			}
			for target, want := range map[string]bool{
				publicTarget:   true,
				internalTarget: options[a].widens == internalTarget || options[b].widens == internalTarget,
				local.URL:      options[a].widens == local.URL || options[b].widens == local.URL,
			} {
				if site, err := c.Resolve(t.Context(), target); (err == nil) != want {
					t.Errorf("%s and %s: %s: found %t, want %t: %v, %d services", a, b, target, err == nil, want, err, len(site.Services))
				}
			}
			_ = c.Close()
		}
	}
	if refused > 1 { // UnsafeProxy and UnsafeDial both make the connections
		t.Errorf("%d pairs are refused", refused)
	}
}
