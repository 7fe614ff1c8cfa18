package security

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Guard decides which addresses may be contacted, and which hosts are one site. The zero value
// and a nil pointer are the safe default: only the public Internet. A Guard must not be changed
// while it is in use.
type Guard struct {
	// AllowCIDR are special-purpose ranges that may be contacted nevertheless: "10.20.0.0/16"
	// for a company's own network. IPv4 ranges do not include IPv4-mapped addresses, and no
	// range includes addresses with a zone. If there are AllowNames, the ranges are for the
	// addresses of these names only, and an answer for another name is judged without them.
	AllowCIDR []netip.Prefix
	// AllowNames are names of the private network that may be contacted: "api.corp.internal",
	// or "*.corp.internal" for all names below corp.internal. They may have a special-use
	// ending. Each of their addresses must be in AllowCIDR.
	AllowNames []string
	// AllowPorts are additional ports for the hosts of AllowNames: 8443. For other names only
	// port 443 is allowed.
	AllowPorts []uint16
	// AllowNAT64 are the prefixes of the NAT64 translators of this network: [WellKnownNAT64],
	// or the prefix of the operator of an IPv6-only network. If an address is under one of
	// them, this Guard judges the IPv4 address that it contains (RFC 6052 §2.2) like any other.
	// Without AllowNAT64 all of 64:ff9b::/96 and 64:ff9b:1::/48 is refused. An operator's
	// prefix inside 2000::/3 makes the guard stricter: without the prefix its addresses are
	// treated as public, even if they contain a private IPv4 address.
	AllowNAT64 []netip.Prefix
	// AllowMixedDNS allows the public addresses of a name to be dialled if the name also has
	// refused addresses. The diagnostic "dns.mixed" then reports this. By default the whole
	// answer is refused. The refused addresses are never dialled.
	AllowMixedDNS bool
	// SuffixList decides which hosts are one site. If it is nil, the Public Suffix List that is
	// bundled with this module is used; SuffixList.Version returns its age.
	SuffixList *SuffixList
	// ConnectTo replaces only the look-up and the socket for one host and port. The name, the
	// certificate and every check are still those of the host. A key is "host:443" with a
	// canonical host, or a name of AllowNames with one of its ports. The address is judged like
	// any other.
	ConnectTo map[string]netip.AddrPort
	// AllowDev are the origins of servers under development that may be contacted although they
	// use http or are at a loopback address of this machine, in the form of [ParseDev]:
	// "http://localhost:3000", "https://127.0.0.1:8443". Each entry allows only its own origin.
	// The documents of that origin may name no other hosts than the documents of other origins
	// may. Addresses that are not loopback addresses are judged as usual, and get no credential
	// over http. client.New logs a warning, and each Site of Resolve has the diagnostic
	// "policy.dev".
	AllowDev []string
	// UnsafeProxy is a proxy that makes the connections, for networks that have no other way
	// out. It is unsafe because the proxy looks up the names: the proxy, and not this Guard,
	// decides which address is contacted. The proxy itself must enforce the rules for outgoing
	// connections: no private networks, no metadata services. This Guard still ensures that
	// hosts are canonical public names, that only port 443 is requested, and that TLS is
	// verified up to the site. The proxy's own address is not judged, and no site can have it.
	// ConnectTo bypasses the proxy. Proxy environment variables are always ignored. client.New
	// logs a warning, and each Site of Resolve has the diagnostic "policy.unsafe_proxy".
	UnsafeProxy *Proxy
}

// Target returns the address for connections to a canonical host. It reports false if ConnectTo
// has no entry for the host.
func (p *Guard) Target(host string, port uint16) (netip.AddrPort, bool) {
	if p == nil || len(p.ConnectTo) == 0 {
		return netip.AddrPort{}, false
	}
	to, ok := p.ConnectTo[net.JoinHostPort(host, strconv.Itoa(int(port)))]
	return to, ok
}

// Validate reports the first entry that can have no effect, or an unintended one: a prefix or
// an address that is not valid, a key that is not a canonical host with port 443, NAT64
// prefixes that are not valid under RFC 6052 or that overlap, a SuffixList or Proxy that was
// not made by its parse function. The error is a *wayfind.Error with Op "policy" and kind
// wayfind.ErrInvalid. If a host is the cause, it has the code of the host's error.
func (p *Guard) Validate() error {
	if p == nil {
		return nil
	}
	for _, prefix := range p.AllowCIDR {
		if !prefix.IsValid() {
			return policyError("", "", "a prefix in AllowCIDR is not valid")
		}
	}
	if err := checkNAT64(p.AllowNAT64); err != nil {
		return policyError("", "", err.Error())
	}
	if p.SuffixList != nil && p.SuffixList.size() == 0 {
		return policyError("", "", "SuffixList has no rules: make it with ParseSuffixList")
	}
	if p.UnsafeProxy != nil && p.UnsafeProxy.host == "" {
		return policyError("", "", "UnsafeProxy has no host: make it with ParseProxy")
	}
	if err := cmp.Or(p.checkDev(), p.checkNames()); err != nil {
		return err
	}
	return p.validateConnectTo()
}

func (p *Guard) validateConnectTo() error {
	for _, key := range slices.Sorted(maps.Keys(p.ConnectTo)) {
		if err := p.checkKey(key); err != nil {
			return err
		}
		switch {
		case !p.ConnectTo[key].IsValid():
			return policyError(key, "", "its address is not valid")
		case p.UnsafeProxy != nil && p.UnsafeProxy.at(p.ConnectTo[key]):
			return policyError(key, wayfind.CodeBlockedAddress, "its address is that of UnsafeProxy, which no site can have")
		}
	}
	return nil
}

// checkKey returns the error in a key of ConnectTo.
func (p *Guard) checkKey(key string) error {
	if u := readPrivate(key); p.isPrivate(u) && key == net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443")) {
		return nil
	}
	if !strings.HasSuffix(key, ":443") {
		return policyError(key, wayfind.CodePort, "a key of ConnectTo needs the port 443")
	}
	canon, err := canonicalAuthority(key)
	switch {
	case err != nil:
		return wayfind.NewError("policy", text.Clip(key), codeOf(err), err)
	case canon+":443" != key:
		return policyError(key, wayfind.CodeHostSyntax, "a key of ConnectTo needs the canonical host "+canon)
	}
	return nil
}

// Fingerprint identifies the permissions of a policy. It is "" for the default. Answers that
// were fetched under one fingerprint must not be used under another. The fingerprint does not
// include the password of a proxy: the password does not change the answers, and a short one
// could be guessed from its hash.
func (p *Guard) Fingerprint() string {
	if p == nil {
		return ""
	}
	var lines []string
	for _, prefix := range p.AllowCIDR {
		lines = append(lines, "allow "+prefix.Masked().String())
	}
	for _, name := range p.AllowNames {
		lines = append(lines, "name "+name)
	}
	for _, port := range p.AllowPorts {
		lines = append(lines, fmt.Sprintf("port %d", port))
	}
	for _, prefix := range p.AllowNAT64 {
		lines = append(lines, "nat64 "+prefix.String())
	}
	if p.AllowMixedDNS {
		lines = append(lines, "mixed")
	}
	if p.SuffixList != nil {
		lines = append(lines, "suffixes "+p.SuffixList.digest)
	}
	for _, origin := range p.AllowDev {
		lines = append(lines, "dev "+origin)
	}
	for key, to := range p.ConnectTo {
		lines = append(lines, fmt.Sprintf("connect %q %s", key, to))
	}
	if p.UnsafeProxy != nil {
		lines = append(lines, "proxy "+p.UnsafeProxy.String())
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(lines), "\n")))
	return hex.EncodeToString(sum[:16])
}

// Clone returns a copy that shares no mutable part with p.
func (p Guard) Clone() Guard {
	p.AllowDev, p.AllowNames, p.AllowPorts = slices.Clone(p.AllowDev), slices.Clone(p.AllowNames), slices.Clone(p.AllowPorts)
	p.AllowCIDR, p.AllowNAT64, p.ConnectTo = slices.Clone(p.AllowCIDR), slices.Clone(p.AllowNAT64), maps.Clone(p.ConnectTo)
	return p
}

// CheckTunnel returns nil if a third party that looks names up itself, such as UnsafeProxy, may
// be asked for a connection to a host. Only canonical public names with port 443 are allowed, and
// names of AllowNames with port 443 or a port of AllowPorts, but not the proxy's own name. The
// address behind a name is not known here, so AllowCIDR is not compared. The error is a *wayfind.Error with Op "dial" and kind
// wayfind.ErrRefused.
func (p *Guard) CheckTunnel(host string, port uint16) error {
	refuse := func(code wayfind.Code, why error) error {
		return wayfind.NewError("dial", text.Clip(host), code, why).WithKind(wayfind.ErrRefused)
	}
	canon, _, err := CanonicalHost(host)
	named := p.IsNamed(host)
	if named {
		if own, ok := privateHost(host); ok {
			canon, err = own, nil
		}
	}
	switch {
	case err != nil:
		return refuse(codeOf(err), err)
	case canon != host:
		return refuse(wayfind.CodeHostSyntax, errors.New("it is not the canonical spelling"))
	case port != 443 && !(named && slices.Contains(p.AllowPorts, port)):
		return refuse(wayfind.CodePort, fmt.Errorf("port %d", port))
	case p != nil && p.UnsafeProxy != nil && p.UnsafeProxy.is(host):
		return refuse(wayfind.CodeBlockedAddress, errors.New("it is the proxy itself"))
	}
	return nil
}

func policyError(key string, code wayfind.Code, why string) error {
	return wayfind.NewError("policy", text.Clip(key), code, errors.New(why)).WithKind(wayfind.ErrInvalid)
}

func codeOf(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return ""
}
