package security

import "net/netip"

// platformRanges look public, and a special-purpose registry has none of them;
// the platform that a machine runs on answers there, and it answers that
// machine alone. A name that leads to one is no web site: its owner wants us to
// ask our own platform. Metadata addresses that a registry covers are not
// repeated: 169.254.0.0/16 (nearly all platforms), 100.100.100.200 (Alibaba),
// 192.0.0.192 (Oracle), fd00:ec2::254 (AWS), fd20:ce::254 (Google).
func platformRanges() []addressRange {
	return []addressRange{
		// Agent channel ("WireServer"), DNS and health probes of every virtual
		// machine: extension settings, certificates, DNS answers.
		// https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
		{netip.MustParsePrefix("168.63.129.16/32"), "Azure platform services"},
		// metadata.platformequinix.com, before that metadata.packet.net: user
		// data of the machine that asks. The service has ended; the address
		// stays refused.
		// https://github.com/kinvolk/lokomotive blocks it for the same reason
		{netip.MustParsePrefix("192.80.8.124/32"), "Equinix Metal metadata"},
		// DNS, time, package mirrors and object storage inside the platform.
		// https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc
		{netip.MustParsePrefix("161.26.0.0/16"), "IBM Cloud platform services"},
		{netip.MustParsePrefix("166.8.0.0/14"), "IBM Cloud service endpoints"},
		// restricted.googleapis.com and private.googleapis.com: not announced to
		// the Internet, routed inside a customer's network only.
		// https://cloud.google.com/vpc-service-controls/docs/private-connectivity
		// https://cloud.google.com/vpc/docs/configure-private-google-access
		{netip.MustParsePrefix("199.36.153.4/30"), "Google Cloud restricted API access"},
		{netip.MustParsePrefix("199.36.153.8/30"), "Google Cloud private API access"},
		{netip.MustParsePrefix("2600:2d00:2:1000::/64"), "Google Cloud restricted API access"},
		{netip.MustParsePrefix("2600:2d00:2:2000::/64"), "Google Cloud private API access"},
	}
}

// metadataAddresses are where platforms tell a machine its credentials and user
// data, whether a registry covers the address or not.
func metadataAddresses() []netip.Addr {
	return []netip.Addr{
		netip.MustParseAddr("169.254.169.254"), // nearly all
		netip.MustParseAddr("169.254.170.2"),   // AWS, tasks of ECS
		netip.MustParseAddr("169.254.170.23"),  // AWS, pods of EKS
		netip.MustParseAddr("100.100.100.200"), // Alibaba
		netip.MustParseAddr("168.63.129.16"),   // Azure
		netip.MustParseAddr("192.0.0.192"),     // Oracle
		netip.MustParseAddr("192.80.8.124"),    // Equinix Metal
		netip.MustParseAddr("fd00:ec2::254"),   // AWS
		netip.MustParseAddr("fd00:ec2::23"),    // AWS, pods of EKS
		netip.MustParseAddr("fd20:ce::254"),    // Google
		netip.MustParseAddr("fd00:42::42"),     // Scaleway
	}
}

// OpenMetadata returns the first address of a cloud platform's metadata service
// that the policy allows, in plain form or as IPv4 inside IPv6: a site could
// have the credentials of this machine asked for there.
func (p *Guard) OpenMetadata() (netip.Addr, bool) {
	if p == nil || len(p.AllowCIDR) == 0 {
		return netip.Addr{}, false
	}
	for _, addr := range metadataAddresses() {
		for _, form := range formsOf(addr) {
			if p.CheckAddr(form) == nil {
				return form, true
			}
		}
	}
	return netip.Addr{}, false
}

// formsOf are the spellings of an address that lead to the same machine: IPv4
// mapped, translated and in 6to4 (RFC 4291 §2.5.5.2, RFC 6052, RFC 3056).
func formsOf(addr netip.Addr) []netip.Addr {
	if !addr.Is4() {
		return []netip.Addr{addr}
	}
	v4 := addr.As4()
	translated, sixToFour := WellKnownNAT64().Addr().As16(), [16]byte{0x20, 0x02}
	copy(translated[12:], v4[:])
	copy(sixToFour[2:], v4[:])
	return []netip.Addr{addr, netip.AddrFrom16(addr.As16()), netip.AddrFrom16(translated), netip.AddrFrom16(sixToFour)}
}
