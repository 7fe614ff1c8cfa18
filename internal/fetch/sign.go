package fetch

import (
	"maps"
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind/internal/websign"
)

// Signing says which requests are signed, and by whom. The zero value signs none.
type Signing struct {
	Signer *websign.Signer
	// Identity are the canonical names of the fields that identify a user. A request
	// with one of them, or with another credential, is signed only if Identified is
	// set: the site would know that this user uses this agent.
	Identity   []string
	Identified bool
}

// signs reports whether a request with a header is signed. One that its caller signed
// is left as it is.
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

// showsCertificate reports whether the caller's TLS may tell a site who the caller is.
func (o *Options) showsCertificate() bool {
	return o.UnsafeTLS != nil && (len(o.UnsafeTLS.Certificates) > 0 || o.UnsafeTLS.GetClientCertificate != nil)
}

// signed returns the header of one attempt: a signature is not sent twice.
func (c *Conns) signed(a *Ask, header http.Header, wish *websign.Wish) http.Header {
	if !c.signs(a, header) {
		return header
	}
	own := maps.Clone(header) // the values are only read
	c.options.Signing.Signer.Sign(own, a.method(), a.target(), wish)
	return own
}

// asksAgain reports whether a request is sent once more, because its answer asks for
// another signature. After a time that the answer names, that is for a retrier to do:
// the signature of its next attempt is the one that was asked for.
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
