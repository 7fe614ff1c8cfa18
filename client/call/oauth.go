package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind/security"
)

// The grants of OAuth 2.1 that [OAuthConfig] knows.
const (
	ClientCredentials = "client_credentials"
	AuthorizationCode = "authorization_code"
	DeviceCode        = "device_code"
)

// OAuthConfig is how tokens are had (OAuth 2.1). Where it is asked says the resource
// (RFC 9728) and its authorization server (RFC 8414); without that, what the document
// names, if it is at Issuer.
type OAuthConfig struct {
	// Grant is ClientCredentials, AuthorizationCode or DeviceCode.
	Grant string
	// Issuer that the client is registered at: "https://login.example.com". A secret
	// and a refresh token go there and nowhere else, so ClientCredentials needs it.
	// Empty: the first that the resource names; one on another site must be approved.
	Issuer string
	// ClientID, also an https URL of a client's metadata, and ClientSecret.
	ClientID, ClientSecret string
	// Register lets a client be registered where there is no ClientID (RFC 7591).
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
	// Load returns "" where there is none.
	Load(issuer, resource, client string) (string, error)
	// Save replaces one; "" removes it.
	Save(issuer, resource, client, refresh string) error
}

// OAuth gets tokens for some origins.
func OAuth(config *OAuthConfig, to ...Bound) *Grant {
	own := *config
	return &Grant{For: to, kind: kindOAuth, hidden: &hidden{config: &own, value: own.ClientSecret}}
}

// renewEarly is how long before its end a token is renewed.
const renewEarly = time.Minute

// tokenKey names what one token is for.
type tokenKey struct{ principal, issuer, client, resource, scopes string }

// tokens are those of one key. One asks at a time, and those that wait take the token that it
// got.
type tokens struct {
	turn    chan struct{}
	token   *oauth2.Token
	client  *registered
	refresh string
}

// token returns an access token that lasts, and asks for one where there is none.
func (r *run) token(ctx context.Context, p *part) (string, error) {
	cfg := p.grant.hidden.config
	key := tokenKey{r.principal, cfg.Issuer, cfg.ClientID, r.resource(), strings.Join(p.wanted(), " ")}
	k := r.caller.tokensOf(key)
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if t := k.token; t != nil && t.AccessToken != p.stale && (t.Expiry.IsZero() || time.Until(t.Expiry) > renewEarly) {
		return t.AccessToken, nil
	}
	t, err := r.fetchToken(ctx, p, k)
	if err != nil {
		return "", err
	}
	if !isFieldValue(t.AccessToken) || t.Type() != "Bearer" {
		return "", errors.New("the token cannot be sent as a bearer token")
	}
	k.token = t
	return t.AccessToken, nil
}

func (c *Caller) tokensOf(key tokenKey) *tokens {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.tokens[key]
	if k == nil {
		if len(c.tokens) >= maxSessions {
			clear(c.tokens)
		}
		k = &tokens{turn: make(chan struct{}, 1)}
		c.tokens[key] = k
	}
	return k
}

// wanted are the scopes to ask for, in order.
func (p *part) wanted() []string {
	list := p.scopes
	if own := p.grant.hidden.config.Scopes; own != nil {
		list = own
	}
	list = append(slices.Clone(list), p.more...)
	slices.Sort(list)
	return slices.Compact(list)
}

// fetchToken asks an authorization server, with a refresh token where there is one.
func (r *run) fetchToken(ctx context.Context, p *part, k *tokens) (*oauth2.Token, error) {
	cfg := p.grant.hidden.config
	server, err := r.findServer(ctx, p)
	if err != nil {
		return nil, err
	}
	if k.client == nil {
		if k.client, err = r.clientAt(ctx, server, cfg); err != nil {
			return nil, err
		}
	}
	o := server.config(k.client, p.wanted())
	ctx = r.guardedOAuth(ctx, server)
	resource := oauth2.SetAuthURLParam("resource", r.resource())
	if k.refresh == "" && cfg.Store != nil && cfg.Grant != ClientCredentials {
		if k.refresh, err = cfg.Store.Load(server.issuer, r.resource(), k.client.id); err != nil {
			return nil, fmt.Errorf("the store of tokens: %w", err)
		}
	}
	if k.refresh != "" {
		if t, err := r.renew(ctx, o, server, k); err == nil {
			return t, r.keepRefresh(cfg, server, k, t)
		}
		k.refresh = ""
	}
	t, err := r.newToken(ctx, o, cfg, server, resource)
	if err != nil {
		return nil, told(err)
	}
	return t, r.keepRefresh(cfg, server, k, t)
}

// renew uses a refresh token. x/oauth2 has no way to name the resource there, so the
// parameter travels with the endpoint.
func (r *run) renew(ctx context.Context, o *oauth2.Config, server *server, k *tokens) (*oauth2.Token, error) {
	own := *o
	ctx = server.naming(ctx, r, r.resource())
	t, err := own.TokenSource(ctx, &oauth2.Token{RefreshToken: k.refresh, Expiry: time.Unix(1, 0)}).Token()
	return t, told(err)
}

// keepRefresh remembers a refresh token, which a server may have replaced.
func (r *run) keepRefresh(cfg *OAuthConfig, server *server, k *tokens, t *oauth2.Token) error {
	if t.RefreshToken == "" || t.RefreshToken == k.refresh {
		return nil
	}
	k.refresh = t.RefreshToken
	if cfg.Store == nil {
		return nil
	}
	if err := cfg.Store.Save(server.issuer, r.resource(), k.client.id, k.refresh); err != nil {
		return fmt.Errorf("the store of tokens: %w", err)
	}
	return nil
}

// told is an error of package oauth2 without what the server wrote, which may repeat
// the text that it was sent.
func told(err error) error {
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return err
	}
	status := 0
	if e.Response != nil {
		status = e.Response.StatusCode
	}
	return fmt.Errorf("the authorization server refuses with %d (%s)", status, plainWord(e.ErrorCode))
}

// resource is the URL that a token would be for (RFC 8707): the endpoint of a
// protocol, else the origin.
func (r *run) resource() string {
	if r.at != nil {
		u := *r.wire.url
		u.RawQuery = ""
		return u.String()
	}
	return r.wire.origin
}

// approvedIssuer asks before an authorization server on another site is contacted
// that the caller has not named.
func (r *run) approvedIssuer(ctx context.Context, cfg *OAuthConfig, issuer string) error {
	u, err := security.ParseURL(issuer, nil)
	if err != nil {
		return err
	}
	if cfg.Issuer == issuer || r.caller.client.SameSite(u.Host, r.wire.url.Host) {
		return nil
	}
	refusal := fail(CredentialRefused, nil, "its authorization server is on another site, which was not approved")
	if r.caller.opts.Approve == nil {
		return refusal
	}
	q := security.ApprovalRequest{
		DocumentOrigin: r.wire.origin, Endpoint: u.String(), Domain: r.caller.client.Domain(u.Hostname()), Protocol: "http",
		Methods: []string{"GET", "POST"}, Digest: r.plan.definition(), Purpose: "oauth", Subject: r.tool.Key,
	}
	if err := r.caller.opts.Approve(ctx, q); err != nil {
		refusal.Err = err
		return refusal
	}
	return nil
}
