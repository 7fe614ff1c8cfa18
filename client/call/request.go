package call

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Hidden stands where a credential is.
const Hidden = "•••"

// Request is a request that would be sent, or was. [Hidden] stands in the place of each
// credential.
type Request struct {
	Method string `json:"method"`
	// URL is absolute.
	URL string `json:"url"`
	// Header fields, but for those that the Client sets.
	Header http.Header `json:"header,omitempty"`
	// Body as it is sent; nil where there is none.
	Body []byte `json:"body,omitempty"`
	// Credentials that are sent, and where.
	Credentials []Placed `json:"credentials,omitempty"`
}

// Placed is a credential of a request, without its value.
type Placed struct {
	// Scheme is the name that the document gives it.
	Scheme string `json:"scheme"`
	// Origin that gets it, and the proof that it may.
	Origin string `json:"origin"`
	Proof  Proof  `json:"proof"`
	// In ("header", "query", "cookie", "tls") and Name say where it stands.
	In   string `json:"in"`
	Name string `json:"name,omitempty"`
}

// Curl is the request as a command for a shell, with [Hidden] in the place of each
// credential. A body that is no text is @BODY.
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

// shellQuote writes one word of a POSIX shell. What no terminal should get is
// written by its number.
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
