package tokens

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// maxMetadata is the maximum number of bytes of a document about authentication.
const maxMetadata = 64 << 10

// server is an authorization server.
type server struct {
	issuer                             string
	authorize, token, device, register string
	authMethods                        []string
	pkce, clientMetadata, sendsIssuer  bool
	fromDocument                       bool     // only the document of the site names the server
	algorithms                         []string // the algorithms of proofs that it accepts
	scopes                             []string // the scopes of the resource
	proofs                             bool     // the resource accepts only tokens with proofs
}

// resource is the statement of a resource about its tokens.
type resource struct {
	named           string // the resource as its metadata write it, or "" without metadata
	own             bool   // the metadata are at the well-known place of that resource
	absent          bool   // each place says that there are no metadata
	issuers, scopes []string
	proofs          bool
}

// findServer reads the metadata of the resource, and then of the authorization server that it
// names.
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
	if f.audience = f.Resource; about.own {
		f.audience = about.named
	}
	if issuer == "" {
		s, err := f.documented(ctx)
		if e, ok := errors.AsType[*Error](err); ok && e.Why == Missing && f.isOwnIssuer(about) {
			if s, err = f.ownServer(ctx); err == nil {
				return s, f.demand(s, about)
			}
		}
		return s, err
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
	return s, f.demand(s, about)
}

// demand sets what the resource demands of its tokens.
func (f *fetcher) demand(s *server, about resource) error {
	s.scopes, s.proofs = about.scopes, about.proofs || f.Proofs
	if s.proofs && s.algorithms != nil && !slices.Contains(s.algorithms, "ES256") {
		return fail(Refused, nil, "the authorization server takes no proofs by ES256")
	}
	return nil
}

// documented returns the server that the document of the site names. It is used if neither the
// resource nor the caller names an issuer.
func (f *fetcher) documented(ctx context.Context) (*server, error) {
	if f.ClientSecret != "" {
		return nil, fail(Refused, nil, "a secret belongs to an issuer, and none was named")
	}
	for _, flow := range f.Flows {
		u, err := f.parseURL(flow.TokenURL)
		if flow.TokenURL == "" || err != nil || strings.ReplaceAll(flow.Grant, "urn:ietf:params:oauth:grant-type:", "") != f.Grant {
			continue
		}
		s := &server{issuer: security.Origin(u), authorize: flow.AuthorizationURL, token: u.String(), device: flow.DeviceAuthorizationURL, pkce: true, fromDocument: true, proofs: f.Proofs}
		return s, f.approved(ctx, s.issuer)
	}
	return nil, fail(Missing, nil, "nothing says who gives tokens for it")
}

// isOwnIssuer reports whether the origin of the resource is its own issuer, as MCP 2025-03-26 has it
// (Authorization, Server Metadata Discovery): a server of MCP of which each place says that there are no
// metadata. A failure or a wall says nothing. A resource that has had another issuer in this process keeps
// it.
func (f *fetcher) isOwnIssuer(about resource) bool {
	return f.MCP && f.Metadata == "" && about.absent && f.ClientSecret == "" && (f.own.issuer == "" || f.own.issuer == security.Origin(f.at))
}

// ownServer returns the authorization server at the origin of the resource. If each of its places says that
// it has no metadata, its endpoints are those of MCP 2025-03-26 (Fallbacks for Servers without Metadata
// Discovery).
func (f *fetcher) ownServer(ctx context.Context) (*server, error) {
	origin := security.Origin(f.at)
	f.walls = false
	s, err := f.serverAt(ctx, origin)
	if e, ok := errors.AsType[*Error](err); !ok || e.Why != Missing || f.walls {
		return s, err
	}
	return &server{issuer: origin, authorize: origin + "/authorize", token: origin + "/token", register: origin + "/register", pkce: true}, nil
}

// issuersOf reads the metadata of the resource (RFC 9728 §3). It uses the URL from a
// challenge, or else the places of [oauth.ResourceMetadataURLs] in their order. Missing metadata are not an error.
func (f *fetcher) issuersOf(ctx context.Context) (about resource, err error) {
	places := oauth.ResourceMetadataURLs(f.at)
	if f.Metadata != "" {
		places = []string{f.Metadata}
	}
	f.walls = false
	for _, place := range places {
		root, found, err := f.metadata(ctx, place)
		if err != nil || !found {
			if err != nil {
				return about, err
			}
			continue
		}
		named, _ := root.Get("resource").Str()
		if !oauth.Covers(named, f.Resource) {
			return about, fail(Refused, nil, "the metadata of the resource is about another one")
		}
		proofs, _ := root.Get("dpop_bound_access_tokens_required").Bool()
		u, err := url.Parse(named)
		own := err == nil && place == oauth.ResourceMetadataURL(u)
		return resource{named: named, own: own, issuers: texts(root.Get("authorization_servers")), scopes: texts(root.Get("scopes_supported")), proofs: proofs}, nil
	}
	return resource{absent: !f.walls}, nil
}

// maxTexts is the maximum number of texts that are read from a list.
const maxTexts = 64

// texts returns the members of a list that are texts.
func texts(n parse.Node) (list []string) {
	for _, v := range n.Items() {
		if text, ok := v.Str(); ok && len(list) < maxTexts {
			list = append(list, text)
		}
	}
	return list
}

// serverAt reads the metadata of an issuer (RFC 8414 §3.1, OpenID Connect Discovery §4). The
// metadata must name the same issuer.
func (f *fetcher) serverAt(ctx context.Context, issuer string) (*server, error) {
	u, err := f.parseURL(issuer)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" {
		return nil, fail(Refused, nil, "the issuer is no URL of one")
	}
	for _, place := range oauth.ServerMetadataURLs(u) {
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
	word := func(name string) string { s, _ := root.Get(name).Str(); return s }
	flag := func(name string) bool { v, _ := root.Get(name).Bool(); return v }
	list := func(name string) []string { return texts(root.Get(name)) }
	return &server{
		issuer: issuer, authorize: word("authorization_endpoint"), token: word("token_endpoint"), device: word("device_authorization_endpoint"),
		register: word("registration_endpoint"), authMethods: list("token_endpoint_auth_methods_supported"),
		pkce: slices.Contains(list("code_challenge_methods_supported"), "S256"), clientMetadata: flag("client_id_metadata_document_supported"),
		sendsIssuer: flag("authorization_response_iss_parameter_supported"), algorithms: list("dpop_signing_alg_values_supported"),
	}
}

// metadata reads a document, without any credential. found is false if there is no document. A
// temporary failure of the server is an error.
func (f *fetcher) metadata(ctx context.Context, place string) (root parse.Node, found bool, err error) {
	root, status, err := f.exchange(ctx, http.MethodGet, place, nil)
	f.walls = f.walls || status != http.StatusNotFound && status != http.StatusGone
	return root, err == nil && status == http.StatusOK && root.Exists(), err
}

// exchange sends a request without any credential, and reads the answer. root does not exist
// if the answer is not a JSON object.
func (f *fetcher) exchange(ctx context.Context, method, place string, body []byte) (root parse.Node, status int, err error) {
	u, err := f.parseURL(place)
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
	resp, err := access.Of(f.client).HTTPForCalls(security.Origin(u), true).Transport.RoundTrip(req)
	if err != nil {
		return root, 0, passing(err)
	}
	defer resp.Body.Close()
	if err := failing(resp.StatusCode, resp.Header); err != nil {
		return root, 0, err
	}
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

// config returns the configuration of the client for package oauth2.
func (f *fetcher) config(scopes []string) (*oauth2.Config, error) {
	s := f.server
	if strings.HasPrefix(f.id, "https://") && !s.clientMetadata {
		return nil, fail(Refused, nil, "the authorization server does not read metadata of clients")
	}
	style := oauth2.AuthStyleInParams
	if f.secret != "" && (f.method == basicMethod || f.method == "" && s.accepts(basicMethod)) {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{
		ClientID: f.id, ClientSecret: f.secret, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: s.authorize, TokenURL: s.token, DeviceAuthURL: s.device, AuthStyle: style},
	}, nil
}

// near reports whether an endpoint is on the site of the issuer.
func (s *server) near(c *client.Client, endpoint *url.URL) bool {
	u, err := url.Parse(s.issuer)
	return err == nil && near(c, u, endpoint)
}

// The methods by which a client authenticates at the token endpoint (RFC 7591 §2).
const (
	noMethod    = "none"
	basicMethod = "client_secret_basic"
	postMethod  = "client_secret_post"
)

// accepts reports whether the server takes a method. A server that names none takes that of RFC 6749.
func (s *server) accepts(method string) bool {
	return len(s.authMethods) == 0 || slices.Contains(s.authMethods, method)
}

// method returns the method that a new client asks for: none, unless the server takes only clients with
// a secret.
func (s *server) method() string {
	for _, method := range []string{noMethod, basicMethod, postMethod} {
		if s.accepts(method) {
			return method
		}
	}
	return noMethod
}

// register registers a client (RFC 7591). The client is native, because its redirect is to this
// machine; a server may take a client that does not state this for one of the web, and refuse the
// redirect (OpenID Connect Dynamic Client Registration 1.0 §2). What the server answers counts, also if
// it gives a secret that was not asked for (RFC 7591 §3.2.1).
func (f *fetcher) register(ctx context.Context) (made state, err error) {
	if !f.Register || f.server.register == "" {
		return made, fail(Missing, nil, "the authorization server must know the client, and does not")
	}
	u, err := f.parseURL(f.server.register)
	if err != nil || !f.server.near(f.client, u) {
		return made, fail(Refused, err, "the authorization server registers clients elsewhere")
	}
	grant := AuthorizationCode
	if f.Grant == DeviceCode {
		grant = "urn:ietf:params:oauth:grant-type:device_code"
	}
	body, err := json.Marshal(map[string]any{
		"client_name": cmp.Or(f.ClientName, "wayfind"), "application_type": "native", "redirect_uris": []string{"http://127.0.0.1/callback"},
		"grant_types": []string{grant, "refresh_token"}, "response_types": []string{"code"}, "token_endpoint_auth_method": f.server.method(),
	})
	if err != nil {
		return made, err
	}
	root, status, err := f.exchange(ctx, http.MethodPost, u.String(), body)
	if err != nil {
		return made, err
	}
	made.Registered, _ = root.Get("client_id").Str()
	if status/100 != 2 || made.Registered == "" {
		return made, fail(Missing, nil, fmt.Sprintf("the authorization server did not register the client (%d)", status))
	}
	made.Secret, _ = root.Get("client_secret").Str()
	made.Method, _ = root.Get("token_endpoint_auth_method").Str()
	made.Until, _ = root.Get("client_secret_expires_at").Int()
	switch made.Method {
	case noMethod:
		made.Secret, made.Until = "", 0
	case "", basicMethod, postMethod:
		if made.Secret == "" && made.Method != "" {
			return made, fail(Missing, nil, "the authorization server registers the client without the secret that it wants")
		}
	default:
		return made, fail(Missing, nil, "the authorization server wants the client to authenticate by "+text.PlainWord(made.Method))
	}
	return made, nil
}
