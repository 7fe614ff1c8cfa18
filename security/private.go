package security

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// IsNamed reports whether AllowNames includes a canonical host. The Guard may be nil.
func (p *Guard) IsNamed(host string) bool {
	return p != nil && slices.ContainsFunc(p.AllowNames, func(name string) bool {
		parent, below := strings.CutPrefix(name, "*")
		return name == host || below && len(host) > len(parent) && strings.HasSuffix(host, parent)
	})
}

// privateHost returns the canonical spelling of a name that may be private, including names
// with a special-use ending. It returns false for an address and for a single label.
func privateHost(host string) (canon string, ok bool) {
	canon, ok = ruleName(strings.TrimSuffix(host, "."))
	last := canon[strings.LastIndexByte(canon, '.')+1:]
	return canon, ok && last != canon && !urlref.IsLocalhost(last) && !isNumber(last)
}

// readPrivate reads an absolute https URL with a private name or a port other than 443. It
// returns nil for any other URL.
func readPrivate(ref string) *url.URL {
	if len(ref) > maxRequest || checkCharacters(ref) != "" || secret.IsRedacted(ref) {
		return nil
	}
	rest, absolute := cutURLScheme(ref)
	if absolute && !strings.EqualFold(ref[:len(ref)-len(rest)], "https:") {
		if rest = ref; strings.Contains(ref, "://") {
			return nil
		}
	}
	rest = strings.TrimPrefix(rest, "//")
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	host, port, _ := strings.Cut(authority, ":")
	canon, ok := privateHost(host)
	if n, err := strconv.ParseUint(port, 10, 16); !ok || port != "" && (err != nil || n == 0 || strconv.FormatUint(n, 10) != port) {
		return nil
	}
	if port != "" && port != "443" {
		canon += ":" + port
	}
	u, err := resolve(ref, tail, canon, &url.URL{Path: "/"})
	if err != nil || !exceptional(u) {
		return nil
	}
	return u
}

// ReadURL is like [ParseURL] for a URL that gives no permission, such as a URL in a file of the
// user. It also reads URLs that AllowNames can allow, and those of a server under development that
// has no public name: "localhost", a name below it, or a loopback or private address. The Client
// that requests the document judges the URL.
func ReadURL(ref string) (*url.URL, error) {
	if u := readPrivate(ref); u != nil {
		return privateGuard(Origin(u)).ParseURL(ref, nil)
	}
	if u, err := readDev(ref); err == nil && strings.Contains(ref, "://") && isNearby(u.Hostname()) {
		return DevGuard(Origin(u)).ParseURL(ref, nil)
	}
	return ParseURL(ref, nil)
}

// isNearby reports whether a host can only be a machine of the user: its name is not one of the public DNS.
func isNearby(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast()
	}
	return IsLoopback(host)
}

// ReadOrigin is like [CanonicalOrigin] for an origin that gives no permission, in the same way
// as [ReadURL] is for URLs.
func ReadOrigin(text string) (string, error) { return originOf(text, ReadURL) }

// exceptional reports whether an https URL needs the permission of AllowNames: its name has a
// special-use ending, or its port is not 443.
func exceptional(u *url.URL) bool {
	host := u.Hostname()
	return u.Scheme == "https" && (u.Port() != "" || isSpecialUse(host[strings.LastIndexByte(host, '.')+1:]))
}

// IsException reports whether only AllowDev or AllowNames can allow requests to a URL.
func IsException(u *url.URL) bool {
	return u.Scheme == "http" || IsLoopback(u.Host) || exceptional(u)
}

// isPrivate reports whether AllowNames and AllowPorts allow requests to an origin.
func (p *Guard) isPrivate(u *url.URL) bool {
	if p == nil || len(p.AllowNames) == 0 || u == nil || !exceptional(u) || !p.IsNamed(u.Hostname()) {
		return false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && slices.Contains(p.AllowPorts, uint16(port))
}

// privateGuard is like [DevGuard] for an origin of AllowNames.
func privateGuard(origin string) *Guard {
	u := readPrivate(origin)
	if u == nil || Origin(u) != origin {
		return nil
	}
	guard := &Guard{AllowNames: []string{u.Hostname()}}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		guard.AllowPorts = []uint16{uint16(port)}
	}
	return guard
}

// onlyInside returns false, with the first address that is not in AllowCIDR, if a name of
// AllowNames has such an address. These names may have only addresses of the private network.
func (p *Guard) onlyInside(host string, addrs []netip.Addr) (outside netip.Addr, ok bool) {
	if !p.IsNamed(host) {
		return netip.Addr{}, true
	}
	for _, addr := range addrs {
		if !p.allows(addr) {
			return addr, false
		}
	}
	return netip.Addr{}, true
}

// checkNames returns the first error in the entries of AllowNames and AllowPorts.
func (p *Guard) checkNames() error {
	for _, name := range p.AllowNames {
		if canon, ok := privateHost(strings.TrimPrefix(name, "*.")); !ok || canon != strings.TrimPrefix(name, "*.") {
			return policyError(name, wayfind.CodeHostSyntax, "AllowNames takes canonical names of two labels at least, such as api.corp.internal and *.corp.internal")
		}
	}
	switch {
	case slices.Contains(p.AllowPorts, 0):
		return policyError("", wayfind.CodePort, "AllowPorts holds 0, which is no port")
	case len(p.AllowPorts) > 0 && len(p.AllowNames) == 0:
		return policyError("", wayfind.CodePort, "AllowPorts are ports of AllowNames, and there are none")
	case len(p.AllowNames) > 0 && len(p.AllowCIDR) == 0 && p.UnsafeProxy == nil:
		return policyError(p.AllowNames[0], "", "a name of AllowNames has addresses in AllowCIDR only, and there are none")
	}
	return nil
}
