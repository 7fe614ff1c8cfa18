// Command oidclogin uses package cache with go-oidc, which otherwise fetches the configuration
// of an OpenID provider for each new Provider: three logins, one fetch.
//
//	go run .
//
// The keys are different. go-oidc fetches them with no-cache, because it does so if it does not
// know a key. The cache then asks the provider each time with its ETag. The provider returns
// 304, and no keys are transferred. The program is a separate module, as yours would be, and
// only asks a server that it starts on loopback.
package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

const (
	// timeout is the maximum time of one request.
	timeout = 30 * time.Second
	// audience is the client's name at the provider.
	audience = "shop"
	// configuration is the place of the provider's configuration (OpenID Connect Discovery 1.0
	// §4).
	configuration = "/.well-known/openid-configuration"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	provider, err := newProvider()
	if err != nil {
		return err
	}
	defer provider.Close()

	// Your program needs these lines. The cache uses the transport that you use today.
	store, err := memory.New(0)
	if err != nil {
		return err
	}
	defer store.Close()
	client := cache.NewClient(store, &http.Transport{})
	client.Timeout = timeout
	defer client.CloseIdleConnections()
	ctx = oidc.ClientContext(ctx, client)

	for _, user := range []string{"alice", "bob", "carol"} {
		token, err := provider.token(user)
		if err != nil {
			return err
		}
		if err := login(ctx, provider.URL, token); err != nil {
			return err
		}
	}
	fmt.Printf("the configuration was sent %d time(s), the keys %d time(s) and %d time(s) 304\n",
		provider.configurations.Load(), provider.keySets.Load(), provider.unchanged.Load())
	return nil
}

// login checks an ID token with the current configuration of its issuer.
func login(ctx context.Context, issuer, token string) error {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return err
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: audience}).Verify(ctx, token)
	if err != nil {
		return err
	}
	fmt.Println("hello", verified.Subject)
	return nil
}

// provider is an OpenID provider with one key. It counts its requests.
type provider struct {
	*httptest.Server
	signer                             jose.Signer
	keys                               []byte
	configurations, keySets, unchanged atomic.Int64
}

func newProvider() (*provider, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	p := &provider{}
	p.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		return nil, err
	}
	public := jose.JSONWebKey{Key: key.Public(), KeyID: "1", Algorithm: string(jose.ES256), Use: "sig"}
	if p.keys, err = json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}}); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc(configuration, p.serveConfiguration)
	mux.HandleFunc("/keys", p.serveKeys)
	p.Server = httptest.NewServer(mux)
	return p, nil
}

// token returns an ID token that identifies a user for a minute.
func (p *provider) token(user string) (string, error) {
	now := time.Now()
	claims, err := json.Marshal(map[string]any{
		"iss": p.URL, "aud": audience, "sub": user, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	})
	if err != nil {
		return "", err
	}
	signed, err := p.signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

func (p *provider) serveConfiguration(w http.ResponseWriter, _ *http.Request) {
	p.configurations.Add(1)
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"issuer": p.URL, "jwks_uri": p.URL + "/keys",
		"authorization_endpoint": p.URL + "/login", "token_endpoint": p.URL + "/token",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{string(jose.ES256)},
	})
}

// serveKeys serves the keys. http.ServeContent compares If-None-Match with the ETag.
func (p *provider) serveKeys(w http.ResponseWriter, r *http.Request) {
	sent := &p.keySets
	if r.Header.Get("If-None-Match") != "" {
		sent = &p.unchanged
	}
	sent.Add(1)
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Etag", `"1"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.keys))
}
