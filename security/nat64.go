package security

import (
	"fmt"
	"net/netip"
	"slices"
)

// WellKnownNAT64 returns the prefix that any NAT64 may use, 64:ff9b::/96 (RFC 6052 §2.1). It is
// intended for Guard.AllowNAT64.
func WellKnownNAT64() netip.Prefix { return netip.MustParsePrefix("64:ff9b::/96") }

// nat64Lengths are the lengths that a prefix may have, in bits (RFC 6052 §2.2).
func nat64Lengths() []int { return []int{32, 40, 48, 56, 64, 96} }

// nat64Space are the ranges in which a prefix may be: the operator's own, global or
// unique-local, and the two ranges that IANA reserves for NAT64 (RFC 6052 §2.1, RFC 8215).
func nat64Space() []netip.Prefix {
	return []netip.Prefix{
		globalUnicast(), netip.MustParsePrefix("fc00::/7"),
		WellKnownNAT64(), netip.MustParsePrefix("64:ff9b:1::/48"),
	}
}

// nat64Taken are the parts of nat64Space that embed IPv4 in another way or name no hosts: IETF
// protocol assignments with Teredo, and 6to4.
func nat64Taken() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16")}
}

// checkNAT64 returns an error for an invalid prefix in AllowNAT64.
func checkNAT64(prefixes []netip.Prefix) error {
	for i, prefix := range prefixes {
		inside := func(space netip.Prefix) bool {
			return space.Bits() <= prefix.Bits() && space.Contains(prefix.Addr())
		}
		switch {
		case !prefix.IsValid() || !prefix.Addr().Is6() || !slices.Contains(nat64Lengths(), prefix.Bits()):
			return fmt.Errorf("%v in AllowNAT64 is no IPv6 prefix of 32, 40, 48, 56, 64 or 96 bits", prefix)
		case prefix != prefix.Masked():
			return fmt.Errorf("%v in AllowNAT64 has bits beyond its length", prefix)
		case prefix.Addr().As16()[8] != 0:
			return fmt.Errorf("%v in AllowNAT64 has bits 64 to 71 set, which must be zero", prefix)
		case !slices.ContainsFunc(nat64Space(), inside) || slices.ContainsFunc(nat64Taken(), prefix.Overlaps):
			return fmt.Errorf("%v in AllowNAT64 is no place for NAT64", prefix)
		case slices.ContainsFunc(prefixes[:i], prefix.Overlaps):
			return fmt.Errorf("%v in AllowNAT64 overlaps another: its addresses would have two readings", prefix)
		}
	}
	return nil
}

// nat64 returns the prefix of AllowNAT64 that contains an address.
func (p *Guard) nat64(addr netip.Addr) (netip.Prefix, bool) {
	if p == nil {
		return netip.Prefix{}, false
	}
	i := slices.IndexFunc(p.AllowNAT64, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
	if i < 0 {
		return netip.Prefix{}, false
	}
	return p.AllowNAT64[i], true
}

// blockedNAT64 judges an address under a NAT64 prefix as the IPv4 address that the translator
// will connect to.
func (p *Guard) blockedNAT64(prefix netip.Prefix, addr netip.Addr) error {
	v4, ok := embeddedIPv4(prefix, addr)
	if !ok {
		return fmt.Errorf("it is under the NAT64 prefix %s and not of the form of RFC 6052", prefix)
	}
	if err := p.blocked(v4); err != nil {
		return fmt.Errorf("it stands for %s: %w", v4, err)
	}
	return nil
}

// embeddedIPv4 extracts the IPv4 address from an address under a prefix of AllowNAT64 (RFC 6052
// §2.2). It skips the octet of bits 64 to 71. It returns false if this octet, or the suffix
// after the IPv4 address, is not zero.
func embeddedIPv4(prefix netip.Prefix, addr netip.Addr) (netip.Addr, bool) {
	const u = 8
	from, next := addr.As16(), prefix.Bits()/8
	var v4 [4]byte
	for i := range v4 {
		if next == u {
			next++
		}
		v4[i] = from[next]
		next++
	}
	suffix := slices.ContainsFunc(from[next:], func(b byte) bool { return b != 0 })
	return netip.AddrFrom4(v4), from[u] == 0 && !suffix
}
