package security

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// ParseDev reads the URL of a server that is under development, and returns its origin in the
// form that Guard.AllowDev requires: "http://localhost:3000" for "http://LOCALHOST:3000/mcp".
// The URL has the scheme http, or it has https and the host is a loopback address of this
// machine. A loopback host without a scheme gets http. Every other URL is an error, because it
// needs no such permission.
func ParseDev(text string) (origin string, err error) {
	u, err := readDev(text)
	if err != nil {
		return "", urlError(text, wayfind.CodeHostSyntax, err.Error())
	}
	return Origin(u), nil
}

// readDev reads the URL of a server under development. The URL may have a path.
func readDev(text string) (*url.URL, error) {
	if why := checkCharacters(text); why != "" {
		return nil, errors.New(why)
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		scheme, rest = "http", text
	}
	scheme = strings.ToLower(scheme)
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	host, err := devHost(scheme, authority)
	switch {
	case err != nil:
		return nil, err
	case scheme != "http" && scheme != "https":
		return nil, errors.New("its scheme is neither http nor https")
	case !IsLoopback(host) && (scheme == "https" || !ok):
		return nil, errors.New("it is not a loopback address of this machine")
	}
	return resolve(text, tail, host, &url.URL{Scheme: scheme, Path: "/"})
}

// devHost returns the canonical host, with its port unless it is the default port of the
// scheme.
func devHost(scheme, authority string) (string, error) {
	u, err := url.Parse(scheme + "://" + authority)
	switch {
	case err != nil:
		return "", errors.New("its host or its port cannot be read")
	case u.User != nil:
		return "", errors.New("a user name or password stands before the host")
	case u.Hostname() == "":
		return "", errors.New("it names no host")
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if addr, err := netip.ParseAddr(host); err == nil {
		if host = addr.String(); addr.Zone() != "" || addr.Is4In6() {
			return "", errors.New("its address has a zone, or is IPv4 in IPv6")
		}
	} else if canon, ok := ruleName(host); ok && urlref.IsLocalhost(canon) {
		host = canon
	} else if host, _, err = CanonicalHost(host); err != nil {
		return "", err
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return "", errors.New("its port is not a number from 1 to 65535")
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		if strings.Contains(host, ":") {
			return "[" + host + "]", nil
		}
		return host, nil
	}
	return net.JoinHostPort(host, port), nil
}

// IsLoopback reports whether a host, with or without a port, is this machine: "localhost", a
// name below it, or a loopback address.
func IsLoopback(host string) bool { return urlref.IsLoopback(host) }

// Origin returns the origin of a URL in canonical form: "https://example.com".
func Origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// DevGuard returns the guard that allows requests to an origin that only AllowDev or AllowNames
// can allow. In everything else the guard is like the default one. It returns nil for any other
// origin. The guard reads the references in documents of the origin, because such a document
// can exist only with that permission.
func DevGuard(origin string) *Guard {
	if guard := privateGuard(origin); guard != nil {
		return guard
	}
	if canon, err := ParseDev(origin); err != nil || canon != origin {
		return nil
	}
	return &Guard{AllowDev: []string{origin}}
}

// ParseURL is like the function [ParseURL], but URLs of AllowDev and AllowNames are also
// allowed, as the reference and as the base.
func (p *Guard) ParseURL(ref string, base *url.URL) (*url.URL, error) {
	return p.parse(ref, base, maxURL)
}

// ParseRequest reads the absolute URL of a request that a program writes, such as a URL that is
// filled with arguments. It is like ParseURL, but with a higher limit: 8,000 bytes, which
// servers are expected to support (RFC 9110 §4.1).
func (p *Guard) ParseRequest(ref string) (*url.URL, error) {
	return p.parse(ref, nil, maxRequest)
}

// devURL reads a reference to an origin of AllowDev or AllowNames. It returns nil for any
// other.
func (p *Guard) devURL(ref string, base *url.URL) *url.URL {
	fromDev := base != nil && base.User == nil && p.IsDev(Origin(base))
	rest, absolute := cutURLScheme(ref)
	switch after, authority := strings.CutPrefix(rest, "//"); {
	case checkCharacters(ref) != "", absolute && !authority, !absolute && !fromDev:
		return nil
	case !authority:
		u, err := resolve(ref, ref, base.Host, base)
		if err != nil {
			return nil
		}
		return u
	case !absolute:
		ref = base.Scheme + "://" + after
	}
	return p.readOwn(ref)
}

// readOwn reads an absolute URL of an origin of AllowDev or AllowNames. It returns nil for any
// other.
func (p *Guard) readOwn(ref string) *url.URL {
	if u, err := readDev(ref); err == nil && p.IsDev(Origin(u)) {
		return u
	}
	if u := readPrivate(ref); p.isPrivate(u) {
		return u
	}
	return nil
}

// IsDev reports whether AllowDev or AllowNames allows requests to an origin that other guards
// refuse.
func (p *Guard) IsDev(origin string) bool {
	if p == nil || len(p.AllowDev)+len(p.AllowNames) == 0 {
		return false
	}
	return slices.Contains(p.AllowDev, origin) || p.isPrivate(readPrivate(origin))
}

// DevTarget splits the target of a call into an origin of AllowDev or AllowNames and the rest.
func (p *Guard) DevTarget(target string) (origin, tail string, ok bool) {
	if p == nil || len(p.AllowDev)+len(p.AllowNames) == 0 || len(target) > maxURL {
		return "", "", false
	}
	u := p.readOwn(target)
	if u == nil {
		return "", "", false
	}
	return Origin(u), u.RequestURI(), true
}

// loopbackDev reports whether AllowDev allows connections to an address of this machine.
func (p *Guard) loopbackDev(to netip.AddrPort) bool {
	if p == nil || !to.Addr().IsLoopback() {
		return false
	}
	return slices.ContainsFunc(p.AllowDev, func(origin string) bool { return slices.Contains(devAddresses(origin), to) })
}

// DevAddresses returns the addresses of a host of AllowDev that is not looked up. Loopback
// addresses may be dialled; all others are judged as usual.
func (p *Guard) DevAddresses(origin string) []netip.AddrPort {
	if !p.IsDev(origin) {
		return nil
	}
	return devAddresses(origin)
}

func devAddresses(origin string) []netip.AddrPort {
	u, err := url.Parse(origin)
	if err != nil {
		return nil
	}
	port := uint16(443)
	if u.Scheme == "http" {
		port = 80
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = uint16(n)
	}
	if urlref.IsLocalhost(u.Hostname()) {
		return []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port), netip.AddrPortFrom(netip.IPv6Loopback(), port)}
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil
	}
	return []netip.AddrPort{netip.AddrPortFrom(addr, port)}
}

// CheckAddrPort is like CheckAddr for an address with a port. It also allows the address of a
// server on this machine that AllowDev names.
func (p *Guard) CheckAddrPort(to netip.AddrPort) error {
	if p.loopbackDev(to) {
		return nil
	}
	return p.CheckAddr(to.Addr())
}

// checkDev returns the first error in the entries of AllowDev.
func (p *Guard) checkDev() error {
	for _, origin := range p.AllowDev {
		if canon, err := ParseDev(origin); err != nil || canon != origin {
			return policyError(origin, wayfind.CodeHostSyntax, "AllowDev takes origins as ParseDev writes them")
		}
	}
	return nil
}
