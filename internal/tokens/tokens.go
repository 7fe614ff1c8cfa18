// Package tokens gets access tokens (OAuth 2.1) for requests to a resource, keeps them, and
// renews them. It asks authorization servers through the guard of a Client.
package tokens

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/door"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// The grants that a [Config] can name.
const (
	ClientCredentials = "client_credentials"
	AuthorizationCode = "authorization_code"
	DeviceCode        = "device_code"
)

// Config says how a client gets tokens. The fields are those of call.OAuthConfig, which
// describes them.
type Config struct {
	Grant, Issuer, ClientID, ClientSecret string
	Register                              bool
	Scopes                                []string
	Open                                  func(ctx context.Context, url string) error
	Device                                func(ctx context.Context, code, url string) error
	Store                                 Store
}

// Store keeps refresh tokens by issuer, resource and client.
type Store interface {
	Load(issuer, resource, client string) (string, error)
	Save(issuer, resource, client, refresh string) error
}

// NeedsPeople reports whether a person takes part when a token is fetched.
func (c *Config) NeedsPeople() bool { return c.Grant != ClientCredentials }

// Request asks for a token.
type Request struct {
	*Config
	// Principal on whose behalf the resource is asked.
	Principal string
	// Resource is the URL that the token is for (RFC 8707).
	Resource string
	// Needed are the scopes that the document names, and More those that the resource has
	// asked for besides.
	Needed, More []string
	// Flows are the flows of the scheme in the document.
	Flows []wayfind.OAuthFlow
	// Metadata is the URL of the metadata of the resource that a challenge names, "" for the
	// usual places (RFC 9728 §3).
	Metadata string
	// Stale is the token that the resource has refused.
	Stale string
	// Approve is asked before an authorization server on another site than the resource is
	// contacted, unless the Config names it. Its error ends the request.
	Approve func(ctx context.Context, issuer *url.URL) error
}

// Error is why there is no token. Its Detail is text of ours.
type Error struct {
	Why    Why
	Detail string
	Err    error
}

// Error says the detail and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Detail + ": " + e.Err.Error()
	}
	return e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Why is the kind of an [Error].
type Why int

// The kinds.
const (
	Missing  Why = iota // the user must provide something
	Refused             // a credential or a statement of a server cannot be used
	TooLarge            // a document about authentication is too large
)

func fail(why Why, err error, detail string) *Error { return &Error{why, detail, err} }

// maxKept is how many tokens a Keeper keeps.
const maxKept = 4096

// Keeper gets tokens and keeps them. It is safe for concurrent use.
type Keeper struct {
	client *client.Client

	mu   sync.Mutex
	kept map[key]*tokens
}

// NewKeeper makes a Keeper that asks through a Client.
func NewKeeper(c *client.Client) *Keeper { return &Keeper{client: c, kept: make(map[key]*tokens)} }

// Forget drops the tokens of a principal.
func (k *Keeper) Forget(principal string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.kept, func(own key, _ *tokens) bool { return own.principal == principal })
}

// renewEarly is how long before its end a token is renewed.
const renewEarly = time.Minute

// key names what one token is for.
type key struct{ principal, issuer, client, resource, scopes string }

// tokens are the tokens of one key. One caller asks at a time, and those that wait take the
// token that it got.
type tokens struct {
	turn    chan struct{}
	token   *oauth2.Token
	issuer  string // that gave all of this
	client  *registered
	refresh string
}

// Token returns an access token that lasts, and fetches one if there is none.
func (k *Keeper) Token(ctx context.Context, r *Request) (string, error) {
	at, err := url.Parse(r.Resource)
	if err != nil {
		return "", err
	}
	own := k.tokensOf(key{r.Principal, r.Issuer, r.ClientID, r.Resource, strings.Join(r.wanted(), " ")})
	select {
	case own.turn <- struct{}{}:
		defer func() { <-own.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if t := own.token; t != nil && t.AccessToken != r.Stale && (t.Expiry.IsZero() || time.Until(t.Expiry) > renewEarly) {
		return t.AccessToken, nil
	}
	f := &fetcher{Request: r, client: k.client, at: at}
	t, err := f.fetch(ctx, own)
	if err != nil {
		return "", err
	}
	if !text.IsFieldValue(t.AccessToken) || t.Type() != "Bearer" {
		return "", errors.New("the token cannot be sent as a bearer token")
	}
	own.token = t
	return t.AccessToken, nil
}

func (k *Keeper) tokensOf(own key) *tokens {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.kept[own]
	if t == nil {
		if len(k.kept) >= maxKept {
			clear(k.kept)
		}
		t = &tokens{turn: make(chan struct{}, 1)}
		k.kept[own] = t
	}
	return t
}

// wanted are the scopes to ask for, in order. The Scopes of the Config replace the needed
// ones, but not those that a challenge asks for besides.
func (r *Request) wanted() []string {
	list := r.Needed
	if r.Scopes != nil {
		list = r.Scopes
	}
	list = append(slices.Clone(list), r.More...)
	slices.Sort(list)
	return slices.Compact(list)
}

// fetcher fetches one token.
type fetcher struct {
	*Request
	client *client.Client
	at     *url.URL // the Resource
}

// fetch asks an authorization server, with a refresh token if there is one.
func (f *fetcher) fetch(ctx context.Context, k *tokens) (*oauth2.Token, error) {
	server, err := f.findServer(ctx)
	if err != nil {
		return nil, err
	}
	if k.issuer != server.issuer { // nothing of one issuer goes to another
		k.issuer, k.client, k.refresh = server.issuer, nil, ""
	}
	if k.client == nil {
		if k.client, err = f.clientAt(ctx, server); err != nil {
			return nil, err
		}
	}
	scopes := f.wanted()
	if len(scopes) == 0 {
		scopes = server.scopes
	}
	o := server.config(k.client, scopes)
	ctx = f.guarded(ctx, server, "")
	resource := oauth2.SetAuthURLParam("resource", f.Resource)
	if k.refresh == "" && f.Store != nil && f.Grant != ClientCredentials {
		if k.refresh, err = f.Store.Load(server.issuer, f.Resource, k.client.id); err != nil {
			return nil, fmt.Errorf("the store of tokens: %w", err)
		}
	}
	if k.refresh != "" {
		if t, err := f.renew(ctx, o, server, k); err == nil {
			return t, f.keepRefresh(server, k, t)
		}
		k.refresh = ""
	}
	t, err := f.newToken(ctx, o, server, resource)
	if err != nil {
		return nil, told(err)
	}
	return t, f.keepRefresh(server, k, t)
}

// renew uses a refresh token. x/oauth2 has no way to name the resource there, so the
// parameter travels with the endpoint.
func (f *fetcher) renew(ctx context.Context, o *oauth2.Config, server *server, k *tokens) (*oauth2.Token, error) {
	own := *o
	ctx = f.guarded(ctx, server, f.Resource)
	t, err := own.TokenSource(ctx, &oauth2.Token{RefreshToken: k.refresh, Expiry: time.Unix(1, 0)}).Token()
	return t, told(err)
}

// keepRefresh remembers a refresh token, which a server may have replaced.
func (f *fetcher) keepRefresh(server *server, k *tokens, t *oauth2.Token) error {
	if t.RefreshToken == "" || t.RefreshToken == k.refresh {
		return nil
	}
	k.refresh = t.RefreshToken
	if f.Store == nil {
		return nil
	}
	if err := f.Store.Save(server.issuer, f.Resource, k.client.id, k.refresh); err != nil {
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
	return fmt.Errorf("the authorization server refuses with %d (%s)", status, text.PlainWord(e.ErrorCode))
}

// approved asks before an authorization server on another site is contacted that the Config
// does not name.
func (f *fetcher) approved(ctx context.Context, issuer string) error {
	u, err := security.ParseURL(issuer, nil)
	if err != nil {
		return err
	}
	if f.Issuer == issuer || door.Of(f.client).SameSite(u.Host, f.at.Host) {
		return nil
	}
	return f.Approve(ctx, u)
}
