package call

import (
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// challengeName is the name of a scheme that no document declares and that comes from a
// challenge.
const challengeName = "bearer"

// challenged is the challenge with which an origin answered a request without a credential.
type challenged struct {
	scopes []string
	// metadata is the URL of the metadata that names the authorization servers; "" for the
	// default locations.
	metadata string
	// proofs is true if the site accepts only tokens with a proof.
	proofs bool
}

// offers reports whether a challenge names a scheme of HTTP.
func offers(auth *wayfind.Auth, scheme string) bool {
	if auth == nil {
		return false
	}
	for _, s := range auth.Schemes {
		if strings.EqualFold(s.HTTPScheme, scheme) {
			return true
		}
	}
	return false
}

// wantsProofs reports whether a challenge accepts only tokens with proofs (RFC 9449 §7.1).
func wantsProofs(auth *wayfind.Auth) bool { return offers(auth, "DPoP") && !offers(auth, "Bearer") }

// errStranger is the error if the challenge names metadata on another site.
var errStranger = errors.New("the challenge names metadata on another site")

// challengedScopes returns the scopes that a challenge names.
func challengedScopes(auth *wayfind.Auth) (scopes []string) {
	if auth == nil {
		return nil
	}
	for _, needed := range auth.Requirements {
		for _, q := range needed {
			scopes = append(scopes, q.Scopes...)
		}
	}
	return scopes
}
