package aicatalog

import (
	"encoding/base64"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Statuses of signatures, which this package does not check.
const (
	unverified   = "unverified"
	unverifiable = "unverifiable" // no specification defines how to check its form
)

// trust lists the signatures in the trust manifests of an entry. They have no further
// effect: the members remain in the Extensions.
func (r *reader) trust(n parse.Node, doc *wayfind.Document) {
	old := n.Get("trustManifest")
	r.align(old, doc)
	if text, ok := old.Get("signature").Str(); ok && text != "" {
		s := wayfind.Signature{Status: unverifiable, Sources: parse.SourcesAt(old.Get("signature"))}
		s.Algorithm, s.KeyID = protected(text)
		doc.Signatures = append(doc.Signatures, s)
	}
	for i, manifest := range n.Get("trustManifests").Items() {
		signature := manifest.Get("signature")
		if i == maxManifests {
			break
		}
		if signature.Kind() != parse.Object {
			continue
		}
		s := wayfind.Signature{Status: unverified, Sources: parse.SourcesAt(signature)}
		s.Profile, _ = signature.Get("profile").Str()
		jws, _ := signature.Get("jws").Str()
		s.Algorithm, s.KeyID = protected(jws)
		doc.Signatures = append(doc.Signatures, s)
	}
}

// maxManifests is the largest number of trust manifests of an entry that are read.
const maxManifests = 16

// align reports an identity in a manifest that does not match the publisher of the
// entry.
func (r *reader) align(manifest parse.Node, doc *wayfind.Document) {
	identity, ok := manifest.Get("identity").Str()
	if !ok || doc.Publisher == nil {
		return
	}
	host, publisher := identityHost(identity), identityHost(doc.Publisher.Identifier)
	if host == "" || publisher == "" || host == publisher || strings.HasSuffix(host, "."+publisher) || strings.HasSuffix(publisher, "."+host) {
		return
	}
	r.Report(ruleIdentity, manifest.Get("identity"), "the identity %q is not the publisher %q of the entry", identity, doc.Publisher.Identifier)
}

// identityHost returns the host in an identity, which is a did:web, a URL or a domain.
func identityHost(identity string) string {
	text := strings.ToLower(identity)
	for _, prefix := range [...]string{"did:web:", "https://", "spiffe://"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			text = rest
			break
		}
	}
	if i := strings.IndexAny(text, ":/?#"); i >= 0 {
		text = text[:i]
	}
	if !strings.Contains(text, ".") {
		return ""
	}
	return text
}

// protected returns the algorithm and the key ID in the protected header of a compact
// JWS.
func protected(jws string) (algorithm, key string) {
	header, _, _ := strings.Cut(jws, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil || len(header) > 4<<10 {
		return "", ""
	}
	obj, err := (&parse.Input{Body: decoded}).JSONObject()
	if err != nil {
		return "", ""
	}
	algorithm, _ = obj.Get("alg").Str()
	key, _ = obj.Get("kid").Str()
	return algorithm, key
}
