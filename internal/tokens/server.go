package tokens

import (
	"bytes"
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
	"github.com/wayfindhq/wayfind/internal/door"
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
	fromDocument                       bool     // nothing but the document of the site says it
	scopes                             []string // those of the resource
}

// resource is what a resource says of its tokens.
type resource struct{ issuers, scopes []string }

// registered is a client of an authorization server.
type registered struct{ id, secret string }

// findServer asks the resource who gives tokens for it, and then that server.
func (f *fetcher) findServer(ctx context.Context) (*server, error) {
	about, err := f.issuersOf(ctx)
	if err != nil {
		return nil, err
	}
	issuer, issuers := f.Issuer, about.issuers
	switch {
	case issuer == "" && len(issuers) > 0:
		issuer = issuers[0]
	case issuer != "" && len(issuers) > 0 && !slices.Contains(issuers, issuer):
		return nil, fail(Refused, nil, "the resource does not name the issuer of the credential")
	}
	if issuer == "" {
		return f.documented(ctx)
	}
	if f.ClientSecret != "" && f.Issuer != issuer {
		return nil, fail(Refused, nil, "a secret belongs to an issuer, and none was named")
	}
	if err := f.approved(ctx, issuer); err != nil {
		return nil, err
	}
	s, err := f.serverAt(ctx, issuer)
	if err != nil {
		return nil, err
	}
	s.scopes = about.scopes
	return s, nil
}

// documented is the server that the document of the site names, where neither the
// resource nor the caller names an issuer.
func (f *fetcher) documented(ctx context.Context) (*server, error) {
	if f.ClientSecret != "" {
		return nil, fail(Refused, nil, "a secret belongs to an issuer, and none was named")
	}
	for _, flow := range f.Flows {
		u, err := security.ParseURL(flow.TokenURL, nil)
		if flow.TokenURL == "" || err != nil || strings.ReplaceAll(flow.Grant, "urn:ietf:params:oauth:grant-type:", "") != f.Grant {
			continue
		}
		s := &server{issuer: "https://" + u.Host, authorize: flow.AuthorizationURL, token: u.String(), device: flow.DeviceAuthorizationURL, pkce: true, fromDocument: true}
		return s, f.approved(ctx, s.issuer)
	}
	return nil, fail(Missing, nil, "nothing says who gives tokens for it")
}

// issuersOf reads the metadata of the resource (RFC 9728 §3): where a challenge says,
// else with its path, then without. None at all is no error.
func (f *fetcher) issuersOf(ctx context.Context) (about resource, err error) {
	u := f.at
	places := []string{"https://" + u.Host + "/.well-known/oauth-protected-resource" + strings.TrimSuffix(u.EscapedPath(), "/")}
	if strings.Trim(u.Path, "/") != "" {
		places = append(places, "https://"+u.Host+"/.well-known/oauth-protected-resource")
	}
	if f.Metadata != "" {
		places = []string{f.Metadata}
	}
	for _, place := range places {
		root, found, err := f.metadata(ctx, place)
		if err != nil || !found {
			if err != nil {
				return about, err
			}
			continue
		}
		named, _ := root.Get("resource").Str()
		if named != f.Resource && strings.TrimSuffix(named, "/") != "https://"+u.Host {
			return about, fail(Refused, nil, "the metadata of the resource is about another one")
		}
		return resource{texts(root.Get("authorization_servers")), texts(root.Get("scopes_supported"))}, nil
	}
	return about, nil
}

// maxTexts is how many members of a list of texts are read.
const maxTexts = 64

// texts are the members of a list that are texts.
func texts(n parse.Node) (list []string) {
	for _, v := range n.Items() {
		if text, ok := v.Str(); ok && len(list) < maxTexts {
			list = append(list, text)
		}
	}
	return list
}

// serverAt reads the metadata of an issuer (RFC 8414 §3.1, OpenID Connect Discovery
// §4). They must be its own.
func (f *fetcher) serverAt(ctx context.Context, issuer string) (*server, error) {
	u, err := security.ParseURL(issuer, nil)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" {
		return nil, fail(Refused, nil, "the issuer is no URL of one")
	}
	origin, path := "https://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	places := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		places = append(places, origin+path+"/.well-known/openid-configuration")
	}
	for _, place := range places {
		root, found, err := f.metadata(ctx, place)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if named, _ := root.Get("issuer").Str(); subtle.ConstantTimeCompare([]byte(named), []byte(issuer)) != 1 {
			return nil, fail(Refused, nil, "the metadata of the authorization server are those of another issuer")
		}
		return readServer(issuer, root), nil
	}
	return nil, fail(Missing, nil, "the authorization server does not say where it gives tokens")
}

func readServer(issuer string, root parse.Node) *server {
	text := func(name string) string { s, _ := root.Get(name).Str(); return s }
	flag := func(name string) bool { v, _ := root.Get(name).Bool(); return v }
	list := func(name string) []string { return texts(root.Get(name)) }
	return &server{
		issuer: issuer, authorize: text("authorization_endpoint"), token: text("token_endpoint"), device: text("device_authorization_endpoint"),
		register: text("registration_endpoint"), authMethods: list("token_endpoint_auth_methods_supported"),
		pkce: slices.Contains(list("code_challenge_methods_supported"), "S256"), clientMetadata: flag("client_id_metadata_document_supported"),
		sendsIssuer: flag("authorization_response_iss_parameter_supported"),
	}
}

// metadata reads a document, without any credential; found is false if there is none.
func (f *fetcher) metadata(ctx context.Context, place string) (root parse.Node, found bool, err error) {
	root, status, err := f.exchange(ctx, http.MethodGet, place, nil)
	return root, err == nil && status == http.StatusOK && root.Exists(), err
}

// exchange sends a request without any credential, and reads an answer that is a JSON
// object; root does not exist for another one.
func (f *fetcher) exchange(ctx context.Context, method, place string, body []byte) (root parse.Node, status int, err error) {
	u, err := security.ParseURL(place, nil)
	if err != nil {
		return root, 0, err
	}
	req, err := http.NewRequestWithContext(client.WithCredential(ctx), method, u.String(), nil)
	if err != nil {
		return root, 0, err
	}
	req.Header["Accept"] = []string{"application/json"}
	if body != nil {
		req.Header["Content-Type"] = []string{"application/json"}
		setBody(req, body)
	}
	resp, err := door.Of(f.client).HTTPForCalls("https://" + u.Host).Transport.RoundTrip(req)
	if err != nil {
		return root, 0, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata+1))
	switch {
	case err != nil:
		return root, 0, err
	case len(got) > maxMetadata && resp.StatusCode == http.StatusOK:
		return root, 0, fail(TooLarge, nil, "the statement about authentication")
	}
	root, _ = (&parse.Input{Body: got}).JSONObject()
	return root, resp.StatusCode, nil
}

func setBody(r *http.Request, body []byte) {
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	r.ContentLength = int64(len(body))
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
	return err == nil && door.Of(c).SameSite(u.Host, endpoint.Host)
}

// guarded hands the guarded client to package oauth2, which takes it from the context. A
// resource is added to each form.
func (f *fetcher) guarded(ctx context.Context, s *server, resource string) context.Context {
	door := &oauthDoor{client: f.client, server: s, resource: resource}
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
	return door.Of(d.client).HTTPForCalls("https://" + u.Host).Transport.RoundTrip(own.WithContext(ctx))
}

// clientAt is who we are to a server.
func (f *fetcher) clientAt(ctx context.Context, s *server) (*registered, error) {
	switch {
	case strings.HasPrefix(f.ClientID, "https://") && !s.clientMetadata:
		return nil, fail(Refused, nil, "the authorization server does not read metadata of clients")
	case f.ClientID != "":
		return &registered{f.ClientID, f.ClientSecret}, nil
	case !f.Register || s.register == "":
		return nil, fail(Missing, nil, "the authorization server must know the client, and does not")
	}
	return f.registerAt(ctx, s)
}

// registerAt registers a public client (RFC 7591).
func (f *fetcher) registerAt(ctx context.Context, s *server) (*registered, error) {
	u, err := security.ParseURL(s.register, nil)
	if err != nil || !s.near(f.client, u) {
		return nil, fail(Refused, err, "the authorization server registers clients elsewhere")
	}
	grant := AuthorizationCode
	if f.Grant == DeviceCode {
		grant = "urn:ietf:params:oauth:grant-type:device_code"
	}
	root, status, err := f.exchange(ctx, http.MethodPost, u.String(), []byte(`{"client_name":"wayfind","redirect_uris":["http://127.0.0.1/callback"],"grant_types":["`+
		grant+`","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`))
	if err != nil {
		return nil, err
	}
	id, _ := root.Get("client_id").Str()
	if status/100 != 2 || id == "" {
		return nil, fail(Missing, nil, fmt.Sprintf("the authorization server did not register the client (%d)", status))
	}
	return &registered{id: id}, nil
}
