// Package security decides which hosts may be contacted, and which documents
// may name them. It does no I/O.
//
// Hosts and URLs: [CanonicalHost] is the only way a host name gets in, from a
// target, a redirect, a link or an endpoint; [ParseURL] applies it to URLs.
// Equal hosts have equal canonical forms, and a name that two readers could
// understand differently is refused.
//
// Addresses: a [Guard] judges the answer of a name server and, in the Control
// hook of a dialer, the address the kernel is about to connect to:
//
//	var policy *security.Guard // nil is the safe default
//	dialer := &net.Dialer{ControlContext: policy.Control}
//
// A Guard is widened in its own terms: AllowCIDR, AllowNAT64 and
// AllowMixedDNS keep every connection judged; UnsafeProxy hands the choice of
// the address to a proxy.
//
// Sites: a [SuffixList] compares registrable domains and says how far a
// document may speak for the place it points at; nil is the bundled list.
//
// Questions to the caller: an [ApprovalRequest] asks whether an endpoint on
// another site may be contacted, a [CredentialRequest] asks for a [Credential].
//
// The packages below this one judge a site's statements: security/cards its
// signatures, security/pins its changes, security/prompt the effect of its
// texts on a language model.
//
// # Promises
//
// No function panics on any input. Canonicalising is idempotent, and
// the comparison of sites is symmetric. Errors are *wayfind.Error with a stable
// Code. All functions may be called concurrently.
package security
