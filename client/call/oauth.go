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
	// Store keeps refresh tokens; nil: they end with the Caller.
	Store TokenStore
}

// TokenStore keeps refresh tokens by issuer, resource and client. It must be safe for
// concurrent use.
type TokenStore interface {
	// Load returns "" if there is none.
	Load(issuer, resource, client string) (string, error)
	// Save replaces one; "" removes it.
	Save(issuer, resource, client, refresh string) error
}

// OAuth gets tokens for some origins.
func OAuth(config *OAuthConfig, to ...Bound) *Grant {
	own := &tokens.Config{
		Grant: config.Grant, Issuer: config.Issuer, ClientID: config.ClientID, ClientSecret: config.ClientSecret, Register: config.Register,
		Scopes: config.Scopes, Open: config.Open, Device: config.Device, Store: config.Store,
	}
	return &Grant{For: to, kind: kindOAuth, hidden: &hidden{config: own, value: own.ClientSecret}}
}
