package call

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

// The grants of OAuth 2.1 that [OAuthConfig] supports.
const (
	ClientCredentials = "client_credentials"
	AuthorizationCode = "authorization_code"
	DeviceCode        = "device_code"
)

// OAuthConfig describes how to get tokens (OAuth 2.1). The metadata of the resource (RFC 9728)
// and of its authorization server (RFC 8414) name the endpoints. If Issuer is empty and the
// resource names no authorization server, the document names the endpoints. They must be on
// one site, which must be approved if it is not the site of the resource.
type OAuthConfig struct {
	// Grant is ClientCredentials, AuthorizationCode or DeviceCode.
	Grant string
	// Issuer is the authorization server at which the client is registered:
	// "https://login.example.com". A secret and a refresh token are sent to this server only,
	// so ClientCredentials needs it. If it is empty, the first server that the resource names
	// is used. A server on another site must be approved.
	Issuer string
	// ClientID is the identifier of the client, which may be the https URL of its metadata.
	// ClientSecret is its secret.
	ClientID, ClientSecret string
	// Register allows the registration of a client if there is no ClientID (RFC 7591).
	Register bool
	// ClientName is the name that such a registration gives, which people read when they log in. The
	// default is "wayfind".
	ClientName string
	// Scopes are the requested scopes, instead of the scopes that the document names.
	Scopes []string
	// Open shows the user a page of the authorization server, for AuthorizationCode.
	Open func(ctx context.Context, url string) error
	// Device shows the user a code, for DeviceCode. Both texts come from the server.
	Device func(ctx context.Context, code, url string) error
}

// TokenStore keeps the values that outlive access tokens: refresh tokens, registrations of
// clients, and the keys that tokens are bound to. It must be safe for concurrent use by all
// processes that share it.
type TokenStore interface {
	// Update replaces the value of a key with the result of change; nil removes it. If change
	// returns an error, Update keeps the value and returns the error. No other Update of the
	// key runs at the same time, but Updates of other keys do not wait, because change may
	// send requests. The context ends with the call, but not while a refresh token is
	// replaced. A value is JSON, and secret.
	Update(ctx context.Context, key TokenKey, change func(kept []byte) ([]byte, error)) error
	// Forget removes all values of a principal. It waits for updates in progress.
	Forget(principal string) error
}

// TokenKey is a key of a [TokenStore]. The value of one key is never used for another.
type TokenKey struct {
	// Principal is the user on whose behalf the calls are made.
	Principal string
	// Issuer is the authorization server, and Resource is the URL that the tokens are for.
	Issuer, Resource string
	// Client is OAuthConfig.ClientID; "" for a client that was registered.
	Client string
}

// tokenStore is a TokenStore with the interface of package tokens.
type tokenStore struct{ TokenStore }

// Update implements tokens.Store.
func (s tokenStore) Update(ctx context.Context, key tokens.Key, change func([]byte) ([]byte, error)) error {
	return s.TokenStore.Update(ctx, TokenKey(key), change)
}

// OAuth returns a grant that gets tokens for some origins.
func OAuth(config *OAuthConfig, to ...Binding) *Grant {
	if config == nil {
		panic("call: OAuth without an OAuthConfig")
	}
	own := &tokens.Config{
		Grant: config.Grant, Issuer: config.Issuer, ClientID: config.ClientID, ClientSecret: config.ClientSecret, Register: config.Register, ClientName: config.ClientName,
		Scopes: config.Scopes, Open: config.Open, Device: config.Device,
	}
	return &Grant{For: to, kind: kindOAuth, hidden: &hidden{config: own, value: own.ClientSecret}}
}
