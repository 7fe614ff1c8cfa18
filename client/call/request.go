package call

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Hidden replaces a credential in all values that are shown.
const Hidden = "•••"

// It is the mark of package secret, which importers cannot see: otherwise this does not compile.
var _ = map[bool]bool{false: true, Hidden == secret.Hidden: true}

// Request is a request that would be sent, or was sent. [Hidden] replaces each credential.
type Request struct {
	Method string `json:"method"`
	// URL is absolute.
	URL string `json:"url"`
	// Header has the header fields, except the fields that the Client sets.
	Header http.Header `json:"header,omitempty"`
	// Body is the body as it is sent; nil if there is none.
	Body []byte `json:"body,omitempty"`
	// Credentials are the credentials that are sent, with their places.
	Credentials []Placed `json:"credentials,omitempty"`
}

// Placed is a credential of a request, without its value.
type Placed struct {
	// Scheme is the name of the scheme in the document.
	Scheme string `json:"scheme"`
	// Origin is the origin that gets the credential. Proof is the proof that it may.
	Origin string `json:"origin"`
	Proof  Proof  `json:"proof"`
	// In ("header", "query", "cookie" or "tls") and Name are the place of the credential.
	In   string `json:"in"`
	Name string `json:"name,omitempty"`
}

// Curl returns the request as a shell command, with [Hidden] in place of each credential. If
// the body is not text, it is written as @BODY.
func (r *Request) Curl() string {
	var b strings.Builder
	b.WriteString("curl --globoff --path-as-is --max-redirs 0 -X " + shellQuote(r.Method))
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, v := range r.Header[name] {
			b.WriteString(" -H " + shellQuote(name+": "+v))
		}
	}
	switch {
	case r.Body == nil:
	case !utf8.Valid(r.Body) || bytes.IndexByte(r.Body, 0) >= 0:
		b.WriteString(" --data-binary @BODY")
	default:
		b.WriteString(" --data-raw " + shellQuote(string(r.Body)))
	}
	b.WriteString(" " + shellQuote(r.URL))
	return b.String()
}

// shellQuote writes one word of a POSIX shell. If the word contains characters that a terminal
// must not get, bytes are written as hexadecimal escapes.
func shellQuote(s string) string {
	if text.Printable(s) != s {
		var b strings.Builder
		b.WriteString("$'")
		for _, c := range []byte(s) {
			if c < ' ' || c >= 0x7f || c == '\'' || c == '\\' {
				fmt.Fprintf(&b, `\x%02x`, c)
				continue
			}
			b.WriteByte(c)
		}
		return b.String() + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
