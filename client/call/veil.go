package call

import (
	"net/http"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// veil is a list of secret texts that [Hidden] replaces in data of a site.
type veil secret.Veil

// and adds a text, unless it is too short to be a secret.
func (v veil) and(s string) veil { return veil(secret.Veil(v).And(s)) }

// over replaces the texts in data of a site.
func (v veil) over(said []byte) []byte { return secret.Veil(v).ShowBytes(said, secret.Data) }

// show returns a text of a site for a purpose, with at most the given number of characters.
func (v veil) show(said string, purpose secret.Purpose, most int) string {
	return secret.Veil(v).Show(said, purpose, most)
}

// overHeader replaces the texts in header fields.
func (v veil) overHeader(h http.Header) http.Header {
	if len(v) == 0 {
		return h
	}
	own := make(http.Header, len(h))
	for name, values := range h {
		for _, value := range values {
			own[name] = append(own[name], string(v.over([]byte(value))))
		}
	}
	return own
}
