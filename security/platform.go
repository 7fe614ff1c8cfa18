package security

import "net/netip"

// platformRanges are ranges that look public and that no special-purpose registry lists. The
// cloud platform that a machine runs on answers there, and it answers only that machine. A name
// with such an address is not a web site: its owner wants us to send requests to our own
// platform. Metadata addresses that a registry covers are not repeated: 169.254.0.0/16 (nearly
// all platforms), 100.100.100.200 (Alibaba), 192.0.0.192 (Oracle), fd00:ec2::254 (AWS),
// fd20:ce::254 (Google).
func platformRanges() []addressRange {
	return []addressRange{
		// Agent channel ("WireServer"), DNS and health probes of every virtual machine:
		// extension settings, certificates, DNS answers.
		// https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
		{netip.MustParsePrefix("168.63.129.16/32"), "Azure platform services"},
		// metadata.platformequinix.com, formerly metadata.packet.net: user data of the machine
		// that sends the request. The service has ended, but the address is still refused.
		// https://github.com/kinvolk/lokomotive blocks it for the same reason
		{netip.MustParsePrefix("192.80.8.124/32"), "Equinix Metal metadata"},
		// DNS, time, package mirrors and object storage inside the platform.
		// https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc
		{netip.MustParsePrefix("161.26.0.0/16"), "IBM Cloud platform services"},
		{netip.MustParsePrefix("166.8.0.0/14"), "IBM Cloud service endpoints"},
		// restricted.googleapis.com and private.googleapis.com: not announced to the Internet,
		// only routed inside a customer's network.
		// https://cloud.google.com/vpc-service-controls/docs/private-connectivity
		// https://cloud.google.com/vpc/docs/configure-private-google-access
		{netip.MustParsePrefix("199.36.153.4/30"), "Google Cloud restricted API access"},
		{netip.MustParsePrefix("199.36.153.8/30"), "Google Cloud private API access"},
		{netip.MustParsePrefix("2600:2d00:2:1000::/64"), "Google Cloud restricted API access"},
		{netip.MustParsePrefix("2600:2d00:2:2000::/64"), "Google Cloud private API access"},
	}
}

// metadataAddresses are the addresses at which platforms give a machine its credentials and
// user data, including addresses that a registry covers.
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

// OpenMetadata returns the first address of a cloud platform's metadata service that the policy
// allows, in plain form or as IPv4 inside IPv6. If there is one, a site could make this machine
// request its own credentials.
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

// formsOf returns the spellings of an address that lead to the same machine: the address itself
// and, for IPv4, the mapped, translated and 6to4 forms (RFC 4291 §2.5.5.2, RFC 6052, RFC 3056).
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
