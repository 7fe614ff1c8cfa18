package security

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"net/netip"
	"strings"
	"sync"
)

// These are IANA's special-purpose address registries (RFC 6890). iana/README.md describes
// their origin.
var (
	//go:embed iana/iana-ipv4-special-registry-1.csv
	ianaIPv4 string
	//go:embed iana/iana-ipv6-special-registry-1.csv
	ianaIPv6 string
)

// addressRange is a range that is refused, with the reason.
type addressRange struct {
	prefix netip.Prefix
	name   string
}

// specialRanges returns all rows of the registries, whether they are "globally reachable" or
// not: anycast services, AS112 and NAT64 are not web sites. If it returns an error, all
// addresses are refused.
var specialRanges = sync.OnceValues(func() ([]addressRange, error) {
	ranges := otherRanges()
	for _, table := range []string{ianaIPv4, ianaIPv6} {
		rows, err := parseRegistry(table)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, rows...)
	}
	return ranges, nil
})

// parseRegistry reads a registry in IANA's CSV format. An address block may contain several
// prefixes, and may have a footnote: "192.0.0.0/24 [2]".
func parseRegistry(table string) ([]addressRange, error) {
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("special-purpose registry: %w", err)
	}
	if len(records) < 2 || len(records[0]) < 2 || records[0][0] != "Address Block" {
		return nil, fmt.Errorf("special-purpose registry: no table with address blocks")
	}
	var ranges []addressRange
	for _, record := range records[1:] {
		for block := range strings.SplitSeq(record[0], ",") {
			block, _, _ = strings.Cut(strings.TrimSpace(block), " ")
			prefix, err := netip.ParsePrefix(block)
			if err != nil {
				return nil, fmt.Errorf("special-purpose registry: %w", err)
			}
			ranges = append(ranges, addressRange{prefix, strings.Trim(record[1], `"`)})
		}
	}
	return ranges, nil
}

// otherRanges are ranges that are refused although no special-purpose registry contains them.
func otherRanges() []addressRange {
	multicast := addressRange{netip.MustParsePrefix("224.0.0.0/4"), "Multicast"} // RFC 5771
	return append(platformRanges(), multicast)
}

// globalUnicast is the part of IPv6 that is assigned to the Internet. The rest is reserved,
// even if no registry has a row for it (RFC 4291 §2.4 and IANA's IPv6 address space).
func globalUnicast() netip.Prefix { return netip.MustParsePrefix("2000::/3") }
