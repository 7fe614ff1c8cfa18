package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// OAuth is an authorization server, for use as the site of a [Host]. It issues tokens for an
// authorization code with a proof key (RFC 7636), for a code that a device shows (RFC 8628), to a
// client itself, and for a refresh token. Each use of a refresh token replaces it; a second use
// ends all tokens of that login. It registers clients (RFC 7591) and binds tokens to keys (RFC
// 9449). Its users always agree.
//
// The secrets are numbered, so that a test can name them: "s3cret-token-1", "s3cret-refresh-1",
// "s3cret-code-1", "s3cret-device-1". The clients that it registers are numbered as well:
// "client-1". The refresh token that is issued with an access token has the same number. Set the
// fields before the first request.
type OAuth struct {
	// Issuer is the URL of the server, for example "https://login.example.com".
	Issuer string
	// Clients are the secrets of the clients by their ID, "" for a client without a secret. If
	// Clients is nil, every client is known, with every secret.
	Clients map[string]string
	// Lifetime is the lifetime of access tokens; 0 means an hour. If it is negative, answers do not
	// contain it.
	Lifetime time.Duration
	// Pending is the number of times a device asks in vain before its user has agreed.
	Pending int
	// DPoP binds each token to a key, and refuses requests without a proof. Nonces refuses proofs
	// without a nonce from the server.
	DPoP, Nonces bool
	// Edit may change an answer in JSON: its members and, by the result, its status. It is called
	// after the server has done its work. Nil changes nothing.
	Edit func(r *http.Request, status int, answer map[string]any) int
	// Return may change the parameters that the browser returns to the client: another issuer, two
	// codes, an error. Nil changes nothing.
	Return func(url.Values)

	mu       sync.Mutex
	numbers  map[string]int
	requests []OAuthRequest
	failures map[string][]failure
	unknown  map[string]bool
	logins   map[string]*login // by each code and refresh token
	tokens   map[string]accessToken
	used     map[string]bool // codes, refresh tokens and identifiers of proofs
	reused   int
	nonce    int
}

// OAuthRequest is a request to the token endpoint.
type OAuthRequest struct {
	// Form contains the parameters of the body, and Header the header fields.
	Form   url.Values
	Header http.Header
}

// failure is an answer that replaces the right one.
type failure struct {
	status int
	code   string
}

// login is the consent of one user, or the work of one client.
type login struct {
	client, scope, resource, redirect, challenge string
	key                                          string // thumbprint that tokens are bound to
	asked                                        int    // by a device
	ended                                        bool
}

// accessToken is a token of a login.
type accessToken struct {
	*login
	until time.Time // zero: for ever
}

// Fail makes the next requests for a path fail before the server does anything: with a status and,
// unless it is "", an error of RFC 6749 §5.2.
func (o *OAuth) Fail(path string, times, status int, code string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failures == nil {
		o.failures = map[string][]failure{}
	}
	o.failures[path] = slices.Repeat([]failure{{status, code}}, times)
}

// Unregister makes the server forget a client, which is then refused with invalid_client.
func (o *OAuth) Unregister(client string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unknown == nil {
		o.unknown = map[string]bool{}
	}
	o.unknown[client] = true
}

// Revoke ends all refresh tokens and access tokens.
func (o *OAuth) Revoke() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range o.logins {
		l.ended = true
	}
	clear(o.tokens)
}

// NewNonce makes the server refuse proofs with earlier nonces.
func (o *OAuth) NewNonce() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.nonce++
}

// Requests returns the requests to the token endpoint so far.
func (o *OAuth) Requests() []OAuthRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.requests)
}

// Count returns the number of requests to the token endpoint with a grant type.
func (o *OAuth) Count(grant string) (n int) {
	for _, r := range o.Requests() {
		if r.Form.Get("grant_type") == grant {
			n++
		}
	}
	return n
}

// Reused returns the number of refresh tokens that were used twice.
func (o *OAuth) Reused() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reused
}

// ServeHTTP implements http.Handler.
func (o *OAuth) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.numbers == nil {
		o.numbers, o.logins, o.tokens, o.used = map[string]int{}, map[string]*login{}, map[string]accessToken{}, map[string]bool{}
	}
	if list := o.failures[r.URL.Path]; len(list) > 0 {
		o.failures[r.URL.Path] = list[1:]
		o.answer(w, r, list[0].status, refused(list[0].code))
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		o.answer(w, r, http.StatusOK, o.metadata())
	case "/authorize":
		o.authorize(w, r)
	case "/register":
		id := o.number("client")
		o.answer(w, r, http.StatusCreated, map[string]any{"client_id": id})
	case "/device":
		status, answer := o.device(r)
		o.answer(w, r, status, answer)
	case "/token":
		status, answer := o.token(w, r)
		o.answer(w, r, status, answer)
	default:
		http.NotFound(w, r)
	}
}

// number returns the next name of a kind.
func (o *OAuth) number(kind string) string {
	o.numbers[kind]++
	return fmt.Sprintf("%s-%d", kind, o.numbers[kind])
}

// refused returns an answer with an error.
func refused(code string) map[string]any {
	if code == "" {
		return map[string]any{}
	}
	return map[string]any{"error": code}
}

func (o *OAuth) answer(w http.ResponseWriter, r *http.Request, status int, answer map[string]any) {
	if o.Edit != nil {
		status = o.Edit(r, status, answer)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (o *OAuth) metadata() map[string]any {
	m := map[string]any{
		"issuer": o.Issuer, "authorization_endpoint": o.Issuer + "/authorize", "token_endpoint": o.Issuer + "/token",
		"device_authorization_endpoint": o.Issuer + "/device", "registration_endpoint": o.Issuer + "/register",
		"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
	}
	if o.DPoP {
		m["dpop_signing_alg_values_supported"] = []string{"ES256"}
	}
	return m
}

// authorize redirects the browser of a user, who agrees, back to the client.
func (o *OAuth) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256" || !o.knows(q.Get("client_id")) {
		http.Error(w, "That is no request for a code.", http.StatusBadRequest)
		return
	}
	code := o.number("s3cret-code")
	o.logins[code] = &login{
		client: q.Get("client_id"), scope: q.Get("scope"), resource: q.Get("resource"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), key: q.Get("dpop_jkt"),
	}
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {o.Issuer}}
	if o.Return != nil {
		o.Return(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (o *OAuth) knows(client string) bool {
	_, listed := o.Clients[client]
	return client != "" && !o.unknown[client] && (o.Clients == nil || listed || strings.HasPrefix(client, "client-"))
}

// Open acts as a browser: it opens a page of the server, whose user agrees, and goes back to the
// client on this machine. It is for call.OAuthConfig.Open.
func (o *OAuth) Open(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, req)
	back, err := w.Result().Location()
	if err != nil {
		return errors.New(strings.TrimSpace(w.Body.String()))
	}
	if back.Hostname() != "127.0.0.1" {
		return fmt.Errorf("the client is at %s, which is not this machine", back.Host)
	}
	go func() { // the client listens when Open has returned, or before
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, back.String(), nil); err != nil {
			return
		}
		if resp, err := new(http.Client).Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	return nil
}

// Protect puts a site behind tokens for a resource, for example "https://api.example.com". needs
// returns the scopes that a request needs, or nil for a request that needs no token. A refusal
// names the scopes and the metadata of the resource (RFC 9728), which Protect serves too.
func (o *OAuth) Protect(resource string, needs func(*http.Request) []string, site http.Handler) http.Handler {
	const metadata = "/.well-known/oauth-protected-resource"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scopes := needs(r)
		if r.URL.Path == metadata {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": resource, "authorization_servers": []string{o.Issuer}, "dpop_bound_access_tokens_required": o.DPoP})
			return
		}
		if scopes != nil {
			status, challenge := o.admit(w, r, resource, scopes)
			if status != http.StatusOK {
				w.Header().Set("WWW-Authenticate", challenge+fmt.Sprintf(`scope=%q, resource_metadata="https://%s%s"`, strings.Join(scopes, " "), r.Host, metadata))
				w.WriteHeader(status)
				return
			}
		}
		site.ServeHTTP(w, r)
	})
}

// admit checks the token of a request to a resource.
func (o *OAuth) admit(w http.ResponseWriter, r *http.Request, resource string, scopes []string) (status int, challenge string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	l, known := o.tokens[value]
	want := "Bearer"
	if o.DPoP {
		want = "DPoP"
	}
	switch {
	case value == "":
		return http.StatusUnauthorized, want + " "
	case !known, l.ended, l.resource != resource, scheme != want, !l.until.IsZero() && time.Now().After(l.until):
		return http.StatusUnauthorized, want + ` error="invalid_token", `
	}
	if o.DPoP {
		if key, code := o.proven(w, r, "https://"+r.Host+r.URL.Path, value); code != "" || key != l.key {
			return http.StatusUnauthorized, fmt.Sprintf("DPoP error=%q, ", code)
		}
	}
	held := strings.Fields(l.scope)
	if slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(held, s) }) {
		return http.StatusForbidden, want + ` error="insufficient_scope", `
	}
	return http.StatusOK, ""
}
