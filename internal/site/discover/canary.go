package discover

import (
	"crypto/sha256"
	"encoding/hex"
)

// The canary is a page that cannot exist. If a server answers 200 to it, it answers 200 to any
// path, and a similar page elsewhere is no document. It is requested only if an answer leaves a
// doubt.

// canaryPath returns a path that cannot exist. It differs for each origin and is always the same
// for one origin, so that its page is remembered, also by processes that share a store. In a Lab
// with a clock it is the same for all origins, for golden files.
func canaryPath(origin string, lab bool) string {
	token := "00000000"
	if !lab {
		sum := sha256.Sum256([]byte("canary " + origin))
		token = hex.EncodeToString(sum[:4])
	}
	return "/.well-known/wayfind-" + token
}
