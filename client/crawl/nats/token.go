package nats

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxToken is the maximum length of a token in bytes. A server accepts subjects of about 4 KiB.
const maxToken = 512

// token returns a target's key as one token of a subject, which is also a key of a bucket. "."
// becomes "_". Letters, digits and "-" are kept. Any other byte becomes "=" and two hexadecimal
// digits. A long key becomes "==" and a hash.
func token(key string) string {
	var t strings.Builder
	for _, b := range []byte(key) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '-':
			t.WriteByte(b)
		case b == '.':
			t.WriteByte('_')
		default:
			fmt.Fprintf(&t, "=%02X", b)
		}
	}
	if t.Len() > maxToken {
		sum := sha256.Sum256([]byte(key))
		return "==" + hex.EncodeToString(sum[:])
	}
	return t.String()
}
