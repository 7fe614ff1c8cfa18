package wayfind

import "time"

// Authority is the rank of a source. If two sources disagree, the higher rank decides.
type Authority string

// These are the authorities, the best first.
const (
	AuthorityLive         Authority = "live"         // a protocol answered
	AuthorityVerified     Authority = "verified"     // signed, with a pinned key
	AuthorityNative       Authority = "native"       // a typed document of the origin
	AuthorityLinked       Authority = "linked"       // linked from such a document, on the same site
	AuthorityConventional Authority = "conventional" // at a place of convention, and no document links to it
	AuthorityCatalog      Authority = "catalog"      // an entry in a catalogue
	AuthorityProse        Authority = "prose"        // text for readers
	AuthorityThirdParty   Authority = "third_party"  // a third party about the origin
	AuthoritySynthetic    Authority = "synthetic"    // generated, according to itself
)

// Rank returns 0 for the best authority. Unknown values rank last.
func (a Authority) Rank() int {
	order := [...]Authority{AuthorityLive, AuthorityVerified, AuthorityNative,
		AuthorityLinked, AuthorityConventional, AuthorityCatalog, AuthorityProse, AuthorityThirdParty,
		AuthoritySynthetic}
	for i, o := range order {
		if a == o {
			return i
		}
	}
	return len(order)
}

// Trust is the relation between the address of a thing and the origin that was asked.
// Both the requested and the final URL of a document must match.
type Trust string

// These are the values of Trust.
const (
	// TrustSameOrigin means that scheme, host and port equal the origin that was asked.
	TrustSameOrigin Trust = "same_origin"
	// TrustSameSite means another host under the same registrable domain.
	TrustSameSite Trust = "same_site"
	// TrustCrossSite means another site. The relation is only a claim: do not send a credential
	// of the origin to that site.
	TrustCrossSite Trust = "cross_site"
	// TrustNeedsApproval means another site that this library would have to contact. It does so
	// only if Options.Approve agrees.
	TrustNeedsApproval Trust = "needs_approval"
)

// Source is one document that was read.
type Source struct {
	// Format is the format that read it, "adp" for example.
	Format string `json:"format"`
	// Dialect is the dialect of the format, or empty for the plain format.
	Dialect string `json:"dialect,omitempty"`
	// Version is the version of the format that the document states.
	Version string `json:"version,omitempty"`
	// URL is the URL that was requested. FinalURL is set if redirects led to another one.
	URL      string `json:"url"`
	FinalURL string `json:"finalUrl,omitempty"`
	// AlsoAt are further URLs that returned the same bytes.
	AlsoAt []string `json:"alsoAt,omitempty"`
	// From is the URL of the document that led to this one, if Describe read this one. An
	// approval for that document covers this one too.
	From string `json:"from,omitempty"`
	// MediaType is the media type as sent, without parameters. It may be wrong or empty.
	MediaType string `json:"mediaType,omitempty"`
	// SHA256 is the digest of the decoded body, in hexadecimal.
	SHA256 string `json:"sha256"`
	// FetchedAt is the time at which the body was received or last validated.
	FetchedAt time.Time `json:"fetchedAt,omitzero"`
	// FreshUntil is the end of the freshness lifetime (RFC 9111 §4.2), explicit or the default
	// of the format.
	FreshUntil time.Time `json:"freshUntil,omitzero"`
	// ETag and LastModified are the validators as received.
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"lastModified,omitempty"`
	Authority    Authority `json:"authority"`
	// Trust compares FinalURL with URL. It is cross_site after a redirect to another site.
	Trust Trust `json:"trust,omitempty"`
	// Confidence is from 0 to 1, if the document states one.
	Confidence *float64 `json:"confidence,omitempty"`
	// Private is true if the source is the answer to a request with a credential. It is only
	// for the caller of that request.
	Private bool `json:"private,omitempty"`
	// Signatures are the signatures in the document.
	Signatures []Signature `json:"signatures,omitempty"`
}

// Signature is one signature in a document, with the result of its check.
type Signature struct {
	// Status is an open string: "valid", "invalid" (checked and wrong), "unverifiable" (it
	// cannot prove anything), "unverified" (not checked, or the key is unknown).
	Status string `json:"status"`
	// Code is the reason why a checked signature is not valid.
	Code Code `json:"code,omitempty"`
	// Profile is the form in which the document was signed: "raw-jcs" or "proto-jcs" for
	// an agent card (A2A 1.0 §8.4).
	Profile string `json:"profile,omitempty"`
	// KeySource is the party that vouches for the key. "pinned" is the caller: the signature
	// proves who signed. "same_site_jku" is the site itself: the signature proves that the
	// document has not changed since. It is empty if there was no key.
	KeySource string `json:"keySource,omitempty"`
	// Algorithm (RFC 7518) and KeyID are the values of the protected header.
	Algorithm string `json:"algorithm,omitempty"`
	KeyID     string `json:"keyId,omitempty"`
	// KeyURL is the URL of the keys in the document ("jku"). A key from there proves that
	// nothing was changed, but does not prove the author.
	KeyURL  string `json:"keyUrl,omitempty" clean:"url"`
	Sources []Ref  `json:"sources,omitempty"`
}
