package tokens

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// maxInterval is the longest pause between two questions of a device login, in seconds. No code is valid
// for longer, and a larger number is no time.Duration.
const maxInterval = 3600

// newToken requests a token with the grant of the configuration.
func (f *fetcher) newToken(ctx context.Context, o *oauth2.Config, proofs *prover) (*oauth2.Token, error) {
	resource := oauth2.SetAuthURLParam("resource", f.audience)
	switch f.Grant {
	case ClientCredentials:
		if o.ClientSecret == "" {
			return nil, errors.New("client credentials need a secret")
		}
		c := &clientcredentials.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, TokenURL: o.Endpoint.TokenURL, Scopes: o.Scopes, AuthStyle: o.Endpoint.AuthStyle,
			EndpointParams: url.Values{"resource": {f.audience}}}
		return c.Token(ctx)
	case AuthorizationCode:
		return f.code(ctx, o, proofs, resource)
	case DeviceCode:
		return f.device(ctx, o, resource)
	}
	return nil, errors.New("there is no such grant")
}

// device shows a code to the user and waits for the login (RFC 8628).
func (f *fetcher) device(ctx context.Context, o *oauth2.Config, resource oauth2.AuthCodeOption) (*oauth2.Token, error) {
	if o.Endpoint.DeviceAuthURL == "" || f.Device == nil {
		return nil, errors.New("the authorization server gives no codes for devices, or the caller does not show them")
	}
	d, err := o.DeviceAuth(ctx, resource)
	if err != nil {
		return nil, err
	}
	page, err := f.parseURL(d.VerificationURI)
	if err != nil {
		return nil, err
	}
	code := secret.Veil(nil).Show(d.UserCode, secret.Line, 64)
	if err := f.Device(ctx, code, page.String()); err != nil {
		return nil, err
	}
	d.Interval = min(max(d.Interval, 1), maxInterval)
	return o.DeviceAccessToken(ctx, d, resource)
}

// code lets the user agree in a browser, which then connects to a port of this machine (RFC
// 8252 §7.3), with a proof key (RFC 7636).
func (f *fetcher) code(ctx context.Context, o *oauth2.Config, proofs *prover, resource oauth2.AuthCodeOption) (*oauth2.Token, error) {
	s := f.server
	page, err := f.parseURL(s.authorize)
	switch {
	case err != nil:
		return nil, err
	case !s.pkce:
		return nil, errors.New("the authorization server does not say that it checks proof keys by S256")
	case f.Open == nil:
		return nil, errors.New("the caller does not show the user the page of the authorization server")
	case !s.near(f.client, page):
		return nil, errors.New("the page of the authorization server is not on its site")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	back := &callback{host: listener.Addr().String(), state: rand.Text(), server: s, done: make(chan returned, 1)}
	web := &http.Server{Handler: back, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() { _ = web.Serve(listener) }()
	defer web.Close()
	own := *o
	own.RedirectURL = "http://" + back.host + "/callback"
	verifier := oauth2.GenerateVerifier()
	asked := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), resource}
	if proofs != nil { // the code is bound to the key too (RFC 9449 §10)
		asked = append(asked, oauth2.SetAuthURLParam("dpop_jkt", proofs.thumbprint()))
	}
	if err := f.Open(ctx, own.AuthCodeURL(back.state, asked...)); err != nil {
		return nil, err
	}
	select {
	case got := <-back.done:
		if got.err != nil {
			return nil, got.err
		}
		return own.Exchange(ctx, got.code, oauth2.VerifierOption(verifier), resource)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// returned is the result that the browser returns.
type returned struct {
	code string
	err  error
}

// callback waits for the browser. It accepts one answer, and only with the right state.
type callback struct {
	host, state string
	server      *server
	done        chan returned
}

// ServeHTTP implements http.Handler.
func (b *callback) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	q := req.URL.Query()
	if req.Method != http.MethodGet || req.Host != b.host || req.URL.Path != "/callback" || len(q["state"]) != 1 ||
		subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.state)) != 1 {
		http.Error(w, "This page waits for something else.", http.StatusBadRequest)
		return
	}
	got := b.read(q)
	select {
	case b.done <- got:
	default: // there is an answer already
	}
	if got.err != nil {
		http.Error(w, "That did not work. You may close this window.", http.StatusBadRequest)
		return
	}
	_, _ = w.Write([]byte("Done. You may close this window.\n"))
}

// read checks the issuer of the answer (RFC 9207) before it reads the answer.
func (b *callback) read(q url.Values) returned {
	switch iss, there := q["iss"]; {
	case there && (len(iss) != 1 || iss[0] != b.server.issuer):
		return returned{err: errors.New("another issuer has answered")}
	case !there && b.server.sendsIssuer:
		return returned{err: errors.New("the answer does not name its issuer")}
	case q.Get("error") != "":
		return returned{err: errors.New("the authorization server refuses (" + text.PlainWord(q.Get("error")) + ")")}
	case len(q["code"]) != 1 || q.Get("code") == "":
		return returned{err: errors.New("the answer has no code")}
	}
	return returned{code: q.Get("code")}
}
