package provenance

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Rules returns the rules of this package.
func Rules() []parse.Rule {
	return slices.Concat(signatureRules(), []parse.Rule{ruleEndpointCrossSite, rulePublicSuffix, rulePublisherElsewhere, rulePublisherMismatch})
}

// signatureRules returns the rules about signatures and their keys.
func signatureRules() []parse.Rule {
	return []parse.Rule{
		rulePrivateKey, ruleSigAlg, ruleSigNumber, ruleSigDomain, ruleSigHeader, ruleSigInvalid, ruleSigJKU, ruleSigKey, ruleSigLimit,
		ruleSigProfile, ruleUnsigned, ruleSigUnverified,
	}
}

// SignatureRule returns the rule about a signature that is not accepted. Its code is
// "signature." and the code of the reason without "sig_".
func SignatureRule(reason wayfind.Code) parse.Rule {
	code := "signature." + strings.TrimPrefix(string(reason), "sig_")
	known := signatureRules()
	if i := slices.IndexFunc(known, func(r parse.Rule) bool { return r.Code == code }); i >= 0 {
		return known[i]
	}
	return parse.Rule{Code: code, Severity: wayfind.SeverityWarning,
		Means: "The signature could not be checked. The message says why.",
		Mend:  "Fix the fault that the message names, and sign the document again."}
}

// These are the faults of a signature, and of a published key.
var (
	rulePrivateKey = parse.Rule{Code: "keys.private", Severity: wayfind.SeverityWarning,
		Means: "A key set on the site contains a private or symmetric key. Every reader can sign with it.",
		Mend:  "Stop using the key, make a new one, and publish its public members only."}
	ruleSigAlg = parse.Rule{Code: "signature.alg", Severity: wayfind.SeverityWarning,
		Means: "The algorithm of the signature is not accepted, because others than the owner of a private key can sign with it.",
		Mend:  "Sign with a private key, for example with `ES256`."}
	ruleSigNumber = parse.Rule{Code: "signature.ambiguous_number", Severity: wayfind.SeverityWarning,
		Means: "Readers disagree about the value of a number in the document. The signature may belong to another value.",
		Mend:  "Write integers up to 2^53-1 and no more digits than a double keeps. Write any other number as text. Then sign again."}
	ruleSigDomain = parse.Rule{Code: "signature.domain", Severity: wayfind.SeverityWarning,
		Means: "The signature is genuine, but it belongs to a document of another site.",
		Mend:  "Sign the documents of each site with a key of that site, and name endpoints on that site."}
	ruleSigHeader = parse.Rule{Code: "signature.header", Severity: wayfind.SeverityWarning,
		Means: "The signature or its protected header cannot be relied on. The message says why.",
		Mend:  "Write `alg`, `kid` and `typ` into the protected header, without `crit` and `b64`. Encode both parts in base64url without padding."}
	ruleSigInvalid = parse.Rule{Code: "signature.invalid", Severity: wayfind.SeverityWarning,
		Means: "The key did not sign this document. The document was changed after it was signed, or it was signed in another form.",
		Mend:  "Sign the document that is served, without `signatures` and in the canonical form of RFC 8785."}
	ruleSigJKU = parse.Rule{Code: "signature.jku", Severity: wayfind.SeverityWarning,
		Means: "The key cannot be fetched from the place that the protected header names, or that place must not be asked.",
		Mend:  "Serve a JWK Set with the key over HTTPS, on the site of the document."}
	ruleSigKey = parse.Rule{Code: "signature.key", Severity: wayfind.SeverityWarning,
		Means: "The key must not be used for the signature. It is of another type, is for another use, is too weak, or came with the signature.",
		Mend:  "Sign with a key that is made for the algorithm and for signatures, and publish it apart from the document."}
	ruleSigLimit = parse.Rule{Code: "signature.limit", Severity: wayfind.SeverityWarning,
		Means: "The document has more signatures than this program checks.",
		Mend:  "Keep at most eight signatures."}
	ruleSigProfile = parse.Rule{Code: "signature.profile", Severity: wayfind.SeverityWarning,
		Means: "The signature covers only a part of the document. Other documents have the same signature.",
		Mend:  "Sign the canonical form (RFC 8785) of the document with all required members, including empty ones."}
	ruleUnsigned = parse.Rule{Code: "signature.unsigned", Severity: wayfind.SeverityWarning,
		Means: "The document is not signed, although the reader has a key for its origin.",
		Mend:  "Sign the document, or tell your readers that it is no longer signed."}
	ruleSigUnverified = parse.Rule{Code: "signature.unverified", Severity: wayfind.SeverityInfo,
		Means: "The key of a signature is not known. The signature was not checked.",
		Mend:  "The document needs no change. Tell your readers which key is yours."}
)
