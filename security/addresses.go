package security

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// CheckAddr returns nil if a connection to an address is allowed. Otherwise it returns a
// *wayfind.Error with Op "dial", kind wayfind.ErrRefused and code wayfind.CodeBlockedAddress.
//
// It refuses all rows of IANA's special-purpose registries, multicast, everything outside
// 2000::/3, addresses of cloud platforms that no registry lists, every form of IPv4 inside IPv6
// (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP) and every address with a zone.
// AllowCIDR allows all of these except addresses with a zone. An address under a prefix of
// AllowNAT64 is judged as the IPv4 address that it contains, even if AllowCIDR contains the
// prefix.
func (p *Guard) CheckAddr(addr netip.Addr) error {
	if err := p.blocked(addr); err != nil {
		return wayfind.NewError("dial", addr.String(), wayfind.CodeBlockedAddress, err)
	}
	return nil
}

// CheckAnswer judges all addresses that a look-up of a host returned, and returns the addresses
// that may be dialled, in their order. If one address is refused, the whole answer is refused,
// because a public name has no private addresses. With AllowMixedDNS a refused address is left
// out, if an allowed one remains. The error is the error of CheckAddr. If there is no address
// at all, the error has Op "dns", kind wayfind.ErrUnreachable and code wayfind.CodeDNSNotFound.
//
// If there are AllowNames, AllowCIDR holds for these names only: other names are judged without
// it.
//
// IPv4 addresses must be in IPv4 form: an IPv4-mapped address is treated as the content of an
// AAAA record, and refused. If a resolver returns A records in mapped form, call
// netip.Addr.Unmap on its addresses first.
func (p *Guard) CheckAnswer(host string, addrs []netip.Addr) (allowed []netip.Addr, err error) {
	if len(addrs) == 0 {
		return nil, wayfind.NewError("dns", host, wayfind.CodeDNSNotFound, errors.New("the name has no address"))
	}
	if outside, ok := p.onlyInside(host, addrs); !ok {
		return nil, wayfind.NewError("dial", host, wayfind.CodeBlockedAddress, fmt.Errorf("%s: it is of AllowNames, and AllowCIDR does not hold the address", outside))
	}
	public := p.withoutRanges(host)
	var refusal error
	for _, addr := range addrs {
		err := public.blocked(addr)
		if err == nil {
			allowed = append(allowed, addr)
		} else if refusal == nil {
			refusal = wayfind.NewError("dial", host, wayfind.CodeBlockedAddress, fmt.Errorf("%s: %w", addr, err))
		}
	}
	if refusal != nil && (len(allowed) == 0 || p == nil || !p.AllowMixedDNS) {
		return nil, refusal
	}
	return allowed, nil
}

// withoutRanges returns the Guard for the answer of a host: without AllowCIDR if that is for the
// names of AllowNames, and the host is none of them.
func (p *Guard) withoutRanges(host string) *Guard {
	if p == nil || len(p.AllowCIDR) == 0 || len(p.AllowNames) == 0 || p.IsNamed(host) {
		return p
	}
	return &Guard{AllowNAT64: p.AllowNAT64}
}

// Control is a hook for net.Dialer.ControlContext. It receives the address that the kernel will
// connect to, after every look-up, and judges it again. This is the last check before a packet
// is sent. Networks other than TCP are refused. It knows no name, so AllowCIDR holds here for all.
func (p *Guard) Control(_ context.Context, network, address string, _ syscall.RawConn) error {
	refuse := func(why string) error {
		return wayfind.NewError("dial", address, wayfind.CodeBlockedAddress, errors.New(why))
	}
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return refuse("only TCP is used, not " + text.Printable(network))
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("it is not an address with a port")
	}
	return p.CheckAddrPort(to)
}

// blocked returns the reason why an address is refused, or nil if it is allowed.
func (p *Guard) blocked(addr netip.Addr) error {
	switch {
	case !addr.IsValid():
		return errors.New("it is not an address")
	case addr.Zone() != "":
		return errors.New("it has a zone, so it is not global")
	}
	if prefix, ok := p.nat64(addr); ok {
		return p.blockedNAT64(prefix, addr)
	}
	switch {
	case p.allows(addr):
		return nil
	case addr.Is4In6(), isISATAP(addr):
		return errors.New("it is IPv4 inside IPv6")
	}
	ranges, err := specialRanges()
	if err != nil {
		return err
	}
	if found, ok := narrowest(ranges, addr); ok {
		return fmt.Errorf("it is special: %s (%s)", found.name, found.prefix)
	}
	if addr.Is6() && !globalUnicast().Contains(addr) {
		return errors.New("it is outside of 2000::/3, the global part of IPv6")
	}
	return nil
}

// isISATAP reports whether the interface identifier of an address contains an IPv4 address (RFC
// 5214 §6.1). A router may unpack it under any prefix.
func isISATAP(addr netip.Addr) bool {
	b := addr.As16()
	return addr.Is6() && b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func (p *Guard) allows(addr netip.Addr) bool {
	if p == nil {
		return false
	}
	for _, prefix := range p.AllowCIDR {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// narrowest returns the most specific range that contains an address.
func narrowest(ranges []addressRange, addr netip.Addr) (found addressRange, ok bool) {
	for _, r := range ranges {
		if r.prefix.Contains(addr) && (!ok || r.prefix.Bits() > found.prefix.Bits()) {
			found, ok = r, true
		}
	}
	return found, ok
}
