package clienttest_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A client gets a token for itself, and an API takes it.
func ExampleOAuth() {
	internet, stop := clienttest.Start()
	defer stop()
	login := &clienttest.OAuth{Issuer: "https://login.shop.example"}
	internet.Host("login.shop.example", login)
	internet.Host("shop.example", login.Protect("https://shop.example", func(*http.Request) []string { return []string{"read"} }, clienttest.Pages{"/orders": "none"}))

	c := &http.Client{Transport: internet.Transport()}
	resp, err := c.PostForm("https://login.shop.example/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"app"}, "scope": {"read"}, "resource": {"https://shop.example"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var got struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(resp.Body).Decode(&got)
	_ = resp.Body.Close()
	fmt.Println(got.Token, err)
	for _, token := range []string{"", got.Token} {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://shop.example/orders", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := c.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status, resp.Header.Get("WWW-Authenticate"))
	}
	// Output:
	// s3cret-token-1 <nil>
	// 401 Unauthorized Bearer scope="read", resource_metadata="https://shop.example/.well-known/oauth-protected-resource"
	// 200 OK
}

const tokenServer = "https://login.shop.example"

// ask sends a form to a server, and returns the status and the members of the answer.
func ask(t *testing.T, o *clienttest.OAuth, path string, form url.Values, header ...string) (int, map[string]any, http.Header) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, tokenServer+path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, req)
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return w.Code, answer, w.Header()
}

func wantError(t *testing.T, name string, status int, answer map[string]any, want string) {
	t.Helper()
	if answer["error"] != want || status/100 != 4 || answer["access_token"] != nil {
		t.Errorf("%s: %d %v, want the error %q", name, status, answer, want)
	}
}

func TestAServerEndsALoginWhoseRefreshTokenIsUsedTwice(t *testing.T) {
	o := &clienttest.OAuth{Issuer: tokenServer}
	_, device, _ := ask(t, o, "/device", url.Values{"client_id": {"app"}})
	poll := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {"app"}, "device_code": {device["device_code"].(string)}}
	_, first, _ := ask(t, o, "/token", poll)
	use := func(token any) (int, map[string]any) {
		status, answer, _ := ask(t, o, "/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {"app"}, "refresh_token": {fmt.Sprint(token)}})
		return status, answer
	}
	status, second := use(first["refresh_token"])
	if status != http.StatusOK || second["refresh_token"] == first["refresh_token"] {
		t.Fatalf("%d %v", status, second)
	}
	status, answer := use(first["refresh_token"])
	wantError(t, "a used token", status, answer, "invalid_grant")
	status, answer = use(second["refresh_token"])
	wantError(t, "the token in its place", status, answer, "invalid_grant")
	if o.Reused() != 1 || o.Count("refresh_token") != 3 {
		t.Errorf("%d reused of %d", o.Reused(), o.Count("refresh_token"))
	}
}

func TestAServerRefusesWhatItDoesNotKnow(t *testing.T) {
	o := &clienttest.OAuth{Issuer: tokenServer, Clients: map[string]string{"robot": "s3cret"}, Pending: 1}
	_, device, _ := ask(t, o, "/device", url.Values{"client_id": {"robot"}})
	machine := func(id, secret string) url.Values {
		return url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	}
	for _, tt := range []struct {
		name string
		form url.Values
		want string
	}{
		{"a client of no name", machine("", ""), "invalid_client"},
		{"a stranger", machine("thief", "s3cret"), "invalid_client"},
		{"a wrong secret", machine("robot", "x"), "invalid_client"},
		{"a grant of no name", url.Values{"grant_type": {"password"}, "client_id": {"robot"}, "client_secret": {"s3cret"}}, "unsupported_grant_type"},
		{"a code of no name", url.Values{"grant_type": {"authorization_code"}, "code": {"x"}, "client_id": {"robot"}, "client_secret": {"s3cret"}}, "invalid_grant"},
		{"a user who has not agreed yet", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {device["device_code"].(string)}, "client_id": {"robot"}, "client_secret": {"s3cret"}}, "authorization_pending"},
	} {
		status, answer, _ := ask(t, o, "/token", tt.form)
		wantError(t, tt.name, status, answer, tt.want)
	}
	o.Fail("/token", 1, http.StatusServiceUnavailable, "")
	if status, answer, _ := ask(t, o, "/token", machine("robot", "s3cret")); status != http.StatusServiceUnavailable || len(answer) != 0 {
		t.Errorf("%d %v", status, answer)
	}
	if status, answer, _ := ask(t, o, "/token", machine("robot", "s3cret")); status != http.StatusOK || answer["access_token"] != "s3cret-token-1" {
		t.Errorf("%d %v", status, answer)
	}
	o.Unregister("robot")
	status, answer, _ := ask(t, o, "/token", machine("robot", "s3cret"))
	wantError(t, "a client that is forgotten", status, answer, "invalid_client")
}

func TestACodeIsForTheClientThatHasItsKey(t *testing.T) {
	sum := sha256.Sum256([]byte("verifier"))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	for _, tt := range []struct{ name, client, verifier, want string }{
		{"the client", "app", "verifier", ""},
		{"another client", "other", "verifier", "invalid_grant"},
		{"no key", "app", "", "invalid_grant"},
		{"another key", "app", "guess", "invalid_grant"},
	} {
		o := &clienttest.OAuth{Issuer: tokenServer}
		codes := make(chan string, 1)
		back := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { codes <- r.URL.Query().Get("code") }))
		page := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {back.URL}, "state": {"s"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
		if err := o.Open(t.Context(), tokenServer+"/authorize?"+page.Encode()); err != nil {
			t.Fatal(err)
		}
		form := url.Values{"grant_type": {"authorization_code"}, "code": {<-codes}, "client_id": {tt.client}, "code_verifier": {tt.verifier}, "redirect_uri": {back.URL}}
		back.Close()
		status, answer, _ := ask(t, o, "/token", form)
		if tt.want != "" {
			wantError(t, tt.name, status, answer, tt.want)
			continue
		}
		if status != http.StatusOK {
			t.Errorf("%d %v", status, answer)
		}
		status, answer, _ = ask(t, o, "/token", form)
		wantError(t, "a code that was used", status, answer, "invalid_grant")
	}
	if err := new(clienttest.OAuth).Open(t.Context(), tokenServer+"/authorize?response_type=code&client_id=app"); err == nil {
		t.Error("a page without a proof key was opened")
	}
	away := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://thief.example"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	if err := new(clienttest.OAuth).Open(t.Context(), tokenServer+"/authorize?"+away.Encode()); err == nil {
		t.Error("a browser left the machine")
	}
}

// proofOf makes a proof (RFC 9449 §4.2) with changed claims.
func proofOf(t *testing.T, key *ecdsa.PrivateKey, change func(head, claims map[string]any)) string {
	t.Helper()
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	code := base64.RawURLEncoding.EncodeToString
	head := map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": map[string]string{"kty": "EC", "crv": "P-256", "x": code(point[1:33]), "y": code(point[33:])}}
	claims := map[string]any{"jti": rand.Text(), "htm": "POST", "htu": tokenServer + "/token", "iat": time.Now().Unix()}
	change(head, claims)
	var parts []string
	for _, part := range []any{head, claims} {
		raw, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, code(raw))
	}
	text := strings.Join(parts, ".")
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + code(signature)
}

func TestAServerChecksProofs(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := &clienttest.OAuth{Issuer: tokenServer, DPoP: true}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"app"}}
	claim := func(name string, value any) func(head, claims map[string]any) {
		return func(_, claims map[string]any) { claims[name] = value }
	}
	for name, change := range map[string]func(head, claims map[string]any){
		"another method": claim("htm", "GET"), "another URL": claim("htu", tokenServer), "no identifier": claim("jti", ""),
		"an old one": claim("iat", time.Now().Add(-time.Hour).Unix()), "another type": func(head, _ map[string]any) { head["typ"] = "JWT" },
		"no algorithm": func(head, _ map[string]any) { head["alg"] = "none" },
	} {
		status, answer, _ := ask(t, o, "/token", form, "DPoP", proofOf(t, key, change))
		wantError(t, name, status, answer, "invalid_dpop_proof")
	}
	good := proofOf(t, key, func(_, _ map[string]any) {})
	status, answer, _ := ask(t, o, "/token", form, "DPoP", good[:len(good)-4]+"AAAA")
	wantError(t, "another signature", status, answer, "invalid_dpop_proof")
	if status, answer, _ := ask(t, o, "/token", form, "DPoP", good); status != http.StatusOK || answer["token_type"] != "DPoP" {
		t.Errorf("%d %v", status, answer)
	}
	status, answer, _ = ask(t, o, "/token", form, "DPoP", good)
	wantError(t, "a proof that was used", status, answer, "invalid_dpop_proof")
	status, answer, _ = ask(t, o, "/token", form)
	wantError(t, "no proof", status, answer, "invalid_dpop_proof")

	o.Nonces = true
	status, answer, header := ask(t, o, "/token", form, "DPoP", proofOf(t, key, func(_, _ map[string]any) {}))
	wantError(t, "no nonce", status, answer, "use_dpop_nonce")
	nonce := claim("nonce", header.Get("DPoP-Nonce"))
	if status, answer, _ := ask(t, o, "/token", form, "DPoP", proofOf(t, key, nonce)); status != http.StatusOK {
		t.Errorf("%d %v", status, answer)
	}
	o.NewNonce()
	status, answer, _ = ask(t, o, "/token", form, "DPoP", proofOf(t, key, nonce))
	wantError(t, "an old nonce", status, answer, "use_dpop_nonce")
}

func TestAResourceTakesItsOwnTokensAlone(t *testing.T) {
	o := &clienttest.OAuth{Issuer: tokenServer, Lifetime: time.Minute}
	form := func(resource, scope string) url.Values {
		return url.Values{"grant_type": {"client_credentials"}, "client_id": {"app"}, "scope": {scope}, "resource": {resource}}
	}
	for _, scope := range []string{"read write", "read"} {
		ask(t, o, "/token", form("https://shop.example", scope))
	}
	ask(t, o, "/token", form("https://bank.example", "read write"))
	site := o.Protect("https://shop.example", func(r *http.Request) []string {
		if needs := r.URL.Query().Get("needs"); needs != "" {
			return strings.Fields(needs)
		}
		return nil
	}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "made")
	}))
	get := func(needs, auth string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://shop.example/?needs="+url.QueryEscape(needs), nil)
		r.Header.Set("Authorization", auth)
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w.Code, w.Header().Get("WWW-Authenticate")
	}
	for _, tt := range []struct {
		needs, auth string
		status      int
		challenge   string
	}{
		{"", "", 200, ""}, {"write", "Bearer s3cret-token-1", 200, ""},
		{"write", "", 401, `Bearer scope="write"`}, {"write", "Bearer s3cret-token-2", 403, `Bearer error="insufficient_scope", scope="write"`},
		{"read", "Bearer s3cret-token-3", 401, `error="invalid_token"`}, {"read", "Bearer guess", 401, `error="invalid_token"`}, {"read", "DPoP s3cret-token-1", 401, `error="invalid_token"`},
	} {
		if status, challenge := get(tt.needs, tt.auth); status != tt.status || !strings.Contains(challenge, tt.challenge) {
			t.Errorf("%+v: %d %s", tt, status, challenge)
		}
	}
	o.Revoke()
	if status, _ := get("read", "Bearer s3cret-token-1"); status != http.StatusUnauthorized {
		t.Errorf("%d after all tokens were revoked", status)
	}
}
