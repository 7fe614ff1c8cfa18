package client

import (
	"context"
	"log/slog"
	"net/netip"

	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/security"
)

// guarded puts a guard around the functions of the caller that decide about a site: Approve,
// Credentials, Store, BeforeHost and the Resolver. Formats and probers are guarded at their calls.
// Loggers, dialers, recorders and key logs have no guard, as in net/http.
func (o *Options) guarded() {
	if approve := o.Approve; approve != nil {
		g := panics.NewGuard(o.Logger, "approve", "Options.Approve")
		o.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
			_, err := panics.Within(ctx, g, func() (struct{}, error) { return struct{}{}, approve(ctx, r) })
			return err
		}
	}
	if credentials := o.Credentials; credentials != nil {
		g := panics.NewGuard(o.Logger, "credentials", "Options.Credentials")
		o.Credentials = func(ctx context.Context, r security.CredentialRequest) (security.Credential, error) {
			return panics.Within(ctx, g, func() (security.Credential, error) { return credentials(ctx, r) })
		}
	}
	if before := o.Network.BeforeHost; before != nil {
		g := panics.NewGuard(o.Logger, "dns", "Network.BeforeHost")
		o.Network.BeforeHost = func(ctx context.Context, host string) error {
			_, err := panics.Try(g, func() (struct{}, error) { return struct{}{}, before(ctx, host) })
			return err
		}
	}
	if o.Network.Resolver != nil {
		o.Network.Resolver = &safeResolver{o.Network.Resolver, o.Logger}
	}
	if o.Store != nil {
		o.Store = panics.NewStore(o.Store, o.Logger, o.Offline)
	}
}

// safeResolver guards a resolver of the caller.
type safeResolver struct {
	Resolver
	log *slog.Logger
}

func (r *safeResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	g := panics.NewGuard(r.log, "dns", "Network.Resolver")
	return panics.Try(g, func() ([]netip.Addr, error) { return r.Resolver.LookupNetIP(ctx, network, host) })
}
