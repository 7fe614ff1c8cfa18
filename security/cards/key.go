package cards

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"math/big"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// readKey reads a public key (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2). Only the members of the
// key material are passed to the library.
func readKey(n jsonscan.Node) (*storedKey, error) {
	if n.Kind() != jsonscan.Object {
		return nil, sigError(wayfind.CodeSigKey, "it is no key")
	}
	if isSecret(n) {
		return nil, sigError(wayfind.CodeSigKey, "it is a private or symmetric key, and must not be here")
	}
	if err := checkUse(n); err != nil {
		return nil, err
	}
	public, err := readPublic(n)
	if err != nil {
		return nil, err
	}
	key := &storedKey{public: public}
	key.id, _ = n.Get("kid").Str()
	key.algorithm, _ = n.Get("alg").Str()
	return key, nil
}

// isSecret reports whether a key has a member of a private or symmetric key.
func isSecret(n jsonscan.Node) bool {
	for _, member := range [...]string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"} {
		if n.Get(member).Kind() != jsonscan.Missing {
			return true
		}
	}
	return false
}

// checkUse refuses keys for other purposes (RFC 7517 §4.2, §4.3), which the library accepts.
func checkUse(n jsonscan.Node) error {
	for _, member := range [...]string{"kid", "alg", "use"} {
		if v := n.Get(member); v.Kind() != jsonscan.Missing && v.Kind() != jsonscan.String {
			return sigError(wayfind.CodeSigKey, "its %s is no text", member)
		}
	}
	if use, ok := n.Get("use").Str(); ok && use != "sig" {
		return sigError(wayfind.CodeSigKey, "its use is %+.40q, not \"sig\"", use)
	}
	ops := n.Get("key_ops")
	if ops.Kind() == jsonscan.Missing {
		return nil
	}
	for i := range ops.Len() {
		if op, _ := ops.Child(i).Str(); op == "verify" {
			return nil
		}
	}
	return sigError(wayfind.CodeSigKey, "its key_ops do not allow \"verify\"")
}

// readPublic returns the key itself.
func readPublic(n jsonscan.Node) (any, error) {
	raw := []byte{'{'}
	for _, member := range [...]string{"kty", "crv", "x", "y", "n", "e"} {
		if text, ok := n.Get(member).Str(); ok {
			if len(raw) > 1 {
				raw = append(raw, ',')
			}
			raw = append(jsonscan.AppendQuote(raw, member), ':')
			raw = jsonscan.AppendQuote(raw, text)
		}
	}
	var key jose.JSONWebKey
	if err := key.UnmarshalJSON(append(raw, '}')); err != nil {
		return nil, sigError(wayfind.CodeSigKey, "unsupported key type: %v", err)
	}
	switch public := key.Key.(type) {
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return public, nil
	case *rsa.PublicKey:
		if bits := public.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return nil, sigError(wayfind.CodeSigKey, "it has %d bits; %d to %d are accepted", bits, minRSABits, maxRSABits)
		}
		if guessable(public.N) {
			return nil, sigError(wayfind.CodeSigKey, "its primes can be guessed (CVE-2017-15361)")
		}
		return public, nil
	}
	return nil, sigError(wayfind.CodeSigKey, "it is no key to check a signature with")
}

// guessable reports whether a modulus has the mark of a library that generated guessable primes
// (CVE-2017-15361, "ROCA"): modulo each small prime it is a power of 65537. By chance this is
// true for about one in 2^150 sound keys.
func guessable(n *big.Int) bool {
	for p := int64(3); p <= 167; p += 2 {
		if !big.NewInt(p).ProbablyPrime(0) {
			continue
		}
		rest := new(big.Int).Mod(n, big.NewInt(p)).Int64()
		power, found := int64(1), false
		for range p {
			found = found || power == rest
			power = power * 65537 % p
		}
		if !found {
			return false
		}
	}
	return true
}

// fits returns an error if a key must not be used with an algorithm.
func (k *storedKey) fits(algorithm string) error {
	if k.algorithm != "" && k.algorithm != algorithm {
		return sigError(wayfind.CodeSigKey, "the key is for the algorithm %+.40q, not %+.40q", k.algorithm, algorithm)
	}
	right := false
	switch public := k.public.(type) {
	case *ecdsa.PublicKey:
		right = algorithm == map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[public.Curve.Params().BitSize]
	case ed25519.PublicKey:
		right = algorithm == "EdDSA"
	case *rsa.PublicKey:
		right = strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	}
	if !right {
		return sigError(wayfind.CodeSigKey, "the key is of another type than the algorithm %+.40q needs", algorithm)
	}
	return nil
}
