package security

import (
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/wayfindhq/wayfind"
)

// SameSite reports whether two hosts are the same site: they have equal canonical names, or the
// same registrable domain under a rule of the list, ICANN or private. So alice.github.io and
// bob.github.io are two sites. Under a suffix that is not in the list, every host is a site of
// its own. A host that [CanonicalHost] refuses is not the same site as any host, including
// itself. SameSite is symmetric.
func (l *SuffixList) SameSite(hostA, hostB string) bool {
	a, _, err := CanonicalHost(hostA)
	if err != nil {
		return false
	}
	b, _, err := CanonicalHost(hostB)
	if err != nil {
		return false
	}
	return l.sameSite(a, b)
}

// RegistrableDomain returns the registered part of a host: "example.co.uk" for
// "www.EXAMPLE.co.uk.". It returns false for hosts that [CanonicalHost] refuses, for public
// suffixes, and if no listed rule applies. If no listed rule applies, the domain is computed
// with the default rule "*" of the list: "corp.internal" for "api.corp.internal". Such a domain
// is sufficient for rate limits, but not for trust.
func (l *SuffixList) RegistrableDomain(host string) (string, bool) {
	canon, _, err := CanonicalHost(host)
	if err != nil {
		if canon, ok := privateHost(host); ok {
			domain, _ := l.registrable(canon)
			return domain, false
		}
		return "", false
	}
	domain, listed := l.registrable(canon)
	return domain, listed && domain != ""
}

// TrustOf returns how a target relates to a document that names it. The document was requested
// at one URL, and its final URL after redirects may be another. Both URLs must match the
// target: a redirect to another site does not make that site ours. The result is
// wayfind.TrustCrossSite for a URL that is not https on the default port, or that has no host
// that could be requested. If final is nil, requested is used. The result is never
// wayfind.TrustNeedsApproval.
func (l *SuffixList) TrustOf(requested, final, target *url.URL) wayfind.Trust {
	if final == nil {
		final = requested
	}
	from, ok1 := siteHost(requested)
	via, ok2 := siteHost(final)
	to, ok3 := siteHost(target)
	switch {
	case !ok1 || !ok2 || !ok3:
		return wayfind.TrustCrossSite
	case to == from && to == via:
		return wayfind.TrustSameOrigin
	case l.sameSite(to, from) && l.sameSite(to, via):
		return wayfind.TrustSameSite
	}
	return wayfind.TrustCrossSite
}

// siteHost returns the canonical host of a URL that represents an origin.
func siteHost(u *url.URL) (string, bool) {
	if u == nil || !strings.EqualFold(u.Scheme, "https") || u.Opaque != "" || u.User != nil {
		return "", false
	}
	canon, err := canonicalAuthority(u.Host)
	return canon, err == nil
}

// sameSite compares canonical hosts.
func (l *SuffixList) sameSite(a, b string) bool {
	if a == b {
		return true
	}
	domainA, listedA := l.registrable(a)
	domainB, listedB := l.registrable(b)
	return domainA != "" && domainA == domainB && listedA && listedB
}

// registrable returns the public suffix of a canonical host plus one label, or "" if the host
// is itself a suffix. It also reports whether the suffix is from a listed rule.
func (l *SuffixList) registrable(canon string) (domain string, listed bool) {
	suffix, listed := l.publicSuffix(canon)
	if len(suffix) >= len(canon) {
		return "", listed
	}
	rest := canon[:len(canon)-len(suffix)-1]
	return canon[strings.LastIndexByte(rest, '.')+1:], listed
}

// publicSuffix returns the public suffix of a canonical host, and reports whether it is from a
// rule of the list.
func (l *SuffixList) publicSuffix(canon string) (suffix string, listed bool) {
	if l == nil {
		return bundledSuffix(canon)
	}
	if suffix, _ = l.rules.match(canon); suffix != "" {
		return suffix, true
	}
	return canon[strings.LastIndexByte(canon, '.')+1:], false // the default rule
}

// bundledSuffix applies the list that is linked in and the newer rules. The longer suffix is
// used, even if the newer list has dropped the rule: a longer suffix splits sites and never
// joins them.
func bundledSuffix(canon string) (suffix string, listed bool) {
	suffix, icann := publicsuffix.PublicSuffix(canon)
	// A suffix with one label that is not from the ICANN section is from the default rule.
	listed = icann || strings.Contains(suffix, ".")
	newer, exception := newerRules().match(canon)
	if exception || newer != "" && (len(newer) > len(suffix) || !listed) {
		return newer, true
	}
	return suffix, listed
}
