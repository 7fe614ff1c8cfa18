package call

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/tokens"
)

// The grants of OAuth 2.1 that [OAuthConfig] knows.
const (
	ClientCredentials = "client_credentials"
	AuthorizationCode = "authorization_code"
	DeviceCode        = "device_code"
)

// OAuthConfig says how to get tokens (OAuth 2.1). The metadata of the resource (RFC 9728)
// and of its authorization server (RFC 8414) name the endpoints. If there are none, the
// document names them, and they must be at Issuer.
type OAuthConfig struct {
	// Grant is ClientCredentials, AuthorizationCode or DeviceCode.
	Grant string
	// Issuer that the client is registered at: "https://login.example.com". A secret
	// and a refresh token go there and nowhere else, so ClientCredentials needs it.
	// Empty: the first that the resource names; one on another site must be approved.
	Issuer string
	// ClientID, also an https URL of a client's metadata, and ClientSecret.
	ClientID, ClientSecret string
	// Register lets a client be registered if there is no ClientID (RFC 7591).
	Register bool
	// Scopes that are asked for, instead of those that the document names.
	Scopes []string
	// Open shows the user a page of the authorization server, for AuthorizationCode.
	Open func(ctx context.Context, url string) error
	// Device shows the user a code, for DeviceCode. The texts are the server's.
	Device func(ctx context.Context, code, url string) error
}

// TokenStore keeps the values that outlive access tokens: refresh tokens, registrations of clients,
// and the keys that tokens are bound to. It must be safe for concurrent use, over all
// processes that share it.
type TokenStore interface {
	// Update replaces the value of a key by the result of change; nil removes it. If change
	// returns an error, the value stays, and Update returns the error. No other Update of
	// the key runs meanwhile. Other keys do not wait: change may send requests. The context
	// ends with the call, but not while a refresh token is replaced. A value is JSON, and
	// secret.
	Update(ctx context.Context, key TokenKey, change func(kept []byte) ([]byte, error)) error
	// Forget removes everything of a principal, and waits for updates that are under way.
	Forget(principal string) error
}

// TokenKey is a key of a [TokenStore]. No value of one key serves another.
type TokenKey struct {
	// Principal on whose behalf the calls are made.
	Principal string
	// Issuer is the authorization server, Resource the URL that the tokens are for.
	Issuer, Resource string
	// Client is OAuthConfig.ClientID, "" for a client that was registered.
	Client string
}

// tokenStore is a TokenStore as package tokens knows it.
type tokenStore struct{ TokenStore }

// Update implements tokens.Store.
func (s tokenStore) Update(ctx context.Context, key tokens.Key, change func([]byte) ([]byte, error)) error {
	return s.TokenStore.Update(ctx, TokenKey(key), change)
}

// OAuth gets tokens for some origins.
func OAuth(config *OAuthConfig, to ...Bound) *Grant {
	own := &tokens.Config{
		Grant: config.Grant, Issuer: config.Issuer, ClientID: config.ClientID, ClientSecret: config.ClientSecret, Register: config.Register,
		Scopes: config.Scopes, Open: config.Open, Device: config.Device,
	}
	return &Grant{For: to, kind: kindOAuth, hidden: &hidden{config: own, value: own.ClientSecret}}
}
