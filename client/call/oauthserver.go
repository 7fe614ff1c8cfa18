package call

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// maxMetadata is how much of a document about authentication is read.
const maxMetadata = 64 << 10

// server is an authorization server.
type server struct {
	issuer                             string
	authorize, token, device, register string
	authMethods                        []string
	pkce, clientMetadata, sendsIssuer  bool
	fromDocument                       bool // nothing but the document of the site says it
}

// registered is a client of an authorization server.
type registered struct{ id, secret string }

// findServer asks the resource who gives tokens for it, and then that server.
func (r *run) findServer(ctx context.Context, p *part) (*server, error) {
	cfg := p.grant.hidden.config
	issuers, err := r.issuersOf(ctx, p.metadata)
	if err != nil {
		return nil, err
	}
	issuer := cfg.Issuer
	switch {
	case issuer == "" && len(issuers) > 0:
		issuer = issuers[0]
	case issuer != "" && len(issuers) > 0 && !slices.Contains(issuers, issuer):
		return nil, fail(CredentialRefused, nil, "the resource does not name the issuer of the credential")
	}
	if issuer == "" {
		return r.documented(ctx, p)
	}
	if cfg.ClientSecret != "" && cfg.Issuer != issuer {
		return nil, fail(CredentialRefused, nil, "a secret belongs to an issuer, and none was named")
	}
	if err := r.approvedIssuer(ctx, cfg, issuer); err != nil {
		return nil, err
	}
	return r.serverAt(ctx, issuer)
}

// documented is the server that the document of the site names, where neither the
// resource nor the caller names an issuer.
func (r *run) documented(ctx context.Context, p *part) (*server, error) {
	cfg := p.grant.hidden.config
	if cfg.ClientSecret != "" {
		return nil, fail(CredentialRefused, nil, "a secret belongs to an issuer, and none was named")
	}
	for _, flow := range p.scheme.Flows {
		u, err := security.ParseURL(flow.TokenURL, nil)
		if flow.TokenURL == "" || err != nil || strings.ReplaceAll(flow.Grant, "urn:ietf:params:oauth:grant-type:", "") != cfg.Grant {
			continue
		}
		s := &server{issuer: "https://" + u.Host, authorize: flow.AuthorizationURL, token: u.String(), device: flow.DeviceAuthorizationURL, pkce: true, fromDocument: true}
		return s, r.approvedIssuer(ctx, cfg, s.issuer)
	}
	return nil, fail(CredentialMissing, nil, "nothing says who gives tokens for it")
}

// issuersOf reads the metadata of the resource (RFC 9728 §3): where a challenge says,
// else with its path, then without. None at all is no error.
func (r *run) issuersOf(ctx context.Context, challenged string) ([]string, error) {
	resource := r.resource()
	u, err := url.Parse(resource)
	if err != nil {
		return nil, err
	}
	places := []string{"https://" + u.Host + "/.well-known/oauth-protected-resource" + strings.TrimSuffix(u.EscapedPath(), "/")}
	if strings.Trim(u.Path, "/") != "" {
		places = append(places, "https://"+u.Host+"/.well-known/oauth-protected-resource")
	}
	if challenged != "" {
		places = []string{challenged}
	}
	for _, place := range places {
		root, found, err := r.metadata(ctx, place)
		if err != nil || !found {
			if err != nil {
				return nil, err
			}
			continue
		}
		named, _ := root.Get("resource").Str()
		if named != resource && strings.TrimSuffix(named, "/") != "https://"+u.Host {
			return nil, fail(CredentialRefused, nil, "the metadata of the resource is about another one")
		}
		var issuers []string
		for _, v := range root.Get("authorization_servers").Items() {
			if text, ok := v.Str(); ok {
				issuers = append(issuers, text)
			}
		}
		return issuers, nil
	}
	return nil, nil
}

// serverAt reads the metadata of an issuer (RFC 8414 §3.1, OpenID Connect Discovery
// §4). They must be its own.
func (r *run) serverAt(ctx context.Context, issuer string) (*server, error) {
	u, err := security.ParseURL(issuer, nil)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" {
		return nil, fail(CredentialRefused, nil, "the issuer is no URL of one")
	}
	origin, path := "https://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	places := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		places = append(places, origin+path+"/.well-known/openid-configuration")
	}
	for _, place := range places {
		root, found, err := r.metadata(ctx, place)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if named, _ := root.Get("issuer").Str(); subtle.ConstantTimeCompare([]byte(named), []byte(issuer)) != 1 {
			return nil, fail(CredentialRefused, nil, "the metadata of the authorization server are those of another issuer")
		}
		return readServer(issuer, root), nil
	}
	return nil, fail(CredentialMissing, nil, "the authorization server does not say where it gives tokens")
}

func readServer(issuer string, root parse.Node) *server {
	text := func(name string) string { s, _ := root.Get(name).Str(); return s }
	flag := func(name string) bool { v, _ := root.Get(name).Bool(); return v }
	list := func(name string) (all []string) {
		for _, v := range root.Get(name).Items() {
			if s, ok := v.Str(); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return &server{
		issuer: issuer, authorize: text("authorization_endpoint"), token: text("token_endpoint"), device: text("device_authorization_endpoint"),
		register: text("registration_endpoint"), authMethods: list("token_endpoint_auth_methods_supported"),
		pkce: slices.Contains(list("code_challenge_methods_supported"), "S256"), clientMetadata: flag("client_id_metadata_document_supported"),
		sendsIssuer: flag("authorization_response_iss_parameter_supported"),
	}
}

// metadata reads a document, without any credential; found is false for "there is
// none".
func (r *run) metadata(ctx context.Context, place string) (root parse.Node, found bool, err error) {
	w, err := newWire(http.MethodGet, place)
	if err != nil {
		return root, false, err
	}
	w.header["Accept"] = []string{"application/json"}
	resp, err := r.caller.client.HTTPForCalls(w.origin).Transport.RoundTrip(w.request(client.WithCredential(ctx)))
	if err != nil {
		return root, false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return root, false, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata+1))
	if err != nil {
		return root, false, err
	}
	if len(body) > maxMetadata {
		return root, false, fail(TooLarge, nil, "the statement about authentication")
	}
	root, err = (&parse.Input{Body: body}).JSONObject()
	return root, err == nil, nil
}

// config is the server in the words of package oauth2.
func (s *server) config(c *registered, scopes []string) *oauth2.Config {
	style := oauth2.AuthStyleInParams
	if c.secret != "" && (len(s.authMethods) == 0 || slices.Contains(s.authMethods, "client_secret_basic")) {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{
		ClientID: c.id, ClientSecret: c.secret, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: s.authorize, TokenURL: s.token, DeviceAuthURL: s.device, AuthStyle: style},
	}
}

// near reports whether an endpoint is where the issuer may have it: on its site.
func (s *server) near(c *client.Client, endpoint *url.URL) bool {
	u, err := url.Parse(s.issuer)
	return err == nil && c.SameSite(u.Host, endpoint.Host)
}

// guardedOAuth hands the guarded client to package oauth2, which takes it from the
// context.
func (r *run) guardedOAuth(ctx context.Context, s *server) context.Context {
	return s.naming(ctx, r, "")
}

func (s *server) naming(ctx context.Context, r *run, resource string) context.Context {
	door := &oauthDoor{client: r.caller.client, server: s, resource: resource}
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport: door, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// oauthDoor sends what package oauth2 asks, through the guard and to the site of the
// issuer alone. The password of the client travels beside the request.
type oauthDoor struct {
	client   *client.Client
	server   *server
	resource string // added to what a form says
}

// RoundTrip implements http.RoundTripper.
func (d *oauthDoor) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := security.ParseURL(req.URL.String(), nil)
	if err == nil && !d.server.near(d.client, u) {
		err = wayfind.NewError("oauth", d.server.issuer, wayfind.CodeCrossSite, errors.New("the endpoint is not on the site of the issuer"))
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	own := req.Clone(req.Context())
	ctx := client.WithCredential(req.Context())
	if auth := own.Header.Get("Authorization"); auth != "" {
		own.Header.Del("Authorization")
		ctx = client.WithCredential(req.Context(), security.Credential{Origin: "https://" + u.Host, Field: "Authorization", Value: auth})
	}
	if d.resource != "" && req.Body != nil {
		form, err := io.ReadAll(io.LimitReader(req.Body, maxMetadata))
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		setBody(own, append(form, "&resource="+url.QueryEscape(d.resource)...))
	}
	own.Header.Del("User-Agent")
	return d.client.HTTPForCalls("https://" + u.Host).Transport.RoundTrip(own.WithContext(ctx))
}

// clientAt is who we are to a server.
func (r *run) clientAt(ctx context.Context, s *server, cfg *OAuthConfig) (*registered, error) {
	switch {
	case strings.HasPrefix(cfg.ClientID, "https://") && !s.clientMetadata:
		return nil, fail(CredentialRefused, nil, "the authorization server does not read metadata of clients")
	case cfg.ClientID != "":
		return &registered{cfg.ClientID, cfg.ClientSecret}, nil
	case !cfg.Register || s.register == "":
		return nil, fail(CredentialMissing, nil, "the authorization server must know the client, and does not")
	}
	return r.registerAt(ctx, s, cfg.Grant)
}

// registerAt registers a public client (RFC 7591).
func (r *run) registerAt(ctx context.Context, s *server, grant string) (*registered, error) {
	u, err := security.ParseURL(s.register, nil)
	if err != nil || !s.near(r.caller.client, u) {
		return nil, fail(CredentialRefused, err, "the authorization server registers clients elsewhere")
	}
	w, err := newWire(http.MethodPost, u.String())
	if err != nil {
		return nil, err
	}
	w.header["Content-Type"], w.header["Accept"] = []string{"application/json"}, []string{"application/json"}
	kind := AuthorizationCode
	if grant == DeviceCode {
		kind = "urn:ietf:params:oauth:grant-type:device_code"
	}
	w.body = []byte(`{"client_name":"wayfind","redirect_uris":["http://127.0.0.1/callback"],"grant_types":["` + kind + `","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`)
	resp, err := r.caller.client.HTTPForCalls(w.origin).Transport.RoundTrip(w.request(client.WithCredential(ctx)))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata))
	if err != nil {
		return nil, err
	}
	root, err := (&parse.Input{Body: body}).JSONObject()
	id, _ := root.Get("client_id").Str()
	if err != nil || resp.StatusCode/100 != 2 || id == "" {
		return nil, fail(CredentialMissing, nil, fmt.Sprintf("the authorization server did not register the client (%d)", resp.StatusCode))
	}
	return &registered{id: id}, nil
}
