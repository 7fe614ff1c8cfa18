package client

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/security"
)

// guarded puts a guard around the functions of the caller that decide about a site: Approve,
// Credentials and Store. Formats and probers are guarded at their calls. Loggers, dialers,
// resolvers, recorders and key logs have no guard, as in net/http.
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
	if o.Store != nil {
		o.Store = panics.NewStore(o.Store, o.Logger, o.Offline)
	}
}
