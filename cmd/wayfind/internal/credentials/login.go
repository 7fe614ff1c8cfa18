package credentials

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
)

// loginFlags are the flags for tokens by OAuth.
type loginFlags struct {
	clientID, clientSecret, issuer string
	scopes                         []string
	enroll, device                 bool
	tokenFile                      string
}

func (f *loginFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.clientID, "client-id", "", "log in by OAuth as this `ID`, or https URL of a client's metadata, in a browser on this machine")
	cmd.Flags().BoolVar(&f.device, "device", false, "log in by OAuth with a code that you type on another device")
	cmd.Flags().StringVar(&f.clientSecret, "client-secret", "", "get a token for this program itself, without a login: the secret of --client-id, as `env:NAME`, file:PATH or cmd:ARGV; needs --issuer")
	cmd.Flags().StringVar(&f.issuer, "issuer", "", "the `URL` of the authorization server that knows the client; no other gets its secret")
	cmd.Flags().StringArrayVar(&f.scopes, "scope", nil, "ask for this `SCOPE` instead of those that the document names; may be given several times")
	cmd.Flags().BoolVar(&f.enroll, "register", false, "register a client at the authorization server where there is no --client-id")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "keep refresh tokens in `FILE`, which only you may read (see \"wayfind logout\")")
}

// given reports whether a login was asked for.
func (f *loginFlags) given() bool { return f.clientID != "" || f.enroll }

// check returns an error if flags do not go together.
func (f *loginFlags) check() error {
	switch {
	case f.clientSecret != "" && (f.clientID == "" || f.issuer == ""):
		return ui.Usagef("--client-secret needs --client-id and --issuer: a secret is for the server that gave it, and for no other")
	case f.clientSecret != "" && f.device:
		return ui.Usagef("--client-secret and --device are two ways to get a token: use one")
	case f.clientID != "" && f.enroll:
		return ui.Usagef("--client-id and --register are two ways to name the client: use one")
	case !f.given() && (f.device || f.issuer != "" || f.tokenFile != "" || f.scopes != nil):
		return ui.Usagef("name the client with --client-id, or let one be registered with --register")
	}
	return nil
}

// open returns a function that answers requests for credentials with tokens by OAuth. For unread,
// see [Flags].
func (f *loginFlags) open(a *ui.App, unread bool) (func(context.Context, *call.CredentialRequest) (*call.Grant, error), error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var secret source
	if f.clientSecret != "" {
		var err error
		if secret, err = sourceOf("--client-secret", "secret="+f.clientSecret); err != nil {
			return nil, ui.Usagef("--client-secret: write env:NAME, file:PATH or cmd:ARGV")
		}
	}
	return func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		if !f.given() || !authkind.Of(q.Scheme).Issued() && q.Scheme.MetadataURL == "" {
			return nil, nil
		}
		// A server that lists its tools was approved or its URL was typed, and the token is for
		// this server alone.
		to, proven := bound(q, q.Tool == "")
		if !proven {
			return nil, fmt.Errorf("%s is not where the document is", q.Origin)
		}
		if unread {
			return StandIn(q.Scheme, to)
		}
		config := &call.OAuthConfig{
			Grant: call.AuthorizationCode, Issuer: f.issuer, ClientID: f.clientID, Register: f.enroll, Scopes: f.scopes,
			Open:   func(_ context.Context, page string) error { return openPage(a, page) },
			Device: func(_ context.Context, code, page string) error { return showCode(a, code, page) },
		}
		switch {
		case f.clientSecret != "":
			value, err := secret.read(ctx)
			if err != nil {
				return nil, err
			}
			config.Grant, config.ClientSecret = call.ClientCredentials, value
		case f.device:
			config.Grant = call.DeviceCode
		}
		return call.OAuth(config, to), nil
	}, nil
}

// openPage shows the page of an authorization server.
func openPage(a *ui.App, page string) error {
	fmt.Fprintf(a.Err, "Open this page in a browser on this machine, and log in there:\n  %s\n", ui.Show(page))
	return nil
}

// showCode shows a code for another device.
func showCode(a *ui.App, code, page string) error {
	fmt.Fprintf(a.Err, "Open this page on any device, and type the code %s there:\n  %s\n", ui.Show(code), ui.Show(page))
	return nil
}
