// Package security decides which hosts may be contacted, and which documents may name them. It
// does no I/O.
//
// Hosts and URLs: [CanonicalHost] is the only function that accepts a host name, from a target,
// a redirect, a link or an endpoint. [ParseURL] applies it to URLs. Equal hosts have equal
// canonical forms. A name that two readers could understand differently is refused.
//
// Addresses: a [Guard] judges the answer of a name server. In the Control hook of a dialer it
// judges the address that the kernel is about to connect to:
//
//	var policy *security.Guard // nil is the safe default
//	dialer := &net.Dialer{ControlContext: policy.Control}
//
// The fields of a Guard allow more than the default. With AllowCIDR, AllowNAT64 and
// AllowMixedDNS every connection is still judged. UnsafeProxy leaves the choice of the address
// to a proxy.
//
// Sites: a [SuffixList] compares registrable domains and decides how far a document is trusted
// about the places that it names. Nil is the bundled list.
//
// Questions to the caller: an [ApprovalRequest] asks whether an endpoint on another site may be
// contacted, and a [CredentialRequest] asks for a [Credential].
//
// The packages below this one judge the statements of a site: security/cards judges its
// signatures, security/pins its changes, and security/prompt the effect of its texts on a
// language model.
//
// # Promises
//
// No function panics on any input. Canonicalising is idempotent, and the comparison of sites is
// symmetric. Errors are *wayfind.Error with a stable Code. All functions may be called
// concurrently.
package security
