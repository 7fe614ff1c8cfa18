package clienttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// deviceGrant is the grant type of a device (RFC 8628 §3.4).
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// device begins the login of a device.
func (o *OAuth) device(r *http.Request) (status int, answer map[string]any) {
	if r.ParseForm() != nil || !o.knows(r.PostForm.Get("client_id")) {
		return http.StatusUnauthorized, refused("invalid_client")
	}
	code := o.number("s3cret-device")
	o.logins[code] = &login{client: r.PostForm.Get("client_id"), scope: r.PostForm.Get("scope"), resource: r.PostForm.Get("resource")}
	return http.StatusOK, map[string]any{"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": o.Issuer + "/activate", "expires_in": 600, "interval": 1}
}

// token answers a request to the token endpoint.
func (o *OAuth) token(w http.ResponseWriter, r *http.Request) (status int, answer map[string]any) {
	if r.ParseForm() != nil || r.Method != http.MethodPost {
		return http.StatusBadRequest, refused("invalid_request")
	}
	o.requests = append(o.requests, OAuthRequest{r.PostForm, r.Header.Clone()})
	client, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, there := r.BasicAuth(); there { // in the form of RFC 6749 §2.3.1
		client, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(password)
	}
	if !o.knows(client) || o.Clients != nil && o.Clients[client] != secret {
		return http.StatusUnauthorized, refused("invalid_client")
	}
	key := ""
	if o.DPoP {
		code := ""
		if key, code = o.proven(w, r, o.Issuer+"/token", ""); code != "" {
			return http.StatusBadRequest, refused(code)
		}
	}
	return o.grant(r.PostForm, client, key)
}

// grant issues tokens to a client that is known.
func (o *OAuth) grant(form url.Values, client, key string) (status int, answer map[string]any) {
	switch form.Get("grant_type") {
	case "client_credentials":
		return http.StatusOK, o.issue(&login{client: client, scope: form.Get("scope"), resource: form.Get("resource"), key: key}, false)
	case "authorization_code":
		code := form.Get("code")
		l := o.logins[code]
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if l == nil || o.used[code] || l.client != client || l.redirect != form.Get("redirect_uri") || l.challenge != coded(sum[:]) || l.key != key {
			return http.StatusBadRequest, refused("invalid_grant")
		}
		o.used[code] = true
		return http.StatusOK, o.issue(l, true)
	case deviceGrant:
		l := o.logins[form.Get("device_code")]
		if l == nil || l.client != client {
			return http.StatusBadRequest, refused("invalid_grant")
		}
		if l.asked++; l.asked <= o.Pending {
			return http.StatusBadRequest, refused("authorization_pending")
		}
		l.key = key
		return http.StatusOK, o.issue(l, true)
	case "refresh_token":
		return o.refresh(form.Get("refresh_token"), client, key)
	}
	return http.StatusBadRequest, refused("unsupported_grant_type")
}

// refresh replaces a refresh token. A second use of a token ends its login, because one of the two
// users has stolen it.
func (o *OAuth) refresh(token, client, key string) (status int, answer map[string]any) {
	l := o.logins[token]
	if l == nil || l.client != client || l.key != key {
		return http.StatusBadRequest, refused("invalid_grant")
	}
	if o.used[token] {
		o.reused++
		l.ended = true
	}
	if l.ended {
		return http.StatusBadRequest, refused("invalid_grant")
	}
	o.used[token] = true
	return http.StatusOK, o.issue(l, true)
}

// issue returns an answer with the tokens of a login.
func (o *OAuth) issue(l *login, refresh bool) map[string]any {
	token := o.number("s3cret-token")
	own := accessToken{login: l}
	answer := map[string]any{"access_token": token, "token_type": "Bearer", "scope": l.scope}
	lasts := o.Lifetime
	if lasts == 0 {
		lasts = time.Hour
	}
	if lasts > 0 {
		answer["expires_in"], own.until = int(lasts/time.Second), time.Now().Add(lasts)
	}
	if l.key != "" {
		answer["token_type"] = "DPoP"
	}
	if refresh {
		next := strings.Replace(token, "token", "refresh", 1)
		o.logins[next], answer["refresh_token"] = l, next
	}
	o.tokens[token] = own
	return answer
}

// proven checks the proof of a request (RFC 9449 §4.3). It returns the thumbprint of its key,
// or the code of an error.
func (o *OAuth) proven(w http.ResponseWriter, r *http.Request, target, token string) (key, code string) {
	const wrong = "invalid_dpop_proof"
	proofs := r.Header.Values("DPoP")
	if len(proofs) != 1 {
		return "", wrong
	}
	parts := strings.Split(proofs[0], ".")
	var head struct {
		Typ, Alg string
		JWK      struct{ Crv, Kty, X, Y string }
	}
	var claims struct {
		JTI, HTM, HTU, ATH, Nonce string
		IAT                       int64
	}
	if len(parts) != 3 || !decoded(parts[0], &head) || !decoded(parts[1], &claims) || head.Typ != "dpop+jwt" || head.Alg != "ES256" {
		return "", wrong
	}
	if !signed(parts, head.JWK.X, head.JWK.Y) || claims.HTM != r.Method || claims.HTU != target || claims.JTI == "" || o.used[claims.JTI] {
		return "", wrong
	}
	o.used[claims.JTI] = true
	if sum := sha256.Sum256([]byte(token)); token != "" && claims.ATH != coded(sum[:]) {
		return "", wrong
	}
	if age := time.Since(time.Unix(claims.IAT, 0)); age > time.Minute || age < -time.Minute {
		return "", wrong
	}
	if nonce := fmt.Sprintf("nonce-%d-of-%s", o.nonce+1, r.Host); o.Nonces && claims.Nonce != nonce {
		w.Header().Set("DPoP-Nonce", nonce)
		return "", "use_dpop_nonce"
	}
	text := fmt.Sprintf(`{"crv":%q,"kty":%q,"x":%q,"y":%q}`, head.JWK.Crv, head.JWK.Kty, head.JWK.X, head.JWK.Y)
	sum := sha256.Sum256([]byte(text))
	return coded(sum[:]), ""
}

// signed verifies the signature of a proof.
func signed(parts []string, x, y string) bool {
	left, err := base64.RawURLEncoding.DecodeString(x)
	right, err2 := base64.RawURLEncoding.DecodeString(y)
	signature, err3 := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || err2 != nil || err3 != nil || len(signature) != 64 {
		return false
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, left...), right...))
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
}

// decoded reads one part of a proof.
func decoded(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

func coded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
