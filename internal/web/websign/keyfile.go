package websign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
)

// KeyFile is the content of a key file: a private key and the URL of its agent. It is secret:
// fmt, log/slog and encoding/json do not show the key.
type KeyFile struct {
	agent string
	key   func() ed25519.PrivateKey
}

// JWK is a public key (RFC 8037).
type JWK struct {
	KeyType string `json:"kty"`
	Curve   string `json:"crv"`
	ID      string `json:"kid,omitempty"`
	X       string `json:"x"`
}

// secretJWK is the content of a file: a JWK with an additional member.
type secretJWK struct {
	JWK
	D     string `json:"d"`
	Agent string `json:"agent"`
}

// NewKeyFile returns a new key for the agent with this URL: see [New].
func NewKeyFile(agent string) (*KeyFile, error) {
	u, err := agentURL(agent)
	if err != nil {
		return nil, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return &KeyFile{agent: u.String(), key: func() ed25519.PrivateKey { return key }}, nil
}

// ParseKeyFile reads the result of Bytes. Its errors contain no part of the content.
func ParseKeyFile(data []byte) (*KeyFile, error) {
	var k secretJWK
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, errors.New("it is not a JSON Web Key")
	}
	if k.KeyType != "OKP" || k.Curve != "Ed25519" {
		return nil, errors.New(`it is no key of Ed25519: "kty" is "OKP" and "crv" is "Ed25519"`)
	}
	seed, err := base64.RawURLEncoding.DecodeString(k.D)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, errors.New(`"d" is no private key of Ed25519`)
	}
	if k.Agent == "" {
		return nil, errors.New(`"agent" is missing: the URL of the origin or of the card that leads to the public key`)
	}
	u, err := agentURL(k.Agent)
	if err != nil {
		return nil, errors.New(`"agent" is no public https URL of an origin or a card`)
	}
	key := ed25519.NewKeyFromSeed(seed)
	if public := key.Public().(ed25519.PublicKey); k.X != encode(public) {
		return nil, errors.New(`"x" is not the public key of "d"`)
	}
	return &KeyFile{agent: u.String(), key: func() ed25519.PrivateKey { return key }}, nil
}

// Agent returns the URL of the agent.
func (f *KeyFile) Agent() string { return f.agent }

// Key returns the private key.
func (f *KeyFile) Key() ed25519.PrivateKey { return f.key() }

// Public returns the public key. Its name is its thumbprint.
func (f *KeyFile) Public() JWK {
	public := f.key().Public().(ed25519.PublicKey)
	k := jwk(public)
	k.ID = thumbprint(public)
	return k
}

// Bytes returns the content of the file, with the private key.
func (f *KeyFile) Bytes() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	err := e.Encode(secretJWK{JWK: f.Public(), D: encode(f.key().Seed()), Agent: f.agent})
	return b.Bytes(), err
}

func jwk(public ed25519.PublicKey) JWK {
	return JWK{KeyType: "OKP", Curve: "Ed25519", X: encode(public)}
}

// thumbprint returns the thumbprint of a public key (RFC 7638, RFC 8037 §2).
func thumbprint(public ed25519.PublicKey) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + encode(public) + `"}`))
	return encode(sum[:])
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
