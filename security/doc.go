// Package security says what may be asked of whom. It does no I/O but for files
// of pins and approvals, where the caller names one.
//
// Hosts and URLs: [CanonicalHost] is the only way a host name gets in, from a
// target, a redirect, a link or an endpoint; [ParseURL] applies it to URLs.
// Equal hosts have equal canonical forms, and whatever two readers could
// understand differently is refused.
//
// Addresses: a [Policy] judges the answer of a name server and, in the Control
// hook of a dialer, the address the kernel is about to connect to:
//
//	var policy *security.Policy // nil is the safe default
//	dialer := &net.Dialer{ControlContext: policy.Control}
//
// A Policy is widened in its own terms: AllowCIDR, AllowNAT64 and
// AllowMixedDNS keep every connection judged; UnsafeProxy hands the choice of
// the address to somebody else.
//
// Sites: a [SuffixList] compares registrable domains and says how far a
// document may speak for the place it points at; nil is the bundled list, and
// so are [SameSite] and [TrustOf].
//
// Signatures: a [CardCheck] checks those of an A2A Agent Card, with the keys of
// a [KeyStore] or, where the caller wants that, with keys of the card's own
// site. It looks at what the library below it does not: the use, type and size
// of a key, the length of a salt, headers that must not be relied on.
//
// What a user has decided: [Approvals] are about endpoints on other sites,
// [Pins] about definitions. Neither ever becomes part of a Site or of anything
// that is shared.
//
// Models: a [Prompt] writes foreign text for a language model between marks that
// it cannot end. [PromptInjection] finds text that addresses a model; it warns
// and decides nothing.
//
// # What is promised
//
// No function panics, whatever it is given. Canonicalising is idempotent, and
// the comparison of sites is symmetric. Errors are *wayfind.Error with a stable
// Code. All functions may be called concurrently; a Prompt is for one goroutine.
package security
