// Package a2a lets the client of a2a-go talk to an agent that wayfind found. Copy it.
//
//	agent, err := a2a.New(ctx, discovery, service, credential)
//	answer, err := agent.SendMessage(ctx, &a2a.SendMessageRequest{Message: message})
//
// Requests use the guard of the discovery client. They only go to the origin of the chosen
// interface, and follow no redirects. They contain the tenant of the interface. A credential is
// added to a request below all code of a2a-go that logs or passes it on.
package a2a

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

// Credential returns the value for a scheme of the agent, for example a token or a key, or ""
// if there is none. It is called for each request.
type Credential func(ctx context.Context, name string, scheme wayfind.Scheme) (string, error)

// New returns a client for the agent of a service.
func New(ctx context.Context, c *client.Client, service *wayfind.Service, credential Credential) (*a2aclient.Client, error) {
	return a2aclient.NewFromEndpoints(ctx, Interfaces(service),
		a2aclient.WithDefaultsDisabled(), // the defaults have http.Clients without a guard
		a2aclient.WithTransport(a2a.TransportProtocolJSONRPC, guarded(c, func(u *url.URL, h *http.Client) (a2aclient.Transport, error) {
			return a2aclient.NewJSONRPCTransport(u.String(), h), nil
		})),
		a2aclient.WithTransport(a2a.TransportProtocolHTTPJSON, guarded(c, func(u *url.URL, h *http.Client) (a2aclient.Transport, error) {
			return a2aclient.NewRESTTransport(u, h), nil
		})),
		a2aclient.WithCompatTransport(a2av0.Version, a2a.TransportProtocolJSONRPC, guarded(c, func(u *url.URL, h *http.Client) (a2aclient.Transport, error) {
			return a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: u.String(), Client: h}), nil
		})),
		a2aclient.WithCallInterceptors(&signer{auth: service.Auth, credential: credential}))
}

// Interfaces returns the interfaces of a service that use A2A over HTTP on the site of its
// card, in the card's order. Your user decides whether to send anything to another site: ask
// before you remove the check.
func Interfaces(service *wayfind.Service) (list []*a2a.AgentInterface) {
	for _, f := range service.Interfaces {
		if f.Protocol != "a2a" || f.URL == "" || f.Trust != wayfind.TrustSameOrigin && f.Trust != wayfind.TrustSameSite {
			continue
		}
		face := a2a.NewAgentInterface(f.URL, a2a.TransportProtocol(strings.ToUpper(f.Transport)))
		face.Tenant = f.Tenant
		if len(f.Versions) > 0 {
			face.ProtocolVersion = a2a.ProtocolVersion(f.Versions[0])
		}
		list = append(list, face)
	}
	return list
}

// guarded returns transports with an http.Client that reaches the origin of an interface.
func guarded(c *client.Client, transport func(*url.URL, *http.Client) (a2aclient.Transport, error)) a2aclient.TransportFactory {
	return a2aclient.TransportFactoryFn(func(_ context.Context, _ *a2a.AgentCard, face *a2a.AgentInterface) (a2aclient.Transport, error) {
		u, err := url.Parse(face.URL)
		if err != nil {
			return nil, err
		}
		return transport(u, c.HTTP(security.Origin(u)))
	})
}

// signer adds the credentials for an interface to the context of each request.
type signer struct {
	a2aclient.PassthroughInterceptor
	auth       *wayfind.Auth
	credential Credential
}

// Before implements a2aclient.CallInterceptor. It uses the first alternative for which all
// credentials exist. If there is no such alternative, the request is sent without credentials,
// and the agent decides.
func (s *signer) Before(ctx context.Context, req *a2aclient.Request) (context.Context, any, error) {
	u, err := url.Parse(req.BaseURL)
	if err != nil || s.auth == nil || s.credential == nil {
		return ctx, nil, err
	}
	for _, needed := range s.auth.Requirements {
		var list []security.Credential
		for _, part := range needed {
			scheme := s.auth.Schemes[part.Scheme]
			value, err := s.credential(ctx, part.Scheme, scheme)
			if err != nil {
				return ctx, nil, fmt.Errorf("credential %s: %w", part.Scheme, err)
			}
			if placed, ok := place(security.Origin(u), scheme, value); ok {
				list = append(list, placed)
			}
		}
		if len(needed) > 0 && len(list) == len(needed) {
			return client.WithCredential(ctx, list...), nil, nil
		}
	}
	return ctx, nil, nil
}

// place returns a credential for one origin, with its place.
func place(origin string, scheme wayfind.Scheme, value string) (security.Credential, bool) {
	switch {
	case value == "":
		return security.Credential{}, false
	case scheme.Kind == wayfind.SchemeOAuth2, scheme.Kind == wayfind.SchemeOIDC, scheme.Kind == wayfind.SchemeHTTP && strings.EqualFold(scheme.HTTPScheme, "bearer"):
		return security.Bearer(origin, value), true
	case scheme.Kind == wayfind.SchemeAPIKey:
		return security.Credential{Origin: origin, In: strings.TrimPrefix(scheme.In, "header"), Field: scheme.Name, Value: value}, true
	}
	return security.Credential{}, false
}
