package call

import (
	"net/http"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// veil is a list of secret texts that [Hidden] replaces in data of a site.
type veil secret.Veil

// and adds a text, unless it is too short to be a secret.
func (v veil) and(s string) veil { return veil(secret.Veil(v).And(s)) }

// over replaces the texts in data of a site.
func (v veil) over(said []byte) []byte { return secret.Veil(v).Over(said, Hidden) }

// text returns a text of a site for a model: cleaned, without the texts, and with at most the given
// number of characters. A cut text is hidden before it is cut.
func (v veil) text(said string, lines bool, most int) string {
	said, _ = text.Clean(said, lines, 0)
	said, _ = text.Clean(string(v.over([]byte(said))), lines, most)
	return said
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
