package cards

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Digest returns the SHA-256, in hexadecimal, of a JSON value in canonical form (RFC 8785): of
// a tool, for example, with all its members. The order of members, blanks and escapes do not
// change it; every other difference does. If the value contains numbers that readers may read
// differently, all its numbers are hashed as written. The error is the error of a value that is
// not JSON.
func Digest(raw []byte) (string, error) {
	form, err := jsonscan.Distinct(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:]), nil
}
