package tokens

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// nonceWanted is the code of an answer that demands its nonce in a proof (RFC 9449 §8, §9).
const nonceWanted = "use_dpop_nonce"

// maxNonce is the maximum length of a nonce, and maxNonces is the maximum number of nonces
// that are kept. There is one per origin.
const (
	maxNonce  = 512
	maxNonces = 8
)

// prover proves the possession of a key for each request (RFC 9449). Each account has its own
// key, so that a server cannot recognize two principals as the same client by the key.
type prover struct {
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	nonces map[string]string // keyed by origin
}

func newProver() (*prover, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &prover{key: key}, nil
}

// MarshalText writes the key, for a store.
func (p *prover) MarshalText() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(p.key)
	return []byte(base64.StdEncoding.EncodeToString(der)), err
}

// UnmarshalText reads a key.
func (p *prover) UnmarshalText(text []byte) error {
	der, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return errors.New("it is no key for ES256")
	}
	p.key = key
	return nil
}

// jwk is the public key, with the members and the order of RFC 7638 §3.
type jwk struct {
	Crv string `json:"crv"`
	Kty string `json:"kty"`
	X   string `json:"x"`
	Y   string `json:"y"`
}

func (p *prover) public() jwk {
	point, _ := p.key.PublicKey.Bytes() // no error for a key of this curve
	return jwk{"P-256", "EC", coded(point[1:33]), coded(point[33:])}
}

// thumbprint returns the thumbprint of the key (RFC 7638).
func (p *prover) thumbprint() string {
	text, _ := json.Marshal(p.public())
	sum := sha256.Sum256(text)
	return coded(sum[:])
}

func coded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Proof is the proof for one request, and the nonce in it.
type Proof struct{ Value, nonce string }

// proof returns the proof for one request (RFC 9449 §4.2). token is "" for a request to the
// token endpoint.
func (p *prover) proof(method string, u *url.URL, token string) (made Proof, err error) {
	head, err := json.Marshal(map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": p.public()})
	if err != nil {
		return made, err
	}
	plain := *u
	plain.RawQuery, plain.Fragment, plain.RawFragment = "", "", ""
	claims := map[string]any{"jti": rand.Text(), "htm": method, "htu": plain.String(), "iat": time.Now().Unix()}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = coded(sum[:])
	}
	if made.nonce = p.nonce(originOf(u)); made.nonce != "" {
		claims["nonce"] = made.nonce
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return made, err
	}
	signed := coded(head) + "." + coded(body)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, sum[:])
	if err != nil {
		return made, err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	made.Value = signed + "." + coded(signature)
	return made, nil
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

func (p *prover) nonce(origin string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nonces[origin]
}

// saw keeps the nonce of an answer, and returns it; "" if there is no valid nonce.
func (p *prover) saw(origin string, h http.Header) (nonce string) {
	nonce = h.Get("DPoP-Nonce")
	if nonce == "" || len(nonce) > maxNonce || strings.ContainsFunc(nonce, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nonces == nil || len(p.nonces) >= maxNonces {
		p.nonces = make(map[string]string)
	}
	p.nonces[origin] = nonce
	return nonce
}

// BoundTo returns the thumbprint of the key that a token is bound to, according to the token
// itself (RFC 9449 §6.1); "" if it contains no thumbprint, or cannot be read.
func BoundTo(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var said struct {
		Cnf struct {
			Jkt string `json:"jkt"`
		} `json:"cnf"`
	}
	_ = json.Unmarshal(claims, &said) // unreadable claims contain no thumbprint
	return said.Cnf.Jkt
}
