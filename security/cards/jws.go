package cards

import (
	"crypto"
	"crypto/rsa"
	_ "crypto/sha256" // the hash functions of the algorithms
	_ "crypto/sha512"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/go-jose/go-jose/v4"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// JWS is one signature of a document in the parts of RFC 7515 §7.2.2, unchanged. The
// unprotected header is not included, because any intermediary can change it.
type JWS struct {
	// Protected is the protected header in base64url.
	Protected string
	// Signature is the signature in base64url.
	Signature string
}

// maxProtected is the maximum length of a protected header before it is decoded, in bytes. A
// header with an embedded key is much shorter.
const maxProtected = 8 << 10

// algorithms returns the algorithms (RFC 7518 §3.1, RFC 8037) with which only the owner of a
// private key can sign. With "none" any party can sign, and with HS256 every verifier can.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
		jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	}
}

// protectedHeader contains the members of a protected header that are used.
type protectedHeader struct {
	algorithm, keyID, keyURL string
}

// readHeader reads a protected header. If there is an error, it also returns the part that
// could be read, for display.
func readHeader(text string) (h protectedHeader, err error) {
	if len(text) > maxProtected {
		return h, sigError(wayfind.CodeSigHeader, "the protected header is longer than %d bytes", maxProtected)
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return h, sigError(wayfind.CodeSigHeader, "the protected header is not in base64url without padding")
	}
	doc, err := jsonscan.Scan(decoded)
	if err != nil || doc.Root().Kind() != jsonscan.Object {
		return h, sigError(wayfind.CodeSigHeader, "the protected header is no JSON object, or has a member twice")
	}
	root := doc.Root()
	h.algorithm, _ = root.Get("alg").Str()
	h.keyID, _ = root.Get("kid").Str()
	h.keyURL, _ = root.Get("jku").Str()
	return h, checkHeader(root, h)
}

// checkHeader refuses headers that must not be relied on with any key.
func checkHeader(root jsonscan.Node, h protectedHeader) error {
	for _, member := range [...]string{"alg", "kid", "jku"} {
		if n := root.Get(member); n.Kind() != jsonscan.Missing && n.Kind() != jsonscan.String {
			return sigError(wayfind.CodeSigHeader, "%s in the protected header is no text", member)
		}
	}
	switch {
	case h.algorithm == "":
		return sigError(wayfind.CodeSigHeader, "the protected header names no algorithm")
	case root.Get("crit").Kind() != jsonscan.Missing, root.Get("b64").Kind() != jsonscan.Missing:
		// RFC 7515 §4.1.11: a critical member must be understood. RFC 7797 defines b64.
		return sigError(wayfind.CodeSigHeader, "the protected header has crit or b64, and neither is understood here")
	case !slices.Contains(algorithms(), jose.SignatureAlgorithm(h.algorithm)):
		return sigError(wayfind.CodeSigAlg, "algorithm %+.40q is not an accepted public-key algorithm", h.algorithm)
	case root.Get("jwk").Kind() != jsonscan.Missing:
		return sigError(wayfind.CodeSigKey, "the key comes with the signature, which proves nothing")
	}
	return nil
}

// verify checks a signature over a payload with one key. The limits of the key are checked
// first, because the library does not know them.
func (s JWS) verify(algorithm string, payload []byte, key *storedKey) error {
	if err := key.fits(algorithm); err != nil {
		return err
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(s.Signature)
	if err != nil {
		return sigError(wayfind.CodeSigHeader, "the signature is not in base64url without padding")
	}
	signed, err := jose.ParseDetached(s.Protected+".."+s.Signature, payload, algorithms())
	if err != nil {
		return sigError(wayfind.CodeSigHeader, "the protected header cannot be used: %v", err)
	}
	if signed.DetachedVerify(payload, key.public) != nil || !key.salted(algorithm, s.Protected, payload, signature) {
		return sigError(wayfind.CodeSigInvalid, "the key did not sign these bytes")
	}
	return nil
}

// salted reports whether a PSS signature has a salt of the length of its hash (RFC 7518 §3.5);
// the library accepts any length. For other signatures it returns true.
func (k *storedKey) salted(algorithm, protected string, payload, signature []byte) bool {
	hash, pss := map[string]crypto.Hash{"PS256": crypto.SHA256, "PS384": crypto.SHA384, "PS512": crypto.SHA512}[algorithm]
	public, isRSA := k.public.(*rsa.PublicKey)
	if !pss || !isRSA {
		return !pss
	}
	h := hash.New()
	fmt.Fprintf(h, "%s.%s", protected, base64.RawURLEncoding.EncodeToString(payload))
	return rsa.VerifyPSS(public, hash, h.Sum(nil), signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
}

// sigError returns an error with the reason why a signature is not valid.
func sigError(code wayfind.Code, format string, args ...any) error {
	return wayfind.NewError("signature", "", code, fmt.Errorf(format, args...))
}
