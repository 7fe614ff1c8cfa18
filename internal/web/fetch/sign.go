package fetch

import (
	"maps"
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind/internal/web/websign"
)

// Signing determines which requests are signed, and by whom. The zero value signs no request.
type Signing struct {
	Signer *websign.Signer
	// Identity contains the canonical names of the fields that identify a user. A request with one
	// of them, or with another credential, is signed only if Identified is set, because the
	// signature reveals to the site that this user uses this agent.
	Identity   []string
	Identified bool
}

// signs reports whether a request with a header is signed. A request that its caller has signed is
// not changed.
func (c *Conns) signs(a *Ask, header http.Header) bool {
	s := &c.options.Signing
	if s.Signer == nil || a.URL.Scheme != "https" || websign.Signed(header) {
		return false
	}
	return s.Identified || !c.identified(a, header)
}

// identified reports whether a request has a credential of a user.
func (c *Conns) identified(a *Ask, header http.Header) bool {
	return c.options.Certificate != nil || c.options.showsCertificate() ||
		slices.ContainsFunc(a.Auth, func(p AuthPart) bool { return p.Fits(a.URL) }) ||
		slices.ContainsFunc(c.options.Signing.Identity, func(name string) bool { return header[name] != nil })
}

// showsCertificate reports whether the caller's TLS settings may reveal the caller's identity to a
// site.
func (o *Options) showsCertificate() bool {
	return o.UnsafeTLS != nil && (len(o.UnsafeTLS.Certificates) > 0 || o.UnsafeTLS.GetClientCertificate != nil)
}

// signed returns the header of one attempt, with a new signature, because a signature is not sent
// twice.
func (c *Conns) signed(a *Ask, header http.Header, wish *websign.Wish) http.Header {
	if !c.signs(a, header) {
		return header
	}
	own := maps.Clone(header) // the values are only read
	c.options.Signing.Signer.Sign(own, a.method(), a.target(), wish)
	return own
}

// asksAgain reports whether a request is sent once more, because its answer asks for another
// signature. If the answer names a time to wait, that is left to a retrier: the next attempt has
// the requested signature.
func (c *Conns) asksAgain(a *Ask, resp *http.Response) bool {
	if a.Once || a.wished || resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return false
	}
	if !c.signs(a, c.header(a)) {
		return false
	}
	a.wish = c.options.Signing.Signer.Wish(resp.Header)
	if a.wished = a.wish != nil; !a.wished || resp.Header["Retry-After"] != nil {
		return false
	}
	if !a.mayRepeat(maxRetries) || a.hasLeft() || !a.Budget.take() || !a.rewind() {
		return false
	}
	a.repeats++
	return true
}
