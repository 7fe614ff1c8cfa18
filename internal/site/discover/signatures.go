package discover

import (
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/cards"
)

const (
	// keysFormat is the format of a JWK Set in a probe. No format reads it, because it is only used
	// to check signatures.
	keysFormat = "jwks"
	// keysAccept is the Accept field of a request for a JWK Set (RFC 7517 §8.5.2).
	keysAccept = "application/jwk-set+json, application/json;q=0.9"
	// maxKeySets bounds the key sets that are asked for in one Resolve.
	maxKeySets = 4
)

// keysCandidate returns the candidate of a key set on the site of the card that names it.
func keysCandidate(u, from string) *places.Candidate {
	limits := parse.Limits{Bytes: cards.MaxKeySetBytes, SameSiteOnly: true}.WithDefaults()
	return &places.Candidate{URL: u, From: from, Accept: keysAccept, Limits: limits, Depth: 1, Detail: true, Keys: true}
}
