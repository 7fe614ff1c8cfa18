package security

import (
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/wayfindhq/wayfind"
)

// SameSite reports whether two hosts are the same site: equal canonical
// names, or the same registrable domain under a rule of the list, ICANN or
// private. So alice.github.io and bob.github.io are two sites, and under a
// suffix that the list does not have every host is its own. Hosts that
// [CanonicalHost] refuses are no site at all, not even with themselves. It is
// symmetric.
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
// "www.EXAMPLE.co.uk.". It is false for hosts that [CanonicalHost] refuses, for
// public suffixes and where no listed rule applies. There the domain is what the
// default rule "*" of the list makes of it: "corp.internal" of "api.corp.internal".
// That is enough to spare a server, and not to trust it.
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

// TrustOf says how the place that target names relates to a document that was
// requested at one URL and came from another in the end. Both must match: a
// redirect to another site does not make that site ours. A URL that is not
// https on the default port, or has no host that could be asked, is
// wayfind.TrustCrossSite. A nil final means requested. The result is never
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

// siteHost returns the canonical host of a URL that stands for an origin.
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

// registrable returns one label more than the public suffix of a canonical
// host, "" for a suffix itself, and whether a listed rule made the suffix.
func (l *SuffixList) registrable(canon string) (domain string, listed bool) {
	suffix, listed := l.publicSuffix(canon)
	if len(suffix) >= len(canon) {
		return "", listed
	}
	rest := canon[:len(canon)-len(suffix)-1]
	return canon[strings.LastIndexByte(rest, '.')+1:], listed
}

// publicSuffix returns the public suffix of a canonical host, and whether a
// rule of the list made it.
func (l *SuffixList) publicSuffix(canon string) (suffix string, listed bool) {
	if l == nil {
		return bundledSuffix(canon)
	}
	if suffix, _ = l.rules.match(canon); suffix != "" {
		return suffix, true
	}
	return canon[strings.LastIndexByte(canon, '.')+1:], false // as the default rule has it
}

// bundledSuffix applies the list that is linked in and the rules that are
// newer. The longer suffix wins, also where the newer list dropped a rule: it
// splits sites and never joins them.
func bundledSuffix(canon string) (suffix string, listed bool) {
	suffix, icann := publicsuffix.PublicSuffix(canon)
	// A suffix of one label that is not ICANN's comes from the default rule.
	listed = icann || strings.Contains(suffix, ".")
	newer, exception := newerRules().match(canon)
	if exception || newer != "" && (len(newer) > len(suffix) || !listed) {
		return newer, true
	}
	return suffix, listed
}
