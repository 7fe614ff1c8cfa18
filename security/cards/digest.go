package cards

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// Digest returns the SHA-256, in hexadecimal, of a JSON value in canonical form
// (RFC 8785): that of a tool, for example, with every member it has. Order of
// members, blanks and escapes do not change it; every other difference does. In
// a value with numbers that readers may read differently, all numbers count as
// they are written. The error is that of a value that is not JSON.
func Digest(raw []byte) (string, error) {
	form, err := jsonscan.Distinct(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:]), nil
}
