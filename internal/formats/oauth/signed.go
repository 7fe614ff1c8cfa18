package oauth

import (
	"encoding/base64"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// signed lists the signature of signed metadata, a JWT with the members as claims (RFC 9728
// §2.2, RFC 8414 §2.1). It is not verified here, so all of its claims are ignored, and it is
// not kept: it looks like a credential.
func (r *reader) signed() {
	text := r.String(r.root, "signed_metadata", parse.Optional, r.members)
	n := r.root.Get("signed_metadata")
	if n.Kind() != parse.String {
		return
	}
	header, _, _ := strings.Cut(text, ".")
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(header)
	var protected parse.Node
	if err == nil {
		protected, err = (&parse.Input{Body: decoded}).JSONObject()
	}
	if err != nil || strings.Count(text, ".") != 2 {
		r.Report(ruleSignedMetadata.At(r.members), n, "the signed metadata is no JWT in compact form")
		return
	}
	r.Report(ruleSignedUnverified.At(r.members), n, "the signed metadata was not verified; none of its claims counts")
	s := wayfind.Signature{Status: "unverified", Sources: parse.SourcesAt(n)}
	s.Algorithm, _ = protected.Get("alg").Str()
	s.KeyID, _ = protected.Get("kid").Str()
	r.reading.Signatures = []wayfind.Signature{s}
}
