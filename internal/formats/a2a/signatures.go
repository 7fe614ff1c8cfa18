package a2a

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// unverified is the status of signatures that were not checked.
const unverified = "unverified"

// maxSignatures bounds the signatures that are read, because checking each one takes
// time.
const maxSignatures = 32

// signatures lists the signatures of a card with the members of their protected
// headers (RFC 7515 §7.2; 1.0 §8.4), and hands the parts to the checker. Signatures
// that cannot be read are listed too: each has a status. Entries that are not
// signatures are left out.
func (r *reader) signatures(root parse.Node, to *parse.Reading) {
	entries := r.Objects(root.IfSet("signatures"), "signatures", parse.Optional, r.at.signature)
	if len(entries) > maxSignatures {
		r.Report(ruleTruncated.At(r.at.signature), root.Get("signatures"), "of %d signatures the first %d were read", len(entries), maxSignatures)
		entries = entries[:maxSignatures]
	}
	for _, entry := range entries {
		protected := r.String(entry, "protected", parse.Must, r.at.signature)
		value := r.String(entry, "signature", parse.Must, r.at.signature)
		if entry.Get("protected").Kind() != parse.String || entry.Get("signature").Kind() != parse.String {
			continue
		}
		to.Signatures = append(to.Signatures, r.signature(entry, protected, value))
		to.Signed = append(to.Signed, parse.SignedPart{Protected: protected, Signature: value})
	}
}

func (r *reader) signature(entry parse.Node, protected, value string) wayfind.Signature {
	s := wayfind.Signature{Status: unverified, Sources: parse.SourcesAt(entry)}
	if value == "" || !isBase64URL(value) {
		r.Report(ruleSignature.At(r.at.signature), entry.Get("signature"), "the signature is not in base64url")
	}
	n := entry.Get("protected")
	header, err := protectedHeader(protected)
	if err != nil {
		r.Report(ruleSignature.At(r.at.signature), n, "the protected header cannot be read: %s", err)
		return s
	}
	if other := entry.Get("header"); other.Has("alg", "kid", "jku") {
		r.Report(ruleSignatureHeader.At(r.at.signature), other, "the unprotected header names an algorithm or a key; it does not count")
	}
	s.Algorithm, _ = header.Get("alg").Str()
	s.KeyID, _ = header.Get("kid").Str()
	s.KeyURL = r.keyURL(n, header)
	r.checkHeader(n, header, s)
	return s
}

// protectedHeader decodes a protected header. The error is the reason why it cannot be
// read.
func protectedHeader(text string) (header parse.Node, err error) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return parse.Node{}, errors.New("it is not in base64url without padding")
	}
	header, err = (&parse.Input{Body: decoded}).JSONObject()
	if err != nil {
		return parse.Node{}, errors.New("it is no JSON object")
	}
	return header, nil
}

func isBase64URL(text string) bool {
	_, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil
}

// keyURL returns the URL of the keys in a header, which must use TLS (RFC 7515
// §4.1.2).
func (r *reader) keyURL(n, header parse.Node) string {
	text, ok := header.Get("jku").Str()
	if !ok {
		return ""
	}
	u, err := urlref.AbsoluteURL(text)
	if err != nil || u.Scheme != "https" {
		r.Report(ruleSignatureJKU.At(r.at.signature), n, "jku must start with https:// and hold no user; it is ignored")
		return ""
	}
	if err := urlref.OddHost(u); err != nil {
		r.Report(ruleSignatureJKU.At(r.at.signature).AsWarning(), n, "jku is doubtful: %s", err)
	}
	return text
}

// checkHeader reports headers that no verifier should accept, and headers that break
// 1.0 §8.4.2.
func (r *reader) checkHeader(n, header parse.Node, s wayfind.Signature) {
	switch {
	case s.Algorithm == "":
		r.Report(ruleSignatureAlg.At(r.at.signature), n, "the protected header names no algorithm")
	case strings.EqualFold(s.Algorithm, "none"), strings.HasPrefix(strings.ToUpper(s.Algorithm), "HS"):
		r.Report(ruleSignatureAlg.At(r.at.signature), n, "the algorithm %q proves nothing: every reader who can check it can also sign", s.Algorithm)
	}
	for _, member := range [...]string{"crit", "b64"} {
		if header.Get(member).Exists() {
			r.Report(ruleSignatureCrit.At(r.at.signature), n, "the protected header has %s, which checkers must understand or refuse", member)
		}
	}
	for _, member := range [...]string{"jwk", "x5u", "x5c"} {
		if header.Get(member).Exists() {
			r.Report(ruleSignatureKey.At(r.at.signature), n, "the protected header has %s: a key that comes with the text that it signs proves nothing", member)
		}
	}
	if r.edition < edition10 {
		return // 0.3 does not define the members of the header
	}
	if s.KeyID == "" {
		r.Report(ruleSignatureKid, n, "the protected header names no key")
	}
	if typ, _ := header.Get("typ").Str(); typ != "JOSE" {
		r.Report(ruleSignatureTyp, n, "the type in the protected header is %q where JOSE belongs", typ)
	}
}
